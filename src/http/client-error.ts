// Answers what Node could not read as a request, and requests that take too long: by hand, on the socket, which is closed
// after it. Never writes into a reply that is under way.

import { STATUS_CODES, type ServerResponse } from "node:http";
import { Socket } from "node:net";
import { AppError, type ErrorName } from "../domain/error.ts";
import { errorBody, statusOf } from "./error-response.ts";
import { newRequestId } from "./request-id.ts";

/** What Node could not read; it holds the method where the request begins in it. */
type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: unknown };

/** Sockets whose error is told already, or will be: what still comes on them is an error again. */
const failed = new WeakSet<Socket>();

/** For Node's event `clientError`. */
export function answerClientError(error: ClientError, socket: unknown): void {
  if (!(socket instanceof Socket)) return;
  if (error.code === "ECONNRESET") socket.destroy();
  if (failed.has(socket)) return;
  failed.add(socket);
  const { rawPacket } = error;
  const isHead = Buffer.isBuffer(rawPacket) && rawPacket.toString("latin1", 0, 5) === "HEAD ";
  answerInTurn(socket, { error: new AppError(errorName(error.code)), isHead });
}

/** Nothing here is a proxy. Node would close the connection without a word. */
export function answerConnect(socket: unknown): void {
  const error = new AppError("malformed_http", { message: "CONNECT is not taken here." });
  if (socket instanceof Socket) answerOnSocket(socket, { error });
}

/**
 * Requests that came whole before the one at fault are answered first: theirs is the next reply on the connection, and
 * what they asked for may be done already.
 */
function answerInTurn(socket: Socket, answer: { error: AppError; isHead: boolean }): void {
  const reply = replyDueOn(socket);
  if (reply?.req.complete === true && !reply.destroyed) {
    reply.once("close", () => setImmediate(answerInTurn, socket, answer));
  } else if (reply?.headersSent === true) socket.destroy();
  else answerOnSocket(socket, answer);
}

/** A reply to HEAD has no body (RFC 9110, section 9.3.2). */
export function answerOnSocket(
  socket: Socket | null,
  {
    error,
    requestId = newRequestId(),
    isHead = false,
  }: { error: AppError; requestId?: string; isHead?: boolean },
): void {
  if (socket === null || !socket.writable) return;
  const body = JSON.stringify(errorBody(error));
  const status = statusOf(error);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}\r\n` +
      `date: ${new Date().toUTCString()}\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${requestId}\r\n` +
      `connection: close\r\n\r\n${isHead ? "" : body}`,
  );
}

function errorName(code: string | undefined): ErrorName {
  if (code === "HPE_HEADER_OVERFLOW") return "headers_too_large";
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? "request_timeout" : "malformed_http";
}

/** Node keeps the reply that is next on a socket here; its own way of answering looks there too. */
function replyDueOn(socket: Socket): ServerResponse | undefined {
  const { _httpMessage: reply } = socket as { readonly _httpMessage?: ServerResponse | null };
  return reply ?? undefined;
}
