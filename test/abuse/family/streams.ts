// Streams: invalid lines, valid ones, blank ones, lines without an end, replies that nobody reads,
// clients that disconnect.

import { gzipSync } from "node:zlib";
import type { Abuse, AbuseContext, Title } from "../abuse.ts";
import { checkOfMany, linesOf, makeIds, transaction } from "../records.ts";
import { holdConnections, requestBytes, sendAndReset } from "../sending.ts";

const headOf = ({ target }: AbuseContext, path: string, encoding?: string): Buffer =>
  requestBytes("POST", path, {
    token: target.token,
    headers: {
      "content-type": "application/x-ndjson",
      "transfer-encoding": "chunked",
      ...(encoding === undefined ? {} : { "content-encoding": encoding }),
    },
  });

export function chunkOf(bytes: Uint8Array): Buffer {
  return Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from("\r\n"),
  ]);
}

interface StreamFlood {
  readonly path?: string;
  readonly encoding?: "gzip";
  readonly reads?: boolean;
}

/** 50 streams that continue as long as allowed; `nextLines` returns what each sends next. */
function streamFlood(
  [name, what]: Title,
  { path = "/v2/transactions/batch", encoding, reads = true }: StreamFlood,
  makeLines: (context: AbuseContext) => () => string,
): Abuse {
  return {
    name,
    what,
    prepare: (context) => {
      const nextLines = makeLines(context);
      const head = headOf(context, path, encoding);
      // A gzip of several members is one body, so each chunk can be compressed separately.
      const next = () => {
        const bytes = Buffer.from(nextLines());
        return chunkOf(encoding === undefined ? bytes : gzipSync(bytes));
      };
      const first = next();
      return {
        run: () =>
          holdConnections(context, { connections: context.amount(50, 12) }, async (socket) => {
            if (!reads) socket.socket.pause();
            await socket.writeWhole(Buffer.concat([head, first]));
            while (context.mayGoOn() && socket.isOpen && socket.replies === 0) {
              await socket.writeWhole(next());
              await context.pause(1);
            }
            // Rejected, or ended by the server: another one replaces it in the next run.
            while (context.mayGoOn() && socket.isOpen) await context.pause(20);
            socket.close();
          }),
      };
    },
  };
}

const invalid = linesOf(1_000, (index) => `{"tx_id":${index},"timestanp":1}`);

const resets: Abuse = {
  name: "stream-resets",
  what: "streams whose clients disconnect in the middle",
  prepare: (context) => {
    const head = headOf(context, "/v2/transactions/batch");
    const nextId = makeIds("reset");
    const { random } = context;
    return {
      run: () =>
        sendAndReset(context, { connections: context.amount(50, 10) }, () => {
          const id = nextId();
          const lines = linesOf(500, (index) =>
            random.chance(0.5) ? transaction(`${id}-${index}`) : "{}",
          );
          const bytes = Buffer.concat([head, chunkOf(Buffer.from(lines))]);
          const end = random.chance(0.5) ? bytes.length : random.integer(1, bytes.length);
          return { bytes: bytes.subarray(0, end), afterMs: random.integer(0, 50) };
        }),
    };
  },
};

const manyAtOnce: Abuse = {
  name: "gzip-stream-and-leave",
  what: "65 KB of gzip that decode to 13 MB of invalid lines, and the client leaves",
  prepare: (context) => {
    const body = gzipSync(Buffer.from("1\n".repeat(context.amount(6_500_000, 500_000))));
    const head = headOf(context, "/v2/transactions/batch", "gzip");
    const bytes = Buffer.concat([head, chunkOf(body)]);
    return {
      run: () =>
        sendAndReset(context, { connections: context.amount(50, 8) }, () => ({
          bytes,
          afterMs: 100,
        })),
    };
  },
};

export const streams: readonly Abuse[] = [
  streamFlood(["invalid-lines", "50 streams of invalid lines"], {}, () => () => invalid),
  streamFlood(
    ["invalid-lines-gzip", "50 gzipped streams of invalid lines"],
    { encoding: "gzip" },
    () => () => invalid,
  ),
  streamFlood(["valid-lines", "50 streams of valid records"], {}, () => {
    const nextId = makeIds("line");
    return () => linesOf(500, () => transaction(nextId()));
  }),
  streamFlood(
    ["stream-of-related", "50 streams of checks, each related to 1,000 transactions"],
    { path: "/v2/transaction_check" },
    () => {
      const nextId = makeIds("rel");
      return () => linesOf(10, () => checkOfMany(nextId()));
    },
  ),
  streamFlood(
    ["unread-stream-replies", "50 streams of invalid lines whose replies nobody reads"],
    { reads: false },
    () => () => invalid,
  ),
  streamFlood(
    ["blank-lines", "50 streams of blank lines, gzipped"],
    { encoding: "gzip" },
    () => () => "\n".repeat(1_000_000),
  ),
  streamFlood(
    ["endless-line", "50 streams of one line, gzipped"],
    { encoding: "gzip" },
    () => () => "x".repeat(1_000_000),
  ),
  resets,
  manyAtOnce,
];
