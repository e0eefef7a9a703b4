// Decides whether a request is retried, and after what delay: exponential backoff with full jitter, and never less than
// Retry-After. The caller waits.

import { SluiceError, SluiceNetworkError } from "./errors.ts";

/** The limits of retrying a call. */
export interface RetryLimits {
  /** The number of failures that are retried. 0 disables all retries, also after 429. */
  readonly retries: number;
  /** Failures are retried for this long after the first one in a row. */
  readonly failingMsMax?: number;
  /** How often to wait after a 429, or while the same request is in flight. This is not a failure. */
  readonly turnsMax?: number;
  /** A longer Retry-After ends the retries. */
  readonly retryAfterMsMax?: number;
  /** Ends the wait for a retry, but no attempt in flight. */
  readonly stopping?: AbortSignal;
}

const baseMs = 200;
const backoffMsMax = 10_000;
const turnBackoffMsMax = 1_000;

/** Statuses that are always retried. From 520 on, proxies report a service that they can't reach. */
const failures: ReadonlySet<number> = new Set([408, 500, 502, 503, 504]);
const proxyFailureMin = 520;
const inFlight = 40904;

/** The retries of one call. */
export class RetryPolicy {
  readonly #limits: RetryLimits;
  #failures = 0;
  #failingSince: number | undefined;
  #turns = 0;

  constructor(limits: RetryLimits) {
    this.#limits = limits;
  }

  /** Returns the milliseconds until the next attempt, or undefined to stop retrying. */
  delayMsAfter(error: unknown): number | undefined {
    const { retries, retryAfterMsMax = 120_000 } = this.#limits;
    if (!(error instanceof SluiceError) || retries === 0) return undefined;
    const retryAfterMs = error.retryAfterMs ?? 0;
    if (retryAfterMs > retryAfterMsMax) return undefined;
    const isTurn = error.status === 429 || error.code === inFlight;
    const backoffMs = isTurn ? this.#afterTurn() : this.#afterFailure(error);
    return backoffMs === undefined ? undefined : retryAfterMs + backoffMs;
  }

  #afterTurn(): number | undefined {
    this.#turns += 1;
    this.#failingSince = undefined;
    if (this.#turns > (this.#limits.turnsMax ?? 100)) return undefined;
    return backoffMsOf(this.#turns, turnBackoffMsMax);
  }

  #afterFailure(error: SluiceError): number | undefined {
    if (!isFailure(error)) return undefined;
    const now = performance.now();
    this.#failures += 1;
    this.#failingSince ??= now;
    const { retries, failingMsMax = Number.POSITIVE_INFINITY } = this.#limits;
    if (this.#failures > retries || now - this.#failingSince > failingMsMax) return undefined;
    return backoffMsOf(this.#failures, backoffMsMax);
  }
}

function isFailure(error: SluiceError): boolean {
  if (error instanceof SluiceNetworkError) return true;
  return failures.has(error.status) || error.status >= proxyFailureMin;
}

function backoffMsOf(nth: number, atMostMs: number): number {
  return Math.random() * Math.min(atMostMs, baseMs * 2 ** Math.min(nth - 1, 20));
}

/** In seconds or as a date (RFC 9110, section 10.2.3). */
export function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}
