// Answers what Node could not read as a request, and requests that take too long: by hand, on the socket, which is closed
// after it. Never writes into a reply that is under way.

import type { ServerResponse } from "node:http";
import { Socket } from "node:net";
import { AppError, type ErrorName } from "../domain/error.ts";
import { errorBody, statusOf } from "./error-response.ts";
import { newRequestId } from "./request-id.ts";

/** What Node could not read; it holds the method where the request begins in it. */
type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: unknown };

/** For Node's event `clientError`. */
export function answerClientError(error: ClientError, socket: unknown): void {
  if (!(socket instanceof Socket)) return;
  const { rawPacket } = error;
  const isHead = Buffer.isBuffer(rawPacket) && rawPacket.toString("latin1", 0, 5) === "HEAD ";
  if (error.code === "ECONNRESET" || hasReplyUnderWay(socket)) socket.destroy();
  else answerOnSocket(socket, { error: new AppError(errorName(error.code)), isHead });
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
  socket.end(
    `HTTP/1.1 ${statusOf(error)} Error\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${requestId}\r\n` +
      `connection: close\r\n\r\n${isHead ? "" : body}`,
  );
}

function errorName(code: string | undefined): ErrorName {
  if (code === "HPE_HEADER_OVERFLOW") return "headers_too_large";
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? "request_timeout" : "malformed_http";
}

/** Node keeps the reply of a socket here; its own way of answering looks there too. */
function hasReplyUnderWay(socket: Socket): boolean {
  const { _httpMessage: reply } = socket as { readonly _httpMessage?: ServerResponse };
  return reply?.headersSent === true;
}
