// Replies to bytes that Node could not parse as a request, and to requests that take too long. Writes the reply
// directly to the socket and closes it. Never writes into a reply that has already been started.

import type { IncomingMessage } from "node:http";
import { http } from "../../basics/node-http.ts";
import { AppError, statusOf } from "../../domain/error.ts";
import { errorBody } from "../reply/error-response.ts";
import { newRequestId, requestIdOf } from "../request/request-id.ts";

interface Answered {
  readonly writable: boolean;
  write(text: string): unknown;
  destroySoon(): void;
}

export function answerOnSocket(
  connection: Answered,
  {
    error,
    request,
    isHead,
  }: { error: AppError; request: IncomingMessage | undefined; isHead: boolean },
): void {
  if (!connection.writable) return;
  const body = JSON.stringify(errorBody(error));
  const status = statusOf(error);
  const requestId = request === undefined ? newRequestId() : requestIdOf(request);
  // A reply that has no length ends with its connection, so this one is complete for every method.
  const length = isHead ? "" : `content-length: ${Buffer.byteLength(body)}\r\n`;
  connection.write(
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? "Error"}\r\n` +
      `date: ${new Date().toUTCString()}\r\ncontent-type: application/json\r\n` +
      `${length}x-content-type-options: nosniff\r\nx-request-id: ${requestId}\r\n` +
      `connection: close\r\n\r\n${isHead ? "" : body}`,
  );
  connection.destroySoon();
}

export function errorOf(code: string | undefined): AppError {
  if (code === "HPE_HEADER_OVERFLOW") return new AppError("headers_too_large");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new AppError("request_timeout");
  if (code !== "HPE_INVALID_EOF_STATE") return new AppError("malformed_http");
  return new AppError("malformed_http", { message: "The request ended before it was complete." });
}
