// What anybody can read at well-known addresses (RFC 8615) to verify files offline: the public keys of receipts, and
// the signed heads of receipts and audit trail, which are signed at most once a minute.

import type { App } from "../../actions/app.ts";
import { publishHeads } from "../../actions/proof/heads.ts";
import { publishReceiptKeys } from "../../actions/receipt/receipt-keys.ts";
import { AppError } from "../../domain/error.ts";
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
function answering(makeRead: (app: App) => () => Promise<string>): PublicRoute["makeHandler"] {
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
      "`sluice receipt verify FILE --keys COPY` verifies receipts offline.",
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

const signedEveryMs = 60_000;

export const headsRoute: PublicRoute = {
  path: "/.well-known/sluice-heads.json",
  limited: true,
  document: {
    operationId: "readHeads",
    summary: "Read the signed heads of receipts and of the audit trail",
    description:
      "A signed note (https://c2sp.org/signed-note) with a time, and for the last receipt and the last entry of the audit trail " +
      "at that time a hash, which says nothing without the receipt or the entry. Keep a copy: `sluice receipt verify " +
      "FILE --head COPY` and `sluice audit verify FILE --head COPY` find out whether the end of a file is missing. The key is " +
      "one of `/.well-known/sluice-receipts.json`.",
    answers: "The heads, signed within the last minute.",
    contentType: "application/json",
    cached: true,
    schema: {
      type: "object",
      required: ["store_id", "note"],
      properties: {
        store_id: { type: "string", description: "Identifies the store." },
        note: { type: "string", description: "The signed note." },
      },
    },
    example: {
      store_id: "store_5d41402abc4b2a76b9719d91",
      note:
        "sluice-heads/store_5d41402abc4b2a76b9719d91\n2026-03-01T09:00:00.000Z\n" +
        "receipts LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=\naudit n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=\n\n" +
        "— sluice-heads/store_5d41402abc4b2a76b9719d91 " +
        "NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=\n",
    },
  },
  makeHandler: answering((app) => {
    let last: { readonly at: number; readonly text: string } | undefined;
    return async () => {
      const at = app.now();
      if (last !== undefined && at >= last.at && at - last.at < signedEveryMs) return last.text;
      const heads = await publishHeads(app);
      if (heads === undefined) throw new AppError("unavailable");
      last = { at, text: JSON.stringify(heads) };
      return last.text;
    };
  }),
};
