// What anybody can read at a well-known address (RFC 8615) to verify files offline: the public keys of receipts.

import type { App } from "../../actions/app.ts";
import { publishReceiptKeys } from "../../actions/receipt/receipt-keys.ts";
import { coalesce } from "../coalesce.ts";
import type { JsonSchema } from "../openapi/document.ts";
import { receiptKeyIdExample } from "../openapi/receipt-schema.ts";
import {
  representText,
  representationAnswer,
  type Representation,
} from "../reply/representation.ts";
import type { PublicRoute } from "./public-route.ts";

/** Short, because receipts are signed with a new key soon after a rotation. */
const headers = { "cache-control": "public, max-age=60" };

/** Answers with what `makeRead` returns a function for. */
export function answering(
  makeRead: (app: App) => () => Promise<string>,
): PublicRoute["makeHandler"] {
  return ({ app }) => {
    const read = makeRead(app);
    let last: { readonly text: string; readonly representation: Representation } | undefined;
    const find = coalesce(async () => {
      const text = await read();
      if (last?.text !== text) {
        last = { text, representation: await representText("application/json", text, headers) };
      }
      return last.representation;
    });
    return async (request) => representationAnswer(request, await find());
  };
}

const keySchema: JsonSchema = {
  type: "object",
  required: ["kty", "crv", "alg", "use", "kid", "x", "created_at"],
  properties: {
    kty: { type: "string", enum: ["OKP"] },
    crv: { type: "string", enum: ["Ed25519"] },
    alg: { type: "string", enum: ["EdDSA"] },
    use: { type: "string", enum: ["sig"] },
    kid: { type: "string", description: "The key's thumbprint (RFC 7638)." },
    x: { type: "string", description: "The public key, base64url." },
    created_at: { type: "string", format: "date-time" },
    retired_at: { type: "string", format: "date-time" },
  },
};

export const receiptKeysRoute: PublicRoute = {
  path: "/.well-known/sluice-receipts.json",
  limited: true,
  document: {
    operationId: "readReceiptKeys",
    summary: "Read the public keys of receipts",
    description:
      "A JWK set (RFC 7517, RFC 8037) with every key with which receipts of deletions are or were signed. Keep a copy: " +
      "with it, receipts are verified offline.",
    answers: "The keys, oldest first.",
    contentType: "application/json",
    cached: true,
    schema: {
      type: "object",
      required: ["store_id", "keys"],
      properties: {
        store_id: { type: "string", description: "Identifies the store of the receipts." },
        keys: { type: "array", items: keySchema },
      },
    },
    example: {
      store_id: "store_5d41402abc4b2a76b9719d91",
      keys: [
        {
          kty: "OKP",
          crv: "Ed25519",
          alg: "EdDSA",
          use: "sig",
          kid: receiptKeyIdExample,
          x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
          created_at: "2026-03-01T09:00:00.000Z",
        },
      ],
    },
  },
  makeHandler: answering((app) => async () => JSON.stringify(await publishReceiptKeys(app))),
};
