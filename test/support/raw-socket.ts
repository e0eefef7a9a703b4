// Sends raw bytes and returns what arrived until the server closed: for what no HTTP client would
// send.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Reply } from "./http-client.ts";
import { readAllReplies } from "./raw-replies.ts";

export interface RawConnection {
  readonly socket: Socket;
  /** Everything that has arrived so far. */
  readonly received: () => string;
  /** The complete replies so far. */
  readonly replies: () => readonly Reply[];
  /** Resolves when the server has closed the connection, with everything that arrived. */
  readonly closed: Promise<string>;
}

const silenceMs = 60_000;

export function openRaw(address: string): RawConnection {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  socket.on("error", () => undefined);
  // Only to avoid waiting for a server that does not answer.
  socket.setTimeout(silenceMs, () => socket.destroy());
  const closed = new Promise<string>((resolve) => socket.on("close", () => resolve(text)));
  const replies = () => readAllReplies(Buffer.from(text, "latin1")).replies;
  return { socket, received: () => text, replies, closed };
}

/** Is connected, and reads nothing before it is told to. */
export async function openPaused(address: string): Promise<RawConnection> {
  const connection = openRaw(address);
  await once(connection.socket.pause(), "connect");
  return connection;
}

/** Sends the bytes, waits until the server closes, and returns what it sent. */
export function exchangeRaw(address: string, bytes: string | Uint8Array): Promise<string> {
  const { socket, closed } = openRaw(address);
  socket.write(bytes);
  return closed;
}
