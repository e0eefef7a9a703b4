// Chunked bodies of as many chunks as possible, with and without a credential.

import type { Abuse, AbuseContext, Title } from "../abuse.ts";
import { flooding, holdConnections, requestBytes } from "../sending.ts";

interface Chunked {
  readonly connections: number;
  /** What one request sends at most; undefined for a body without an end. */
  readonly bytesMax?: number;
  readonly chunk?: string;
}

const piecesBytes = 256 * 1_024;

/** The same chunk again and again, as fast as the server accepts it, on new connections once one is closed. */
function chunked(
  [name, what]: Title,
  { connections, bytesMax = Infinity, chunk = "1\r\n1\r\n" }: Chunked,
  headOf: (context: AbuseContext) => Buffer,
): Abuse {
  return {
    name,
    what,
    prepare: (context) => {
      const piece = Buffer.from(chunk.repeat(Math.ceil(piecesBytes / chunk.length)));
      const head = headOf(context);
      const once = async (): Promise<void> => {
        const options = { connections: context.amount(connections, Math.min(connections, 8)) };
        await holdConnections(context, { ...options, addresses: 4 }, async (socket) => {
          socket.write(head);
          for (let sent = 0; sent < bytesMax && context.mayGoOn() && socket.isOpen;) {
            await socket.writeWhole(piece);
            sent += piece.length;
          }
          socket.close();
        });
      };
      return {
        run: async () => {
          do {
            await once();
            await context.pause(5);
          } while (context.mayGoOn());
        },
      };
    },
  };
}

const coding = { "transfer-encoding": "chunked" };
const form = { ...coding, "content-type": "application/x-www-form-urlencoded", origin: "http://x" };

const live = (): Buffer => requestBytes("GET", "/health/live", { headers: coding });
const link = (): Buffer => requestBytes("POST", "/console/link", { headers: form });

export const chunks: readonly Abuse[] = [
  chunked(
    ["chunks-live", "8 connections with one-byte chunks to /health/live"],
    { connections: 8 },
    live,
  ),
  chunked(
    ["chunks-link", "24 forms of 5 MB in one-byte chunks to POST /console/link"],
    { connections: 24, bytesMax: 5_000_000 },
    link,
  ),
  chunked(
    ["chunk-extensions", "24 forms in one-byte chunks with extensions"],
    { connections: 24, chunk: '1;a="b"\r\n1\r\n' },
    link,
  ),
  chunked(
    ["chunks-stream", "16 streams in one-byte chunks"],
    { connections: 16, chunk: "1\r\n1\r\n1\r\n\n\r\n" },
    ({ target }) =>
      requestBytes("POST", "/v2/transactions/batch", {
        token: target.token,
        headers: { ...coding, "content-type": "application/x-ndjson" },
      }),
  ),
  chunked(["chunks-upgrade", "24 upgrade requests with one-byte chunks"], { connections: 24 }, () =>
    requestBytes("POST", "/console/link", {
      headers: { ...form, connection: "upgrade", upgrade: "h2c" },
    }),
  ),
  flooding(
    ["chunks-complete", "64 connections with complete forms of 2,000 one-byte chunks"],
    { connections: [64, 8], addresses: 4 },
    () => {
      const body = Buffer.from(`${"1\r\n1\r\n".repeat(2_000)}0\r\nx-trailer: 1\r\n\r\n`);
      const request = Buffer.concat([link(), body]);
      return () => request;
    },
  ),
];
