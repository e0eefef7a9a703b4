// The error responses that several operations share; an error of one operation only is in the file of its verb.

import { type ErrorKind, errorRow, type FieldError, statusOf } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { type JsonSchema, schemaRef } from "./document.ts";
import type { HeaderPart } from "./parts.ts";

export interface ErrorResponse {
  readonly name: string;
  readonly status: number;
  readonly description: string;
  readonly errors: readonly [ErrorKind, ...ErrorKind[]];
  readonly headers?: readonly HeaderPart[];
  /** True if it is answered before the caller is known, so that the reply has no rate limit. */
  readonly early?: true;
  readonly fields?: readonly FieldError[];
}

export function errorResponse(
  name: string,
  options: Omit<ErrorResponse, "name" | "status">,
): ErrorResponse {
  return { name, status: statusOf(errorRow(options.errors[0])), ...options };
}

const badRequest = errorResponse("BadRequest", {
  description: "The request is not valid; `errors` names the invalid fields.",
  errors: ["validation_failed", "malformed_json", "malformed_http"],
  fields: [{ field: "timestamp", message: "is required" }],
});
const badQuery = errorResponse("BadQuery", {
  description: "The query is not valid; `errors` names the invalid parameter.",
  errors: ["validation_failed", "malformed_http"],
  fields: [{ field: "tx_id", message: "is required as a query parameter: ?tx_id=…" }],
});
export const malformedRequest = errorResponse("MalformedRequest", {
  description: "The request is not valid HTTP. The connection is closed.",
  errors: ["malformed_http"],
  early: true,
});
export const unauthorized = errorResponse("Unauthorized", {
  description: "Unauthorized request: the credential is missing or not valid.",
  errors: [
    "credential_missing",
    "credential_invalid",
    "credential_expired",
    "credential_revoked",
    "credential_wrong_kind",
  ],
  headers: ["Authenticate"],
});
const insufficientScope = errorResponse("InsufficientScope", {
  description: "The access token lacks the scope.",
  errors: ["insufficient_scope"],
  headers: ["Authenticate"],
});
export const recordNotFound = errorResponse("RecordNotFound", {
  description: "Not found: this organization has no such record.",
  errors: ["no_such_record"],
});
export const offsetGone = errorResponse("OffsetGone", {
  description: "The offset no longer exists, because the store was replaced by an older one.",
  errors: ["offset_gone"],
});
const requestTimeout = errorResponse("RequestTimeout", {
  description: `The request did not arrive within ${limits.bodyTimeoutMs / 1_000} seconds. The connection is closed.`,
  errors: ["request_timeout"],
  early: true,
});
export const deletionOpen = errorResponse("DeletionOpen", {
  description: "A deletion of a record is open, or the first request is in flight.",
  errors: ["deletion_open", "idempotency_in_flight"],
  headers: ["RetryAfter"],
});
export const requestInFlight = errorResponse("RequestInFlight", {
  description: "A request with the same Idempotency-Key is still in flight.",
  errors: ["idempotency_in_flight"],
  headers: ["RetryAfter"],
});
export const tooLarge = errorResponse("TooLarge", {
  description:
    `The request is too large: at most ${limits.bodyBytesMax / 1_048_576} MiB, also when decoded, ` +
    `${limits.recordBytesMax / 1_024} KiB for one record, and ${limits.batchItemsMax} items in a list. ` +
    "Streams have no limit.",
  errors: ["too_large"],
});
export const contentType = errorResponse("ContentType", {
  description: "The Content-Type, its charset or the Content-Encoding is not supported.",
  errors: ["content_type"],
});
export const idempotencyKeyReused = errorResponse("IdempotencyKeyReused", {
  description: "The Idempotency-Key was already used for another request.",
  errors: ["idempotency_reused"],
});
export const changeErrors = [tooLarge, contentType, idempotencyKeyReused];
export const rateLimitExceeded = errorResponse("RateLimited", {
  description: "Rate limit exceeded.",
  errors: ["rate_limited"],
  headers: ["RetryAfter"],
});
export const headersTooLarge = errorResponse("HeadersTooLarge", {
  description: `The headers are larger than ${limits.headerBytesMax / 1_024} KiB, or more than ${limits.headersMax}. The connection is closed.`,
  errors: ["headers_too_large"],
  early: true,
});
export const internalError = errorResponse("InternalError", {
  description: "Server error. Its details are only in the log, under the request id.",
  errors: ["internal"],
});
export const unavailable = errorResponse("Unavailable", {
  description: "The service is not ready or is shutting down; try again.",
  errors: ["unavailable"],
  headers: ["RetryAfter"],
});

const usualErrors: readonly ErrorResponse[] = [
  unauthorized,
  insufficientScope,
  rateLimitExceeded,
  headersTooLarge,
  internalError,
  unavailable,
];

/** Returns one response for each status; a response that the operation itself states replaces the usual one. */
export function errorsOf(operation: {
  readonly body: string;
  readonly errors: readonly ErrorResponse[];
}): readonly ErrorResponse[] {
  const ofBody = operation.body === "none" ? [badQuery] : [badRequest, requestTimeout];
  const all = [...usualErrors, ...ofBody, ...operation.errors];
  return [...new Map(all.map((response) => [response.status, response])).values()];
}

export const codeSchema: JsonSchema = {
  type: "integer",
  format: "int32",
  description: "Error code: the HTTP status times 100 plus a number. Stable, unlike the message.",
};

export const fieldErrorsSchema: JsonSchema = {
  type: "array",
  description: "Detail about errors in specific fields.",
  items: schemaRef("ErrorItem"),
};
