// The error responses, one component for each status and set of codes, and which of them an operation may answer.

import { type ErrorName, errorCatalogue, type FieldError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import type { Operation } from "../operation.ts";
import {
  type Examples,
  type MediaType,
  type Reference,
  type ResponseObject,
  schemaRef,
} from "./document.ts";
import { errorExample } from "./examples.ts";
import { type HeaderPart, headersOf, usualHeaders } from "./parts.ts";

interface ErrorResponse {
  readonly description: string;
  readonly errors: readonly [ErrorName, ...ErrorName[]];
  /** Beyond the usual ones. */
  readonly headers?: readonly HeaderPart[];
  /** Answered before anybody has looked who asks, so that no rate limit is told of. */
  readonly early?: true;
  /** What field errors the examples have. */
  readonly fields?: readonly FieldError[];
}

const credentialErrors = [
  "credential_missing",
  "credential_invalid",
  "credential_expired",
  "credential_revoked",
  "credential_wrong_kind",
] as const;

const responses = {
  BadRequest: {
    description: "The request is not valid; `errors` names the fields at fault.",
    errors: ["validation_failed", "malformed_json", "malformed_http"],
    fields: [{ field: "timestamp", message: "is required" }],
  },
  BadTokenRequest: {
    description: "The request is not valid, or asks for a scope that does not exist.",
    errors: ["validation_failed", "malformed_json", "unknown_scope", "malformed_http"],
    fields: [{ field: "expiry_seconds", message: "must be a whole number from 300 to 86400" }],
  },
  BadQuery: {
    description: "The query is not valid; `errors` names the parameter at fault.",
    errors: ["validation_failed", "malformed_http"],
    fields: [{ field: "tx_id", message: "is required as a query parameter: ?tx_id=…" }],
  },
  MalformedRequest: {
    description: "The request is no valid HTTP. The connection is closed.",
    errors: ["malformed_http"],
    early: true,
  },
  Unauthorized: {
    description: "Unauthorized request: the credential is missing or not valid.",
    errors: credentialErrors,
    headers: ["Authenticate"],
  },
  InsufficientScope: {
    description: "The access token lacks the scope.",
    errors: ["insufficient_scope"],
    headers: ["Authenticate"],
  },
  NotGranted: {
    description: "The API key was not granted the scope, or belongs to another organization.",
    errors: ["insufficient_scope", "other_organization"],
  },
  RecordNotFound: {
    description: "Not found: there is no such record, or none of this organization.",
    errors: ["no_such_record"],
  },
  DeletionNotFound: {
    description: "Not found: there is no such deletion request, or none of this organization.",
    errors: ["no_such_deletion"],
  },
  RequestTimeout: {
    description: `The request did not arrive within ${limits.bodyTimeoutMs / 1_000} seconds. The connection is closed.`,
    errors: ["request_timeout"],
    early: true,
  },
  RecordConflict: {
    description:
      "The record exists already, a deletion of it is open, or the first request is in flight.",
    errors: ["identical_record_exists", "record_exists", "deletion_open", "idempotency_in_flight"],
    headers: ["RetryAfter"],
  },
  DeletionOpen: {
    description: "A deletion of a record is open, or the first request is in flight.",
    errors: ["deletion_open", "idempotency_in_flight"],
    headers: ["RetryAfter"],
  },
  RequestInFlight: {
    description: "A request with the same Idempotency-Key is still in flight.",
    errors: ["idempotency_in_flight"],
    headers: ["RetryAfter"],
  },
  TooLarge: {
    description:
      `The request is too large: at most ${limits.bodyBytesMax / 1_048_576} MiB, also when decoded, ` +
      `${limits.recordBytesMax / 1_024} KiB for one record, and ${limits.batchItemsMax} items in a list. ` +
      "Streams have no limit.",
    errors: ["too_large"],
  },
  ContentType: {
    description: "The Content-Type, its charset or the Content-Encoding is not supported.",
    errors: ["content_type"],
  },
  IdempotencyKeyReused: {
    description: "The Idempotency-Key was used for another request already.",
    errors: ["idempotency_reused"],
  },
  RateLimited: {
    description: "Rate limit exceeded.",
    errors: ["rate_limited"],
    headers: ["RetryAfter"],
  },
  HeadersTooLarge: {
    description: `The headers have more than ${limits.headerBytesMax / 1_024} KiB. The connection is closed.`,
    errors: ["headers_too_large"],
    early: true,
  },
  InternalError: {
    description: "Server error. Nothing of it is shown; the request id finds it in the log.",
    errors: ["internal"],
  },
  Unavailable: {
    description: "The service is not ready or is shutting down; try again.",
    errors: ["unavailable"],
    headers: ["RetryAfter"],
  },
} as const satisfies Record<string, ErrorResponse>;

export type ErrorPart = keyof typeof responses;

/** Statuses that every operation of the API may answer; 431 comes before any of them is chosen. */
const usualStatuses = [400, 401, 403, 429, 431, 500, 503];

export function errorComponents(): Record<string, ResponseObject> {
  return Object.fromEntries(
    Object.entries(responses).map(([name, response]) => [name, errorResponse(response)]),
  );
}

/** References by status; for a HEAD the same without content, since replies to it have none. */
export function errorResponsesOf(
  operation: Operation,
  { bodiless = false }: { bodiless?: boolean } = {},
): Record<string, ResponseObject | Reference> {
  const slow = operation.body === "none" ? [] : [408];
  const statuses = [...usualStatuses, ...slow, ...operation.errors];
  return Object.fromEntries(
    statuses.map((status) => {
      const part = partFor(operation, status);
      return [String(status), bodiless ? withoutContent(responses[part]) : errorRef(part)];
    }),
  );
}

export function errorRef(part: ErrorPart): Reference {
  return { $ref: `#/components/responses/${part}` };
}

function partFor({ verb, body }: Operation, status: number): ErrorPart {
  switch (status) {
    case 400:
      if (verb === "issue token") return "BadTokenRequest";
      return body === "none" ? "BadQuery" : "BadRequest";
    case 403:
      return verb === "issue token" ? "NotGranted" : "InsufficientScope";
    case 404:
      return verb === "read deletion" ? "DeletionNotFound" : "RecordNotFound";
    case 409:
      if (verb === "add records") return "RecordConflict";
      return verb.startsWith("request deletion") ? "RequestInFlight" : "DeletionOpen";
    default:
      return soleParts(status);
  }
}

/** For a status that only one component has. */
function soleParts(status: number): ErrorPart {
  const names = Object.keys(responses) as ErrorPart[];
  const fitting = names.filter((name) => statusOf(responses[name]) === status);
  const [only] = fitting;
  if (only === undefined || fitting.length > 1) {
    throw new Error(`the document does not know what ${status} means`);
  }
  return only;
}

function statusOf({ errors: [first] }: ErrorResponse): number {
  return Math.floor(errorCatalogue[first].code / 100);
}

function errorResponse(response: ErrorResponse): ResponseObject {
  const { errors, fields = [] } = response;
  const examples = (problem: boolean): Examples =>
    Object.fromEntries(
      errors.map((name) => {
        const details = name === "validation_failed" ? fields : [];
        return [name, errorExample(name, { errors: details, problem })];
      }),
    );
  const content: Record<string, MediaType> = {
    "application/json": { schema: schemaRef("Error"), examples: examples(false) },
    "application/problem+json": { schema: schemaRef("Problem"), examples: examples(true) },
  };
  return { ...withoutContent(response), content };
}

function withoutContent({ description, headers = [], early }: ErrorResponse): ResponseObject {
  const usual = early === true ? (["RequestId"] as const) : usualHeaders;
  return { description, headers: headersOf(...usual, ...headers) };
}
