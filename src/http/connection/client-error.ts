// Replies to bytes that Node could not parse as a request, and to requests that take too long. Writes the reply
// directly to the socket and closes it. Never writes into a reply that has already been started.

import { type IncomingMessage, STATUS_CODES, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { AppError, type ErrorName, statusOf } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { errorBody } from "../reply/error-response.ts";
import { newRequestId } from "../request/request-id.ts";
import { stopReading } from "./pause-reading.ts";

/** The packet that Node could not parse, which may begin with other requests, and how many of its bytes were parsed. */
type ClientError = NodeJS.ErrnoException & {
  readonly rawPacket?: unknown;
  readonly bytesParsed?: number;
};

interface SocketReply {
  readonly error: AppError;
  readonly requestId?: string;
  readonly isHead?: boolean;
}

/**
 * Sockets whose error has a reply already, or will have one. Anything that still arrives on them is a further error.
 */
const failed = new WeakSet<Socket>();

/** Destroys the socket after a connection reset; replies to any other error. */
export function answerClientError(error: ClientError, socket: Socket): void {
  if (error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  if (failed.has(socket)) return;
  fail(socket, { error: new AppError(errorName(error.code)), isHead: failedHead(error, socket) });
}

/** The beginning of an incomplete head from an earlier packet: as much as may be HEAD, or empty. */
const openHeads = new WeakMap<Socket, string>();

/** `packet` ends within a head that began in it; undefined if the head is complete. */
export function noteOpenHead(socket: Socket, packet: Buffer | undefined): void {
  if (packet === undefined) openHeads.delete(socket);
  else openHeads.set(socket, methodIn(lastHead(packet)));
}

/** Whether the invalid request is a HEAD, whose reply must not have a body. */
function failedHead({ rawPacket, bytesParsed }: ClientError, socket: Socket): boolean {
  const begun = openHeads.get(socket);
  if (begun === "") return false;
  const packet = Buffer.isBuffer(rawPacket) ? rawPacket : Buffer.alloc(0);
  // Includes the invalid byte: a method that only begins similarly ends with it.
  const text = lastHead(packet.subarray(0, (bytesParsed ?? packet.length) + 1));
  return methodIn(`${begun ?? ""}${text}`) !== "";
}

/** The text of the last request in the packet, which may follow others. */
function lastHead(packet: Buffer): string {
  const before = packet.lastIndexOf(endOfHead);
  return packet.toString("latin1", before === -1 ? 0 : before + endOfHead.length);
}

/** `HEAD `, or the beginning of it at the end of the text; empty for any other method. */
function methodIn(text: string): string {
  return (headRequest.exec(text)?.[0] ?? "").trimStart().slice(0, "HEAD ".length);
}

const endOfHead = "\r\n\r\n";
/** The request may also follow the body of another, whose end is unknown. No other method begins with an H. */
const headRequest = /^[\r\n]*(?:HEAD |H(?:E(?:AD?)?)?$)|HEAD [^ \r\n]*(?:$| HTTP\/)/;

/**
 * Answers Node's event `connect`, because this server is not a proxy. Node hands over the connection with this event,
 * without its listeners and timeouts. If the request has a body, `stream` differs from the socket.
 */
export function answerConnect({ socket }: IncomingMessage, stream: Duplex): void {
  stream.on("error", () => undefined);
  socket.setTimeout(limits.idleSocketTimeoutMs, () => socket.destroy());
  fail(socket, {
    error: new AppError("malformed_http", {
      message: "CONNECT is not supported; this server is not a proxy.",
    }),
  });
}

/**
 * An upgrade request is handled as if it did not ask for one (RFC 9110, section 7.8). What follows it is probably in
 * another protocol, so the connection ends with its reply. The parser does not report a truncated body. A client that
 * prefers HTTP/2 asks for it on every new connection, so its connection stays open (`watchPackets`).
 */
export function answerUpgrade(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  if (request.headers.upgrade?.trim().toLowerCase() !== "h2c") response.shouldKeepAlive = false;
  const onEnd = (): void => {
    if (!request.complete) fail(socket, { error: new AppError("malformed_http") });
  };
  if (socket.readableEnded) onEnd();
  socket.once("end", onEnd);
  request.once("close", () => socket.off("end", onEnd));
}

function fail(socket: Socket, answer: SocketReply): void {
  failed.add(socket);
  answerInOrder(socket, answer);
}

/**
 * Complete requests before the invalid one receive their replies first: their reply is the next one on the connection,
 * and they may have been executed already.
 */
function answerInOrder(socket: Socket, answer: SocketReply): void {
  const reply = nextReplyOn(socket);
  if (reply?.req.complete === true && !reply.destroyed) {
    stopReading(socket, "reply");
    reply.once("close", () => setImmediate(answerInOrder, socket, answer));
  } else if (reply?.headersSent === true) socket.destroy();
  else if (reply === undefined) answerOnSocket(socket, answer);
  else answerOnSocket(socket, { ...answer, isHead: reply.req.method === "HEAD" });
}

/** A reply to HEAD has no body (RFC 9110, section 9.3.2). */
export function answerOnSocket(
  socket: Socket | null,
  { error, requestId = newRequestId(), isHead = false }: SocketReply,
): void {
  if (socket === null || !socket.writable) return;
  const body = JSON.stringify(errorBody(error));
  const status = statusOf(error);
  // A reply that has no length ends with its connection, so this one is complete for every method.
  const length = isHead ? "" : `content-length: ${Buffer.byteLength(body)}\r\n`;
  socket.write(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}\r\n` +
      `date: ${new Date().toUTCString()}\r\ncontent-type: application/json\r\n` +
      `${length}x-content-type-options: nosniff\r\nx-request-id: ${requestId}\r\n` +
      `connection: close\r\n\r\n${isHead ? "" : body}`,
  );
  socket.destroySoon();
}

function errorName(code: string | undefined): ErrorName {
  if (code === "HPE_HEADER_OVERFLOW") return "headers_too_large";
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? "request_timeout" : "malformed_http";
}

/** Node stores the next reply of a socket in this field, and its own handling of client errors reads it too. */
export function nextReplyOn(socket: Socket): ServerResponse | undefined {
  const { _httpMessage: reply } = socket as { readonly _httpMessage?: ServerResponse | null };
  return reply ?? undefined;
}
