// Connections that send nothing cost little, and thousands of them can end at the same moment without delaying others.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { makeHttpServer } from "../../../src/http/connection/http-server.ts";
import { makeEdge } from "../../../src/http/connection/shared-bounds.ts";
import { makeLog } from "../../../src/log.ts";
import { waitFor } from "../../support/wait-for.ts";

const live = "GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n";

async function listen(test: TestContext) {
  const edge = makeEdge({ trustProxy: false });
  const server = makeHttpServer((_request, response) => response.end("{}"), {
    edge,
    log: makeLog("silent"),
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  test.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const open = (): Socket => {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    test.after(() => socket.destroy());
    return socket;
  };
  return { edge, server, open };
}

/** Connections that nobody is at the other end of. */
function openMany(count: number) {
  const edge = makeEdge({ trustProxy: false });
  const server = makeHttpServer(() => undefined, { edge, log: makeLog("silent") });
  const sockets = Array.from({ length: count }, () => {
    const socket = new Socket();
    Object.defineProperty(socket, "remoteAddress", { value: "192.0.2.1" });
    server.emit("connection", socket);
    return socket;
  });
  return { edge, sockets };
}

describe("a connection that sends nothing", () => {
  it("is no stream of ours, and has no parser, until it sends something", async (test) => {
    const { edge, open } = await listen(test);
    const sockets = Array.from({ length: 20 }, open);
    const withParser = () => Array.from(edge.connections).filter((one) => "parser" in one);
    await waitFor("all connections", () => edge.connections.count === sockets.length);
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
    const { edge, open } = await listen(test);
    const sockets = Array.from({ length: 20 }, open);
    await waitFor("all connections", () => edge.connections.count === sockets.length);
    for (const socket of sockets) socket.end();
    await waitFor("no connection", () => edge.connections.count === 0);
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
  it("end a few in a turn when their clients leave", async () => {
    const { edge, sockets } = openMany(20);
    // Until each has had its turn to be read.
    await waitFor("all to be read", async () => {
      await nextTurn();
      return sockets.every((socket) => socket.listenerCount("data") > 0);
    });
    for (const socket of sockets) socket.emit("end");
    for (const count of [8, 16, 20]) {
      assert.equal(sockets.filter(({ destroyed }) => destroyed).length, count);
      await nextTurn();
    }
    edge.connections.closeAll();
  });
});
