// The signed heads of receipts and audit trail, at a well-known address (RFC 8615). Signs at most once a minute.

import { publishHeads } from "../../actions/proof/heads.ts";
import { AppError } from "../../domain/error.ts";
import { coalesce } from "../coalesce.ts";
import {
  representText,
  representationAnswer,
  type Representation,
} from "../reply/representation.ts";
import type { PublicRoute } from "./public-route.ts";

const signedEveryMs = 60_000;
const headers = { "cache-control": "public, max-age=60" };

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
  makeHandler: ({ app }) => {
    let last: { readonly at: number; readonly representation: Representation } | undefined;
    const find = coalesce(async () => {
      const at = app.now();
      if (last !== undefined && at >= last.at && at - last.at < signedEveryMs) {
        return last.representation;
      }
      const heads = await publishHeads(app);
      if (heads === undefined) throw new AppError("unavailable");
      const text = JSON.stringify(heads);
      last = { at, representation: await representText("application/json", text, headers) };
      return last.representation;
    });
    return async ({ request }) => representationAnswer(request, await find());
  },
};
