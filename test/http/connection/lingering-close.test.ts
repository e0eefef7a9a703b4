// A client that is refused while it still sends gets its reply, and is not waited for without end.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { describe, it, mock } from "node:test";
import { limits } from "../../../src/domain/limits.ts";
import { LingeringClose } from "../../../src/http/connection/lingering-close.ts";
import { startServer } from "../../support/server.ts";
import { waitFor } from "../../support/wait-for.ts";

describe("a large body that is refused unread", () => {
  it("does not cost the client the reply", async () => {
    const server = await startServer();
    try {
      for (let round = 0; round < 20; round += 1) {
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

describe("a lingering connection", () => {
  it("closes its writing side at once, and the rest after a time limit", async () => {
    const listener = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
    await once(listener, "listening");
    const { port } = listener.address() as { port: number };
    const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const [served] = (await once(listener, "connection")) as [Socket];
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      client.resume();
      client.on("error", () => undefined);
      const ended = once(client, "end");
      new LingeringClose().watch(served);
      served.destroySoon();
      await ended;
      assert.equal(served.destroyed, false);
      mock.timers.tick(limits.lingerMs);
      assert.equal(served.destroyed, true);
    } finally {
      mock.timers.reset();
      client.destroy();
      listener.close();
    }
  });

  it("is closed when the client has sent too much after the reply", async () => {
    const listener = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
    await once(listener, "listening");
    const { port } = listener.address() as { port: number };
    const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const [served] = (await once(listener, "connection")) as [Socket];
    client.on("error", () => undefined).resume();
    // So that it is not the time limit that closes it.
    mock.timers.enable({ apis: ["setTimeout"] });
    new LingeringClose().watch(served);
    served.destroySoon();
    const part = Buffer.alloc(1_024 * 1_024);
    let sent = 0;
    while (!served.destroyed && sent < limits.lingerBytesMax * 4) {
      await new Promise((done) => client.write(part, done));
      sent += part.length;
    }
    mock.timers.reset();
    assert.ok(sent > limits.lingerBytesMax && sent < limits.lingerBytesMax * 4, `${sent} bytes`);
    client.destroy();
    listener.close();
  });

  it("is read no faster than all connections together may be", async () => {
    const listener = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
    await once(listener, "listening");
    const { port } = listener.address() as { port: number };
    const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const [served] = (await once(listener, "connection")) as [Socket];
    client.on("error", () => undefined).resume();
    mock.timers.enable({ apis: ["setInterval"] });
    try {
      new LingeringClose().watch(served);
      served.destroySoon();
      client.write(Buffer.alloc(4 * 1_024 * 1_024));
      await waitFor("the connection to be paused", async () => served.isPaused() || undefined);
      const bytesAtOnceMax = 1_024 * 1_024;
      assert.ok(served.bytesRead < bytesAtOnceMax, `${served.bytesRead} bytes were read at once`);
      const before = served.bytesRead;
      await waitFor("more to be read with time", async () => {
        mock.timers.tick(10);
        return served.bytesRead > before + bytesAtOnceMax || undefined;
      });
    } finally {
      mock.timers.reset();
      client.destroy();
      served.destroy();
      listener.close();
    }
  });

  it("does not use more memory with more of them", async () => {
    const listener = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
    await once(listener, "listening");
    const { port } = listener.address() as { port: number };
    const closing = new LingeringClose();
    const served: Socket[] = [];
    listener.on("connection", (socket) => {
      closing.watch(socket);
      socket.on("error", () => undefined).destroySoon();
      served.push(socket);
    });
    mock.timers.enable({ apis: ["setInterval"] });
    const clients = Array.from({ length: 400 }, () => {
      const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      client.on("error", () => undefined).resume();
      client.write(Buffer.alloc(256 * 1_024));
      return client;
    });
    try {
      await waitFor("the oldest to be closed", async () => {
        const open = served.filter(({ destroyed }) => !destroyed);
        const paused = open.filter((socket) => socket.isPaused());
        assert.ok(paused.length <= 257, `${paused.length} are paused`);
        return (served.length === 400 && open.length < 300) || undefined;
      });
    } finally {
      mock.timers.reset();
      for (const socket of [...clients, ...served]) socket.destroy();
      listener.close();
    }
  });
});
