// A client that is refused while it still sends gets its reply, and is not waited for without end.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { describe, it, mock } from "node:test";
import { limits } from "../../../src/domain/limits.ts";
import { lingerOnClose } from "../../../src/http/connection/lingering-close.ts";
import { startServer } from "../../support/server.ts";

describe("a large body that is rejected unread", () => {
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
      lingerOnClose(served);
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
    const closed = once(served, "close");
    client.on("error", () => undefined).resume();
    lingerOnClose(served);
    served.destroySoon();
    const part = Buffer.alloc(1_024 * 1_024);
    let sent = 0;
    while (!served.destroyed && sent < limits.lingerBytesMax * 4) {
      await new Promise((done) => client.write(part, done));
      sent += part.length;
    }
    await closed;
    assert.ok(sent > limits.lingerBytesMax && sent < limits.lingerBytesMax * 4, `${sent} bytes`);
    client.destroy();
    listener.close();
  });
});
