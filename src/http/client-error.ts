// Answers what Node could not read as a request, and requests that take too long: by hand, on the socket, which is closed
// after it. Never writes into a reply that is under way.

import type { ServerResponse } from "node:http";
import { Socket } from "node:net";
import { AppError, type ErrorName } from "../domain/error.ts";
import { errorBody, statusOf } from "./error-response.ts";
import { newRequestId } from "./request-id.ts";

/** For Node's event `clientError`. */
export function answerClientError(error: NodeJS.ErrnoException, socket: unknown): void {
  if (!(socket instanceof Socket)) return;
  if (error.code === "ECONNRESET" || hasReplyUnderWay(socket)) socket.destroy();
  else answerOnSocket(socket, { error: new AppError(errorName(error.code)) });
}

export function answerOnSocket(
  socket: Socket | null,
  { error, requestId = newRequestId() }: { error: AppError; requestId?: string },
): void {
  if (socket === null || !socket.writable) return;
  const body = JSON.stringify(errorBody(error));
  socket.end(
    `HTTP/1.1 ${statusOf(error)} Error\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${requestId}\r\n` +
      `connection: close\r\n\r\n${body}`,
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
