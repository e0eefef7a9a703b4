// Publishes the public keys that receipts are signed with, at a well-known address (RFC 8615). Asks for no credential, and
// has nothing to say but public keys. Requests that come at the same time share one question to the store.

import type { FastifyInstance } from "fastify";
import { publishReceiptKeys } from "../../actions/receipt-keys.ts";
import { coalesce } from "../coalesce.ts";
import type { HttpContext } from "../http-context.ts";
import {
  encode,
  makeRepresentation,
  type Representation,
  sendRepresentation,
} from "../reply/representation.ts";
import { sendError } from "../reply/send-error.ts";

export const receiptKeysPath = "/.well-known/sluice-receipts.json";

/** A key may be rotated, and receipts signed with the new one are verified soon after. */
const headers = { "cache-control": "public, max-age=60" };
const json = "application/json";

export function registerReceiptKeys(server: FastifyInstance, context: HttpContext): void {
  const find = makeFind(context);
  server.get(receiptKeysPath, async (request, reply) => {
    try {
      sendRepresentation(context.replies, { request, reply }, await find());
    } catch (error) {
      sendError(context, request, { reply, error });
    }
    return reply;
  });
}

/** The keys as they are in the store now; compressed again only when they have changed. */
function makeFind({ app }: HttpContext): () => Promise<Representation> {
  let last: { readonly text: string; readonly representation: Representation } | undefined;
  return coalesce(async () => {
    const text = JSON.stringify(await publishReceiptKeys(app));
    if (last?.text !== text) {
      const encoded = await encode(Buffer.from(text));
      last = { text, representation: makeRepresentation(json, encoded, headers) };
    }
    return last.representation;
  });
}
