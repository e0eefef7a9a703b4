// Sends raw bytes on a separate socket, ends its side, and returns the replies that arrived.

import { connect } from "node:net";
import { makeReply, type Reply } from "../support/http-client.ts";

export interface RawReplies {
  readonly replies: readonly Reply[];
  /** Received bytes that are not a reply, if any. */
  readonly rest: Buffer;
}

/** Rejects if the server leaves the connection open for `timeoutMs`. */
export function exchangeRaw(port: number, bytes: Buffer, timeoutMs = 10_000): Promise<RawReplies> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, "127.0.0.1");
    socket.setTimeout(timeoutMs, () => {
      socket.destroy();
      reject(new Error(`the connection was still open after ${timeoutMs} ms`));
    });
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    // A server may reset a connection that sends such bytes.
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(readReplies(Buffer.concat(chunks))));
    socket.end(bytes);
  });
}

/**
 * Replies with a Content-Length or without a body; this service sends no others to raw messages.
 */
export function readReplies(bytes: Buffer): RawReplies {
  const replies: Reply[] = [];
  let rest = bytes;
  for (;;) {
    const head = rest.indexOf("\r\n\r\n");
    const status = Number(
      /^HTTP\/1\.1 (\d{3}) /.exec(rest.subarray(0, 16).toString("latin1"))?.[1],
    );
    if (head === -1 || Number.isNaN(status)) return { replies, rest };
    const headers = readHeaders(rest.subarray(0, head).toString("latin1"));
    const from = head + 4;
    const to = from + Number(headers["content-length"] ?? 0);
    // 1xx replies are not final (RFC 9110, section 15.2).
    if (status >= 200) replies.push(makeReply(status, headers, rest.subarray(from, to)));
    rest = rest.subarray(to);
  }
}

function readHeaders(head: string): Record<string, string> {
  const lines = head.split("\r\n").slice(1);
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}
