// Connections that send nothing cost little, and thousands of them can end at the same moment without delaying others.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { LingeringClose } from "../../../src/http/connection/lingering-close.ts";
import type { BoundsOptions } from "../../../src/http/connection/shared-bounds.ts";
import { SharedTurns } from "../../../src/http/connection/shared-turns.ts";
import { openRaw } from "../../support/raw-socket.ts";
import { startService } from "../../support/service.ts";
import { waitFor } from "../../support/wait-for.ts";
import { makeBareServer } from "./bare-server.ts";

const live = "GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n";

async function listen(test: TestContext, bounds: BoundsOptions = {}) {
  const { server, sharedBounds, ...bare } = makeBareServer((_, reply) => reply.end("{}"), bounds);
  const port = await bare.listen();
  test.after(() => server.close());
  const open = (): Socket => {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    test.after(() => socket.destroy());
    return socket;
  };
  return { sharedBounds, server, open };
}

/** Connections that nobody is at the other end of. Each has had its turn to be read. */
async function openMany(count: number) {
  const { server, sharedBounds } = makeBareServer(() => undefined);
  const sockets = Array.from({ length: count }, () => {
    const socket = new Socket();
    Object.defineProperty(socket, "remoteAddress", { value: "192.0.2.1" });
    server.emit("connection", socket);
    return socket;
  });
  await waitFor("all to be read", async () => {
    await nextTurn();
    return sockets.every(isRead);
  });
  return { sharedBounds, sockets };
}

const isRead = (socket: Socket): boolean => socket.listenerCount("data") > 0;

describe("a connection that sends nothing", () => {
  it("is no stream of ours, and has no parser, until it sends something", async (test) => {
    const { sharedBounds, open } = await listen(test);
    const sockets = Array.from({ length: 20 }, open);
    const withParser = () => Array.from(sharedBounds.connections).filter((one) => "parser" in one);
    await waitFor("all connections", () => sharedBounds.connections.count === sockets.length);
    sockets[0]?.write(live);
    await once(sockets[0] ?? open(), "data");
    assert.equal(withParser().length, 1);
    for (const socket of sockets.slice(1)) {
      socket.write(live);
      await once(socket, "data");
    }
    assert.equal(withParser().length, sockets.length);
  });

  it("is closed when its client leaves", async (test) => {
    const { sharedBounds, open } = await listen(test);
    const sockets = Array.from({ length: 20 }, open);
    await waitFor("all connections", () => sharedBounds.connections.count === sockets.length);
    for (const socket of sockets) socket.end();
    await waitFor("no connection", () => sharedBounds.connections.count === 0);
  });

  it("is closed when the service stops, once there was time to read what it has sent", async () => {
    const { sharedBounds, sockets } = await openMany(3);
    const [silent, other, unread] = sockets;
    other?.emit("data", Buffer.from("GET"));
    unread?.pause();
    const closed = () => {
      sharedBounds.connections.closeSilent();
      return [silent, other, unread].map((socket) => socket?.destroyed);
    };
    assert.deepEqual(closed(), [false, false, false]);
    assert.deepEqual(closed(), [true, false, false]);
    unread?.resume();
    assert.deepEqual(closed(), [true, false, false]);
    assert.deepEqual(closed(), [true, false, true]);
    sharedBounds.connections.closeAll();
  });

  it("is answered if it sends a request before the service stops, however late that is read", async () => {
    const service = await startService();
    const { socket, closed } = openRaw(service.address);
    await waitFor("the connection", () => service.sharedBounds.connections.count === 1);
    // Timers come next.
    await nextTurn();
    socket.write(live);
    const stopped = service.stop();
    // The system has received the request. The event loop is late.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    await stopped;
    assert.match(await closed, /^HTTP\/1\.1 200 /);
  });

  it("is told that it has taken too long", async (test) => {
    const { server, open } = await listen(test);
    const accepted = once(server, "connection");
    const socket = open();
    const [served] = (await accepted) as [Socket];
    served.emit("timeout");
    const [reply] = (await once(socket, "data")) as [Buffer];
    assert.match(reply.toString(), /^HTTP\/1\.1 408 .*"code":40801/s);
  });
});

describe("many connections at the same moment", () => {
  for (const [what, sent] of [
    ["that have sent nothing", undefined],
    ["without a request in progress", Buffer.from("\r\n")],
  ] as const) {
    it(`end a few in a turn when their clients leave: ${what}`, async () => {
      const { sharedBounds, sockets } = await openMany(20);
      for (const socket of sent === undefined ? [] : sockets) socket.emit("data", sent);
      for (let turn = 0; turn < 3; turn += 1) await nextTurn();
      for (const socket of sockets) socket.emit("end");
      for (const count of [8, 16, 20]) {
        assert.equal(sockets.filter(({ destroyed }) => destroyed).length, count);
        await nextTurn();
      }
      sharedBounds.connections.closeAll();
    });
  }

  for (const [what, sent] of [
    ["that have sent nothing", undefined],
    ["that have sent a part of a request", Buffer.from("GE")],
  ] as const) {
    it(`end when they are silent for too long, but not one that sends more meanwhile: ${what}`, async () => {
      const { sharedBounds, sockets } = await openMany(20);
      for (const socket of sent === undefined ? [] : sockets) socket.emit("data", sent);
      await nextTurn();
      for (const socket of sockets) socket.emit("timeout");
      const last = sockets.at(-1);
      Object.defineProperty(last, "bytesRead", { value: 1 });
      last?.emit("data", Buffer.from("T"));
      for (let turn = 0; turn < 3; turn += 1) await nextTurn();
      assert.deepEqual(
        sockets.filter(({ destroyed }) => !destroyed),
        [last],
      );
      sharedBounds.connections.closeAll();
    });
  }

  it("get no parser once they are closed for what they have sent", async (test) => {
    const { sharedBounds, server, open } = await listen(test, { unparsedBytesMax: 100 });
    const served: Socket[] = [];
    server.on("connection", (socket: Socket) => served.push(socket));
    const count = Array.from({ length: 40 }, open).length;
    await waitFor("all to be read", () => served.length === count && served.every(isRead));
    for (const socket of served) socket.emit("data", Buffer.from(live));
    const closed = Array.from(sharedBounds.connections).filter(({ destroyed }) => destroyed);
    assert.ok(closed.length > 16, `${closed.length} are closed`);
    // In the first turn the system has not yet told that their sockets are closed.
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    assert.ok(!closed.some((one) => "parser" in one));
  });

  it("are closed for what waits, however many have sent a byte", () => {
    const count = 10_000;
    const turns = new SharedTurns(count, new LingeringClose());
    const connection = () => ({
      noted: { bytes: 0, place: undefined },
      destroy() {
        turns.note(this, 0);
      },
    });
    for (let no = 0; no < count; no += 1) turns.note(connection(), 1);
    turns.note(connection(), count);
    assert.deepEqual([turns.refused, turns.waiting, turns.bytes], [count, 1, count]);
  });
});
