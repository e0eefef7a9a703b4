// The errors of a call: SluiceError if the service refused it, SluiceNetworkError if no complete reply arrived. They
// never contain the API key, a token, or what was sent.

import type { ErrorCode } from "./generated/codes.ts";
import type { ErrorItem } from "./generated/replies.ts";

export interface SluiceErrorDetail {
  /** The HTTP status; 0 without a reply. */
  readonly status: number;
  readonly code: number;
  readonly errors?: readonly ErrorItem[] | undefined;
  readonly requestId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** The service refused a request. Distinguish refusals by `code`, never by the message. */
export class SluiceError extends Error {
  override readonly name: string = "SluiceError";
  /** The HTTP status; 0 without a reply. */
  readonly status: number;
  /** One of `errorCodes`, or a code of a newer service; the HTTP status if a proxy answered. */
  readonly code: ErrorCode | (number & Record<never, never>);
  /** The invalid fields, and why they are invalid. */
  readonly errors: readonly ErrorItem[];
  /** The id by which the operator can find the request in the logs. */
  readonly requestId: string | undefined;
  /** The key of a call that writes. Another call with this key has the effect of this call, once. */
  readonly idempotencyKey: string | undefined;
  /** How long the service asked to wait, if it did. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, detail: SluiceErrorDetail) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.status = detail.status;
    this.code = detail.code;
    this.errors = detail.errors ?? [];
    this.requestId = detail.requestId;
    this.idempotencyKey = detail.idempotencyKey;
    this.retryAfterMs = detail.retryAfterMs;
  }
}

/**
 * No complete reply arrived in any attempt, so it is unknown whether the call had its effect. Call again with
 * `idempotencyKey` to make sure that it has. Status and code are 0.
 */
export class SluiceNetworkError extends SluiceError {
  override readonly name: string = "SluiceNetworkError";
  readonly attempts: number;

  constructor(
    message: string,
    detail: Pick<SluiceErrorDetail, "idempotencyKey" | "cause"> & { readonly attempts: number },
  ) {
    super(message, { status: 0, code: 0, ...detail });
    this.attempts = detail.attempts;
  }
}
