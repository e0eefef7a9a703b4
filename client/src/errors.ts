// What a call fails with: SluiceError where the service refused, SluiceNetworkError where no whole reply came.
// Never holds the API key, a token, or what was sent.

import type { ErrorCode } from "./generated/codes.ts";
import type { ErrorItem } from "./generated/replies.ts";

export interface SluiceErrorDetail {
  /** HTTP status; 0 without a reply. */
  readonly status: number;
  readonly code: number;
  readonly errors?: readonly ErrorItem[] | undefined;
  readonly requestId?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A refusal. Tell refusals apart by `code`, never by the message. */
export class SluiceError extends Error {
  override readonly name: string = "SluiceError";
  /** HTTP status; 0 without a reply. */
  readonly status: number;
  /** One of `errorCodes`, or one that a newer service has; the status where something in between answered. */
  readonly code: ErrorCode | (number & Record<never, never>);
  /** Which fields are at fault, and why. */
  readonly errors: readonly ErrorItem[];
  /** By which the operator finds the request. */
  readonly requestId: string | undefined;
  /** Of a call that writes: calling again with it has the effect of this call, once. */
  readonly idempotencyKey: string | undefined;
  /** How long the service asked to wait, where it did. */
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
 * No whole reply came, as often as it was tried: whether the call had its effect is not known. Call again with
 * `idempotencyKey` to make sure of it. Status and code are 0.
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
