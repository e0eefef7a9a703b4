// Publishes the public keys that receipts are signed with, at a well-known address (RFC 8615). Asks for no credential, and
// has nothing to say but public keys.

import type { FastifyInstance } from "fastify";
import { publishReceiptKeys } from "../actions/receipt-keys.ts";
import type { Door } from "./door.ts";
import { ok } from "./handlers/handler.ts";
import { sendError } from "./send-error.ts";

export const receiptKeysPath = "/.well-known/sluice-receipts.json";

/** A key may be rotated, and receipts signed with the new one are verified soon after. */
const headers = { "cache-control": "public, max-age=60", "x-content-type-options": "nosniff" };

export function registerReceiptKeys(server: FastifyInstance, door: Door): void {
  server.get(receiptKeysPath, async (request, reply) => {
    try {
      const published = await publishReceiptKeys(door.app);
      door.replies.send(request, reply, { ...ok(200, published), headers });
    } catch (error) {
      sendError(door, request, { reply, error });
    }
    return reply;
  });
}
