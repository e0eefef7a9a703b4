// Sends raw bytes on a separate socket, ends its side, and returns the replies that arrived.

import { connect } from "node:net";
import { type RawReplies, readAllReplies } from "./raw-replies.ts";

/** Rejects if the server leaves the connection open for `timeoutMs`. */
export function exchangeRaw(port: number, bytes: Buffer, timeoutMs = 60_000): Promise<RawReplies> {
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
    socket.on("close", () => resolve(readAllReplies(Buffer.concat(chunks))));
    socket.end(bytes);
  });
}
