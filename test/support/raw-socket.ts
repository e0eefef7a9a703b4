// Sends raw bytes and returns what arrived until the server closed: for what no HTTP client would
// send.

import { connect, type Socket } from "node:net";
import { makeReply, type Reply } from "./http-client.ts";

export interface RawConnection {
  readonly socket: Socket;
  /** Everything that has arrived so far. */
  readonly received: () => string;
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
  return { socket, received: () => text, closed };
}

/** Sends the bytes, waits until the server closes, and returns what it sent. */
export function exchangeRaw(address: string, bytes: string | Uint8Array): Promise<string> {
  const { socket, closed } = openRaw(address);
  socket.write(bytes);
  return closed;
}

/** Reads one reply with a length. Throws if the text is not one. */
export function parseReply(text: string): Reply {
  const end = text.indexOf("\r\n\r\n");
  const [start = "", ...lines] = text.slice(0, end).split("\r\n");
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(start)?.[1];
  if (end === -1 || status === undefined) throw new Error(`not a reply: ${text.slice(0, 200)}`);
  const fields = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const headers = Object.fromEntries(fields);
  const body = Buffer.from(text.slice(end + 4), "latin1");
  if (Number(headers["content-length"]) !== body.length) {
    throw new Error(`a reply of another length than it says: ${text.slice(0, 400)}`);
  }
  return makeReply(Number(status), headers, body);
}
