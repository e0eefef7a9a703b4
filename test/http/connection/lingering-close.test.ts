// A client that is refused while it still sends gets its reply, and is not waited for without end.

import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { limits } from "../../../src/domain/limits.ts";
import { LingeringClose } from "../../../src/http/connection/lingering-close.ts";
import { startServer } from "../../support/server.ts";
import { waitFor } from "../../support/wait-for.ts";

describe("a large body that is refused unread", () => {
  it("does not cost the client the reply", async () => {
    const server = await startServer();
    try {
      for (let round = 0; round < 5; round += 1) {
        const body = Buffer.alloc(5_000_000, "x");
        const ask = { method: "POST", path: "/v2/person", token: "unknown", body };
        const { status, headers } = await server.client.send(ask);
        assert.ok(status === 401 || status === 429, `${status}`);
        assert.equal(headers["connection"], "close");
      }
    } finally {
      await server.stop();
    }
  });
});

interface Lingering {
  readonly client: Socket;
  /** Its end at the server, which lingers. */
  readonly served: Socket;
  readonly listener: Server;
  readonly port: number;
}

async function listen(test: TestContext): Promise<Pick<Lingering, "listener" | "port">> {
  const listener = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
  test.after(() => void listener.close());
  await once(listener, "listening");
  return { listener, port: (listener.address() as AddressInfo).port };
}

function open(test: TestContext, port: number): Socket {
  const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  test.after(() => client.destroy());
  return client.on("error", () => undefined).resume();
}

/** The time of this timer does not pass, unless the test says so. */
async function linger(
  test: TestContext,
  timer: "setTimeout" | "setInterval",
): Promise<Pick<Lingering, "client" | "served">> {
  const { listener, port } = await listen(test);
  const client = open(test, port);
  const [served] = (await once(listener, "connection")) as [Socket];
  test.after(() => served.destroy());
  test.mock.timers.enable({ apis: [timer] });
  return { client, served };
}

/** Each connection that is opened lingers at once. */
async function lingerAll(test: TestContext): Promise<{ served: readonly Socket[]; port: number }> {
  const { listener, port } = await listen(test);
  const closing = new LingeringClose();
  const served: Socket[] = [];
  listener.on("connection", (socket) => {
    closing.close(socket.on("error", () => undefined).end());
    served.push(socket);
  });
  test.after(() => {
    for (const socket of served) socket.destroy();
  });
  return { served, port };
}

describe("a lingering connection", () => {
  it("closes its writing side at once, and the rest after a time limit", async (test) => {
    const { client, served } = await linger(test, "setTimeout");
    const ended = once(client, "end");
    new LingeringClose().close(served.end());
    await ended;
    assert.equal(served.destroyed, false);
    test.mock.timers.tick(limits.lingerMs);
    assert.equal(served.destroyed, true);
  });

  it("is closed when the client has sent too much after the reply", async (test) => {
    const { client, served } = await linger(test, "setTimeout");
    new LingeringClose().close(served.end());
    const part = Buffer.alloc(1_024 * 1_024);
    let sent = 0;
    while (!served.destroyed && sent < limits.lingerBytesMax * 4) {
      await new Promise((done) => client.write(part, done));
      sent += part.length;
    }
    assert.ok(sent > limits.lingerBytesMax && sent < limits.lingerBytesMax * 4, `${sent} bytes`);
  });

  it("is read no faster than all connections together may be", async (test) => {
    const { client, served } = await linger(test, "setInterval");
    new LingeringClose().close(served.end());
    client.write(Buffer.alloc(4 * 1_024 * 1_024));
    await waitFor("the connection to be paused", async () => served.isPaused());
    const bytesAtOnceMax = 1_024 * 1_024;
    assert.ok(served.bytesRead < bytesAtOnceMax, `${served.bytesRead} bytes were read at once`);
    const before = served.bytesRead;
    await waitFor("more to be read with time", async () => {
      test.mock.timers.tick(10);
      return served.bytesRead > before + bytesAtOnceMax;
    });
  });

  it("does not use more memory with more of them", async (test) => {
    const { served, port } = await lingerAll(test);
    test.mock.timers.enable({ apis: ["setInterval"] });
    for (let count = 0; count < 400; count += 1) open(test, port).write(Buffer.alloc(256 * 1_024));
    await waitFor("the oldest to be closed", async () => {
      const lingering = served.filter(({ destroyed }) => !destroyed);
      const paused = lingering.filter((socket) => socket.isPaused());
      assert.ok(paused.length <= 257, `${paused.length} are paused`);
      return served.length === 400 && lingering.length < 300;
    });
  });

  it("does not use more memory if many of them send at the same moment", async (test) => {
    const { served, port } = await lingerAll(test);
    for (let count = 0; count < 400; count += 1) open(test, port);
    await waitFor("all connections", async () => served.length === 400);
    test.mock.timers.enable({ apis: ["setInterval"] });
    for (const socket of served) socket.emit("data", Buffer.alloc(64 * 1_024));
    const paused = served.filter((socket) => !socket.destroyed && socket.isPaused());
    assert.ok(paused.length <= 256, `${paused.length} are paused`);
  });
});
