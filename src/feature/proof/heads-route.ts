// What anybody can read at a well-known address (RFC 8615) to find the missing end of a file: the signed heads of
// receipts and audit trail, which are signed at most once a minute.

import { AppError } from "../../domain/error.ts";
import type { PublicRoute } from "../../http/public/public-route.ts";
import { answering } from "../../http/public/well-known.ts";
import { publishHeads } from "./heads.ts";

const signedEveryMs = 60_000;

const headsRoute: PublicRoute = {
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

export const publicRoutes = [headsRoute];
