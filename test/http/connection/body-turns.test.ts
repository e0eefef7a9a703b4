// Bodies of very many chunks: what they may cost is bounded by count, they take turns, and one that nobody asks for is
// not parsed.

import assert from "node:assert/strict";
import { once } from "node:events";
import { IncomingMessage } from "node:http";
import { connect, Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { limits } from "../../../src/domain/limits.ts";
import {
  type BodyTurns,
  chunksPerIntervalMax,
  sliceBytes,
  unstoppableChunksMax,
} from "../../../src/http/connection/body-turns.ts";
import { ChunkedBody } from "../../../src/http/connection/chunked-body.ts";
import { type Scene, startScene } from "../../contract/scene.ts";
import { readAllReplies } from "../../fuzz/raw-replies.ts";
import { waitFor } from "../../support/wait-for.ts";

const oneByte = "1\r\n1\r\n";
/** What a slice of a packet contains at most, besides the part of a chunk that began in the one before. */
const chunksOfSlice = Math.ceil(sliceBytes / oneByte.length) + 1;

function head(line: string, more = ""): string {
  return `${line} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n${more}\r\n`;
}

describe("a body of one-byte chunks", () => {
  let scene: Scene;
  let bodies: BodyTurns;
  before(async () => {
    scene = await startScene();
    ({ bodies } = scene.service.edge);
  });
  after(() => scene.stop());

  const form = "Origin: http://x\r\nContent-Type: application/x-www-form-urlencoded\r\n";
  const link = head("POST /console/link", form);

  async function open(bytes: string): Promise<{ socket: Socket; text: () => string }> {
    const { hostname, port } = new URL(scene.client.address);
    const socket = connect(Number(port), hostname);
    let text = "";
    socket.on("error", () => undefined).on("data", (chunk: Buffer) => (text += chunk.toString()));
    await once(socket, "connect");
    socket.write(bytes);
    return { socket, text: () => text };
  }

  async function exchange(bytes: string): Promise<{ status: number; connection: string }> {
    const { socket, text } = await open(bytes);
    await waitFor("a reply", () => /\r\n\r\n/.test(text()) || undefined);
    const [reply] = readAllReplies(Buffer.from(text())).replies;
    await waitFor("the end of the connection", () => socket.readableEnded || undefined);
    socket.destroy();
    return { status: reply?.status ?? 0, connection: reply?.headers.connection ?? "" };
  }

  for (const [line, status] of [
    ["GET /health/live", 400],
    ["GET /docs/reference.js", 400],
    ["GET /console/sign-in", 400],
    ["GET /nothing", 404],
    ["PATCH /health/live", 405],
    ["POST /v2/person", 401],
    ["POST /console/sign-out", 403],
  ] as const) {
    it(`is not parsed where nobody asks for it, and ends the connection: ${line}`, async () => {
      const earlier = bodies.parsed;
      const reply = await exchange(head(line) + oneByte.repeat(10_000));
      assert.deepEqual(reply, { status, connection: "close" });
      assert.equal(bodies.parsed, earlier);
    });
  }

  it("is parsed up to the bound of a form", async () => {
    const earlier = bodies.parsed;
    const { status } = await exchange(link + oneByte.repeat(400_000));
    assert.equal(status, 413);
    const parsed = bodies.parsed - earlier;
    assert.ok(parsed > 256 * 1_024 && parsed <= 256 * 1_024 + 64 * 1_024, `${parsed} chunks`);
  });

  it("waits for the next interval when its chunks are used up, however many connections have one", async () => {
    const open24 = Array.from({ length: 24 }, () => open(link + oneByte.repeat(30_000)));
    const sockets = await Promise.all(open24);
    let last = bodies.parsed;
    let most = 0;
    const until = last + 100_000;
    while (bodies.parsed < until) {
      await nextTurn();
      most = Math.max(most, bodies.parsed - last);
      last = bodies.parsed;
    }
    for (const { socket } of sockets) socket.destroy();
    // At most two runs of the timer are between two of these.
    assert.ok(most <= 2 * (chunksPerIntervalMax + chunksOfSlice), `${most} chunks at once`);
    await waitFor("nothing to wait", () => bodies.bytes === 0 || undefined);
  });

  it("closes the connection beyond the bytes of its address that wait", async () => {
    const refused = bodies.refused;
    const packet = link + oneByte.repeat(10_000);
    const sockets = Array.from({ length: 400 }, () => open(packet));
    await waitFor("some to be closed", () => bodies.refused > refused || undefined);
    assert.ok(bodies.bytes <= limits.waitingChunkBytesPerAddressMax, `${bodies.bytes} bytes`);
    for (const { socket } of await Promise.all(sockets)) socket.destroy();
    await waitFor("nothing to wait", () => bodies.bytes === 0 || undefined);
  });

  it("closes the connection of an upgrade request, whose packet is parsed at once", async () => {
    const upgrade = head("POST /console/link", `${form}Connection: upgrade\r\nUpgrade: h2c\r\n`);
    const earlier = bodies.parsed;
    const { socket } = await open(upgrade + oneByte.repeat(9_000));
    await once(socket, "close");
    assert.ok(bodies.parsed - earlier <= unstoppableChunksMax + 1, `${bodies.parsed - earlier}`);
  });

  it("is read whole, with extensions and trailers", async () => {
    const text = "token=1";
    const chunks = text
      .split("")
      .map((one) => `1;a="b"\r\n${one}\r\n`)
      .join("");
    const { socket, text: received } = await open(`${link}${chunks}0\r\nX-Trailer: 1\r\n\r\n`);
    await waitFor("a reply", () => /^HTTP\/1\.1 \d/.test(received()) || undefined);
    // A link that does not exist: the form was read.
    assert.match(received(), /^HTTP\/1\.1 4\d\d (?!Payload)/);
    socket.destroy();
  });
});

describe("a chunked body", () => {
  it("gives its reader one buffer for the chunks of a packet", async () => {
    const request = new IncomingMessage(new Socket());
    const body = new ChunkedBody(request, {
      onChunk: () => undefined,
      onEnd: () => undefined,
      onWanted: () => undefined,
    });
    body.expect(6_000);
    for (let index = 0; index < 1_000; index += 1) request.push(Buffer.from("x"));
    assert.equal(request.readableLength, 0);
    assert.equal(body.flush(), true);
    request.push(null);
    const all: Buffer[] = [];
    request.on("data", (chunk: Buffer) => all.push(chunk));
    await once(request, "end");
    assert.deepEqual(
      all.map(({ length }) => length),
      [1_000],
    );
  });
});
