// Replies that their clients don't read are limited over all connections.

import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, describe, it } from "node:test";
import { listPathOf, startScene, typeNamed } from "../../contract/scene.ts";
import { openPaused } from "../../support/raw-socket.ts";
import { waitFor } from "../../support/wait-for.ts";

const bytesMax = 12 * 1_024 * 1_024;
const scene = await startScene({ bounds: { queuedReplyBytesMax: bytesMax } });
const customer = await scene.makeCustomer();
after(() => scene.stop());

/**
 * A list of which each item is rejected with long errors: the reply is longer than what the system
 * buffers.
 */
const type = typeNamed("company");
const items = Array.from({ length: 10_000 }, () => ({
  company_id: "i".repeat(255),
  ["n".repeat(100)]: 1,
  ["o".repeat(100)]: 1,
  ["p".repeat(100)]: 1,
}));
const body = JSON.stringify(items);

async function sendUnread(): Promise<Socket> {
  const { socket } = await openPaused(scene.client.address);
  socket.write(
    `POST ${listPathOf(type)} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${customer.token}\r\n` +
      "Content-Type: application/json\r\nPrefer: handling=lenient\r\n" +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

describe("replies that nobody reads", () => {
  it("are retained up to a bound, beyond which the newest is dropped with its connection", async () => {
    const { replies } = scene.service.sharedBounds;
    const clients: Socket[] = [];
    for (let count = 0; count < 6 && replies.refused === 0; count += 1) {
      const before = replies.bytes;
      clients.push(await sendUnread());
      await waitFor(
        "the reply to wait, or to be given up",
        () => replies.bytes > before || replies.refused > 0,
      );
      assert.ok(replies.bytes <= bytesMax, `${replies.bytes} bytes`);
    }
    assert.equal(replies.refused, 1);
    assert.ok(clients.length > 1, "not even one reply had room");
    const { text } = await scene.client.send({ method: "GET", path: "/metrics" });
    assert.match(text, /^sluice_reply_queue_bytes [1-9]\d{6,}$/m);
    assert.match(text, /^sluice_connections_closed_total\{reason="unread"\} 1$/m);
    const [first] = clients;
    assert.ok(first !== undefined && !first.closed);
    const before = replies.bytes;
    first.resume();
    await waitFor("the first to be read", () => replies.bytes < before);
    for (const socket of clients) socket.destroy();
    await waitFor("nothing to be kept", () => replies.bytes === 0);
  });
});
