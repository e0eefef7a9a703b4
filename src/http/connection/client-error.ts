// Answers what Node could not read as a request, and requests that take too long: by hand, on the socket, which is closed
// after it. Never writes into a reply that is under way.

import { type IncomingMessage, STATUS_CODES, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { AppError, type ErrorName, statusOf } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { errorBody } from "../reply/error-response.ts";
import { newRequestId } from "../request/request-id.ts";
import { stopReading } from "./reading.ts";

/** What Node could not read, and how far it got in it; other requests may stand before the one at fault. */
type ClientError = NodeJS.ErrnoException & {
  readonly rawPacket?: unknown;
  readonly bytesParsed?: number;
};

interface SocketAnswer {
  readonly error: AppError;
  readonly requestId?: string;
  readonly isHead?: boolean;
}

/** Sockets whose error is answered already, or will be: what still comes on them is an error again. */
const failed = new WeakSet<Socket>();

/** Whether the connection broke or what came on it could not be read. */
export function answerClientError(error: ClientError, socket: Socket): void {
  if (error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  if (failed.has(socket)) return;
  fail(socket, { error: new AppError(errorName(error.code)), isHead: asksForHead(error) });
}

/**
 * Whether the request at fault is a HEAD whose method came with it. It may follow others in its packet, and the body of the
 * last one, whose end nobody tells.
 */
function asksForHead({ rawPacket, bytesParsed }: ClientError): boolean {
  if (!Buffer.isBuffer(rawPacket)) return false;
  const parsed = rawPacket.subarray(0, bytesParsed ?? rawPacket.length);
  const before = parsed.lastIndexOf(endOfHead);
  const from = before === -1 ? 0 : before + endOfHead.length;
  return headRequest.test(parsed.toString("latin1", from));
}

const endOfHead = "\r\n\r\n";
const headRequest = /^HEAD |HEAD [^ \r\n]*(?:$| HTTP\/)/;

/**
 * For Node's event `connect`: this server is no proxy. Node gives the connection away with this event, together with its
 * listeners and timeouts; `stream` is another than the socket where the request has a body.
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
 * A request that asks for an upgrade is answered as if it didn't (RFC 9110, section 7.8). But Node's parser drops what
 * follows it in the same packet, so the connection ends with its reply; and it doesn't tell when the body breaks off.
 * A client that would like HTTP/2 asks with every new connection, and may keep it.
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

function fail(socket: Socket, answer: SocketAnswer): void {
  failed.add(socket);
  answerInTurn(socket, answer);
}

/**
 * Requests that came whole before the one at fault are answered first: theirs is the next reply on the connection, and
 * what they asked for may be done already.
 */
function answerInTurn(socket: Socket, answer: SocketAnswer): void {
  const reply = nextReplyOn(socket);
  if (reply?.req.complete === true && !reply.destroyed) {
    stopReading(socket);
    reply.once("close", () => setImmediate(answerInTurn, socket, answer));
  } else if (reply?.headersSent === true) socket.destroy();
  else if (reply === undefined) answerOnSocket(socket, answer);
  else answerOnSocket(socket, { ...answer, isHead: reply.req.method === "HEAD" });
}

/** A reply to HEAD has no body (RFC 9110, section 9.3.2). */
export function answerOnSocket(
  socket: Socket | null,
  { error, requestId = newRequestId(), isHead = false }: SocketAnswer,
): void {
  if (socket === null || !socket.writable) return;
  const body = JSON.stringify(errorBody(error));
  const status = statusOf(error);
  socket.write(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}\r\n` +
      `date: ${new Date().toUTCString()}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-content-type-options: nosniff\r\n` +
      `x-request-id: ${requestId}\r\nconnection: close\r\n\r\n${isHead ? "" : body}`,
  );
  socket.destroySoon();
}

function errorName(code: string | undefined): ErrorName {
  if (code === "HPE_HEADER_OVERFLOW") return "headers_too_large";
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? "request_timeout" : "malformed_http";
}

/** Node keeps the reply that is next on a socket here; its own way of answering looks there too. */
export function nextReplyOn(socket: Socket): ServerResponse | undefined {
  const { _httpMessage: reply } = socket as { readonly _httpMessage?: ServerResponse | null };
  return reply ?? undefined;
}
