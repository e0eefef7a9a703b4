// Large replies that all connections share: sent in pieces, in turns, whole to who reads them, and at nobody's expense
// to who does not.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { after, describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { hash } from "node:crypto";
import { perTurnMax } from "../../../src/http/connection/connection-turns.ts";
import { LargeReplies, pieceBytes } from "../../../src/http/connection/large-replies.ts";
import { waitFor } from "../../support/wait-for.ts";

const body = Buffer.alloc(40 * pieceBytes + 1, "0123456789abcdef!");
const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

describe("large replies", async () => {
  const replies = new LargeReplies();
  let sockets: readonly { readonly bytesWritten: number }[] = [];
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-length": body.length });
    replies.send(response, body);
  });
  server.on("connection", (socket) => (sockets = [...sockets, socket]));
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const { port } = server.address() as AddressInfo;
  after(() => server.close());

  it("arrive whole", async () => {
    const reply = await fetch(`http://127.0.0.1:${port}/`);
    const received = Buffer.from(await reply.arrayBuffer());
    assert.equal(hash("sha256", received), hash("sha256", body));
  });

  it("are written a few pieces at a time, however many are unread", async () => {
    sockets = [];
    const unread = Array.from({ length: 100 }, () => connect(port, "127.0.0.1").pause());
    for (const socket of unread) socket.write(request);
    const written = (): number => sockets.reduce((sum, one) => sum + one.bytesWritten, 0);
    let [last, most] = [0, 0];
    await waitFor(
      "some of each",
      async () => {
        for (let turn = 0; turn < 100; turn += 1) {
          await nextTurn();
          const now = written();
          most = Math.max(most, now - last);
          last = now;
        }
        return last >= 100 * pieceBytes;
      },
      { intervalMs: 1 },
    );
    // Two of its turns may lie between two of these; each reply also has a head.
    const bytesMax = 2 * perTurnMax * pieceBytes + 100 * 200;
    assert.ok(most <= bytesMax, `${most} bytes at once`);
    for (const socket of unread) socket.destroy();
  });
});
