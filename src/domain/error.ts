// The catalogue of the errors that a caller can get, their class, and their form between threads. A code is the HTTP
// status times 100 plus a number; codes are stable and documented in docs/reference/errors.md.

import type { FeatureName, Named } from "../basics/name-rows.ts";
import { sluice } from "../basics/program-name.ts";

/** Detail about one field; `field` is a path such as `amount` or `[3].addresses[0].type`. */
export interface FieldError {
  readonly field?: string;
  readonly message?: string;
}

export interface ErrorRow {
  readonly code: number;
  readonly message: string;
}

export const errorCatalogue = {
  validation_failed: { code: 40000, message: "The request is not valid." },
  malformed_json: { code: 40001, message: "The body is not valid JSON." },
  unknown_scope: {
    code: 40002,
    message: "A requested scope does not exist; `errors` lists the existing ones.",
  },
  malformed_http: { code: 40003, message: "The request is not valid HTTP." },
  credential_missing: { code: 40101, message: "A credential is required." },
  credential_invalid: { code: 40102, message: "The credential is not valid." },
  credential_expired: { code: 40103, message: "The credential has expired." },
  credential_revoked: { code: 40104, message: "The credential was revoked." },
  credential_wrong_kind: { code: 40105, message: "This is the wrong kind of credential." },
  insufficient_scope: { code: 40301, message: "The credential lacks the scope." },
  other_organization: {
    code: 40302,
    message:
      "The API key does not belong to the requested organization; request a token for its own.",
  },
  no_such_record: { code: 40401, message: "There is no such record." },
  no_such_deletion: {
    code: 40402,
    message: "There is no such deletion request; use the id from the reply to the deletion.",
  },
  no_such_operation: { code: 40403, message: "There is no such operation." },
  method_not_allowed: { code: 40501, message: "The method is not allowed here." },
  request_timeout: { code: 40801, message: "The request did not arrive in time; send it again." },
  identical_record_exists: { code: 40901, message: "An identical record exists already." },
  record_exists: { code: 40902, message: "A different record with this id exists already." },
  deletion_open: { code: 40903, message: "A deletion of this record is open." },
  idempotency_in_flight: {
    code: 40904,
    message:
      "A request with the same Idempotency-Key is still in flight; send this one again soon.",
  },
  offset_gone: {
    code: 41001,
    message:
      "The feed no longer has this offset, because the store was replaced by an older one. Begin again at -1, or at now.",
  },
  too_large: { code: 41301, message: "The request is too large." },
  content_type: { code: 41501, message: "The content type is not supported." },
  idempotency_reused: {
    code: 42201,
    message: "The Idempotency-Key was used for another request already; use a new one for this.",
  },
  rate_limited: { code: 42901, message: "Too many requests." },
  headers_too_large: {
    code: 43101,
    message: "The request's headers are too large; send fewer or shorter ones.",
  },
  internal: {
    code: 50001,
    message: "An internal error occurred; the log of the service has it under the request id.",
  },
  unavailable: { code: 50301, message: "The service is not ready or is shutting down; try again." },
} as const satisfies Readonly<Record<string, ErrorRow>>;

export type ErrorName = keyof typeof errorCatalogue;
export type ErrorKind = ErrorName | Named<ErrorRow>;

export function errorRow(kind: ErrorKind): ErrorRow {
  return typeof kind === "string" ? errorCatalogue[kind] : kind;
}

/** The HTTP status of a code is its first three digits (contract, section 6). */
export function statusOf({ code }: Pick<ErrorRow, "code">): number {
  return Math.floor(code / 100);
}

export interface AppErrorDetail {
  /** Replaces the sentence of the catalogue; never contains a secret or record content. */
  readonly message?: string;
  readonly errors?: readonly FieldError[];
  /** Seconds after which a retry may succeed (429 and 503). */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** An error that a caller can cause or has to know; any other error is internal and answered with 50001. */
export class AppError extends Error {
  readonly kind: ErrorKind;
  readonly errorName: ErrorName | FeatureName;
  readonly code: number;
  readonly errors: readonly FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: ErrorKind, detail: AppErrorDetail = {}) {
    const entry = errorRow(kind);
    super(detail.message ?? entry.message, { cause: detail.cause });
    this.name = "AppError";
    this.kind = kind;
    this.errorName = typeof kind === "string" ? kind : kind.name;
    this.code = entry.code;
    this.errors = detail.errors;
    this.retryAfterSeconds = detail.retryAfterSeconds;
  }
}

/** Why the service is unavailable, as clients and the log read it, without internals. */
const unavailableReasons = {
  closing: "The service is shutting down; try again.",
  not_ready: "The service is not ready; try again.",
  gone: "The client has disconnected.",
  busy: "Too many requests are waiting; try again.",
  completing: "A deletion is being completed, which further writes delay; try again.",
  no_files: "The service has no free file descriptors now; try again.",
  disk_full: "The disk of the service is full, so nothing can be stored now; try again later.",
  disk_failed: "The service can't use its disk now; try again later.",
  database_away: "The service can't reach its database now; try again.",
  database_full: "The database of the service has no room left; try again later.",
  database_read_only: "The database of the service accepts no changes now; try again.",
  database_forbids: "The database of the service does not permit this now; try again later.",
  database_busy: "The database of the service is busy; try again.",
} as const;

export type UnavailableReason = keyof typeof unavailableReasons;

export function unavailable(
  reason: UnavailableReason,
  detail: Omit<AppErrorDetail, "message"> = {},
): AppError {
  return new AppError("unavailable", { ...detail, message: unavailableReasons[reason] });
}

/** Nothing is wrong with what was asked for: it may succeed when it is tried again. */
export function isUnavailable(error: unknown): error is AppError {
  return error instanceof AppError && error.errorName === "unavailable";
}

/** The database that answers is an earlier state of the store: nothing is read from it. */
export class EarlierState extends Error {
  override readonly name = "EarlierState";

  constructor() {
    super(
      "An earlier state of the database is in its place: it lacks entries that the ledger of deletions has, and may " +
        `contain records that were erased. It is not used. If it was restored, run: ${sluice} deletion replay`,
    );
  }
}

type Fields = Pick<AppError, "kind" | "message" | "errors" | "retryAfterSeconds" | "cause">;

export type ErrorForm = Fields | Error;

export function describeError(error: unknown): ErrorForm {
  if (error instanceof AppError) {
    const { kind, message, errors, retryAfterSeconds, cause } = error;
    return { kind, message, errors, retryAfterSeconds, cause };
  }
  return error instanceof Error ? error : new Error(String(error));
}

export function restoreError(form: ErrorForm): Error {
  if (form instanceof Error) return form;
  const { kind, message, errors, retryAfterSeconds, cause } = form;
  return new AppError(kind, {
    message,
    cause,
    ...(errors === undefined ? {} : { errors }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}
