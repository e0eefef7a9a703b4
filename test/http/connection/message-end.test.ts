// Where a message may end is found wherever its packets are divided. How much of a chunked body is passed on in one
// turn. Many connections that are opened at once are accepted a few at a time, in their order, and all of them in the
// end.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  firstByteOf,
  lastBytes,
  lengthToEmptyLine,
} from "../../../src/http/connection/message-end.ts";
import { askForBody } from "../../../src/http/body/expectation.ts";
import { Exchange } from "../../../src/http/connection/exchange.ts";
import { ConnectionTurns } from "../../../src/http/connection/connection-turns.ts";

const nothing = Buffer.alloc(0);
const text = "\r\nGET / HTTP/1.1\r\nA: b\r\n\r\n\n\r\n\r\r\n\r\nx\r\n";

/** The parts that the text is cut into. */
function partsOf(packets: readonly string[]): readonly string[] {
  const parts: string[] = [];
  let part = "";
  let before: Buffer = nothing;
  for (const packet of packets) {
    let rest: Buffer = Buffer.from(packet);
    while (rest.length > 0) {
      const length = lengthToEmptyLine(before, rest, 0);
      const cut = rest.subarray(0, length);
      rest = rest.subarray(length);
      part += cut.toString();
      before = lastBytes(before, cut);
      if (!part.endsWith("\r\n\r\n")) continue;
      parts.push(part);
      part = "";
    }
  }
  return [...parts, part];
}

describe("an empty line", () => {
  it("ends a part, however the bytes are divided into packets", () => {
    const expected = ["\r\nGET / HTTP/1.1\r\nA: b\r\n\r\n", "\n\r\n\r\r\n\r\n", "x\r\n"];
    for (let one = 0; one < text.length; one += 1) {
      for (let other = one; other < text.length; other += 1) {
        const packets = [text.slice(0, one), text.slice(one, other), text.slice(other)];
        assert.deepEqual(partsOf(packets), expected, JSON.stringify(packets));
      }
    }
    assert.deepEqual(partsOf(Array.from(text)), expected);
  });

  it("before a request is skipped", () => {
    assert.equal(firstByteOf(Buffer.from("\r\n\r\nGET")), 4);
    assert.equal(firstByteOf(Buffer.from("\r\n")), 2);
    assert.equal(firstByteOf(Buffer.from("GET")), 0);
  });
});

describe("a chunked body", () => {
  it("has short turns while its chunks are small, or not known", async () => {
    const { request, pass } = openBody();
    const first = (await pass(1 / 8)).bytes;
    assert.equal((await pass(0)).bytes, first);
    request.push(Buffer.alloc(2 * first));
    await new Promise(setImmediate);
    assert.ok((await pass(1)).bytes > first);
  });

  it("has turns of many parts while its chunks are large, and ends one when they become small", async () => {
    const { pass } = openBody();
    for (let turn = 1; turn <= 2; turn += 1) await pass(1);
    const { bytes, turns } = await pass(1);
    assert.deepEqual(await pass(1), { bytes, turns });
    assert.deepEqual(await pass(1 / 8), { bytes, turns });
    assert.equal((await pass(1)).turns, turns + 1);
  });
});

describe("connections that are opened at once", () => {
  it("are accepted eight at a time, in their order", async () => {
    const { sockets, accepted } = open(20);
    for (const count of [8, 16, 20]) {
      assert.deepEqual(accepted, sockets.slice(0, count));
      await nextTurn();
    }
  });

  it("don't wait for one that is closed meanwhile", async () => {
    const { sockets, accepted } = open(24);
    for (const socket of sockets.slice(8, 16)) socket.destroy();
    await nextTurn();
    assert.deepEqual(accepted, [...sockets.slice(0, 8), ...sockets.slice(16)]);
  });

  it("have one turn, however often they ask for it", async () => {
    const { sockets, accepted, add } = open(20);
    add();
    for (let turn = 0; turn < 4; turn += 1) await nextTurn();
    const order = accepted.slice(8).map((socket) => sockets.indexOf(socket));
    assert.deepEqual(order, Array.from(sockets.keys()));
  });

  it("don't wait for one that is closed when it waits again", async () => {
    const { sockets, accepted, add } = open(24);
    for (let turn = 0; turn < 2; turn += 1) await nextTurn();
    accepted.length = 0;
    add();
    for (const socket of sockets.slice(0, 16)) socket.destroy();
    await nextTurn();
    assert.deepEqual(accepted, sockets.slice(16));
  });
});

function openBody() {
  const request = new IncomingMessage(new Socket());
  request.headers["transfer-encoding"] = "chunked";
  const exchange = new Exchange(request, new ServerResponse(request), () => undefined);
  askForBody(request);
  let turns = 0;
  /** Passes one part on, of which the parser reads this share. */
  const pass = async (share: number): Promise<{ readonly bytes: number; turns: number }> => {
    exchange.takeTurn((given) => {
      turns += 1;
      given();
    });
    const bytes = exchange.takeChunks(10_000, (most) => most);
    if (share > 0) request.push(Buffer.alloc(Math.floor(bytes * share)));
    await new Promise(setImmediate);
    return { bytes, turns };
  };
  return { request, pass };
}

function open(count: number) {
  const admission = new ConnectionTurns();
  const accepted: Socket[] = [];
  const sockets = Array.from({ length: count }, () => new Socket());
  const add = (): void => {
    for (const socket of sockets) admission.add(socket, () => void accepted.push(socket));
  };
  add();
  return { sockets, accepted, add };
}
