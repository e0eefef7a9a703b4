// One keep-alive connection of the load generator: sends a prepared request, and reads the status and length of the
// reply. Parses no more of HTTP than that, so it costs far less than the server. Never has two requests in flight.

import { connect } from "node:net";

export interface Connection {
  send(request: string): void;
  close(): void;
}

export interface ConnectionEvents {
  readonly onReply: (status: number) => void;
  /** Called for anything that is not one complete reply to one request. */
  readonly onFailure: (why: string) => void;
}

const endOfHead = "\r\n\r\n";
const contentLength = /\r\ncontent-length: *(\d+)/i;

/** Resolves when the connection is open; errors after that go to `onFailure`. */
export function openConnection(port: number, events: ConnectionEvents): Promise<Connection> {
  const { promise, resolve, reject } = Promise.withResolvers<Connection>();
  let unread = "";
  let closing = false;
  const socket = connect({
    host: "127.0.0.1",
    port,
    noDelay: true,
    onread: {
      buffer: Buffer.allocUnsafe(16 * 1_024),
      callback: (bytes, buffer) => {
        receive(Buffer.from(buffer.buffer, buffer.byteOffset, bytes).toString("latin1"));
        return true;
      },
    },
  });

  function receive(text: string): void {
    unread = unread === "" ? text : unread + text;
    const reply = readReply(unread);
    if (reply === "incomplete") return;
    if (typeof reply === "string") return events.onFailure(reply);
    unread = "";
    events.onReply(reply.status);
  }

  socket.once("error", (error) => {
    reject(error);
    if (!closing) events.onFailure(`socket error: ${error.message}`);
  });
  socket.once("close", () => {
    if (!closing) events.onFailure("the server closed a connection");
  });
  socket.once("connect", () => {
    resolve({
      send: (request) => void socket.write(request, "latin1"),
      close: () => {
        closing = true;
        socket.destroy();
      },
    });
  });
  return promise;
}

/** The status of a complete reply, "incomplete", or what is wrong with it. */
export function readReply(text: string): { readonly status: number } | string {
  const headEnd = text.indexOf(endOfHead);
  if (headEnd === -1) return "incomplete";
  const length = contentLength.exec(text)?.[1];
  if (length === undefined) return `a reply without Content-Length: ${text.slice(0, headEnd)}`;
  const wanted = headEnd + endOfHead.length + Number(length);
  if (text.length < wanted) return "incomplete";
  if (text.length > wanted) return "more bytes than one reply";
  const status = Number(text.slice(9, 12));
  if (status >= 200 && status <= 299) return { status };
  return `status ${status}: ${text.slice(headEnd + endOfHead.length)}`;
}
