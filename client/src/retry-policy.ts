// Decides whether a request is retried, and after what delay: exponential backoff with full jitter, and never less than
// Retry-After. Failures are retried for a time, so that a restart of the service loses no call. The caller waits.

import { SluiceError, SluiceNetworkError } from "./errors.ts";

/** The limits of retrying a call. */
export interface RetryLimits {
  /**
   * The last retry begins at most this long after the first failure in a row. 0 disables all retries, also after 429.
   */
  readonly failingMsMax: number;
  /** How often to wait after a 429, or while the same request is in flight. This is not a failure. */
  readonly turnsMax?: number;
  /** A longer Retry-After ends the retries. Default: what is left of `failingMsMax`. */
  readonly retryAfterMsMax?: number;
  /** Ends the wait for a retry, but no attempt in flight. */
  readonly stopping?: AbortSignal;
}

/** As long as no reply has ever arrived, a wrong address is more likely than a restart of the service. */
const unansweredMsMax = 5_000;
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

  /**
   * Returns the milliseconds until the next attempt, or undefined to stop retrying. `answered` is whether a reply has
   * ever arrived.
   */
  delayMsAfter(error: unknown, answered: boolean): number | undefined {
    if (!(error instanceof SluiceError) || this.#limits.failingMsMax === 0) return undefined;
    const retryAfterMs = error.retryAfterMs ?? 0;
    if (error.status === 429 || error.code === inFlight) return this.#afterTurn(retryAfterMs);
    return isFailure(error) ? this.#afterFailure(retryAfterMs, answered) : undefined;
  }

  /** The service answers, so failures before this one are over. */
  #afterTurn(retryAfterMs: number): number | undefined {
    const { failingMsMax, turnsMax = 100, retryAfterMsMax = failingMsMax } = this.#limits;
    this.#turns += 1;
    this.#failures = 0;
    this.#failingSince = undefined;
    if (this.#turns > turnsMax || retryAfterMs > retryAfterMsMax) return undefined;
    return retryAfterMs + backoffMsOf(this.#turns, turnBackoffMsMax);
  }

  /** The last delay is cut, so that a service that is back by the end of the time is found. */
  #afterFailure(retryAfterMs: number, answered: boolean): number | undefined {
    const now = performance.now();
    const failingMsMax = Math.min(this.#limits.failingMsMax, answered ? Infinity : unansweredMsMax);
    this.#failures += 1;
    this.#failingSince ??= now;
    const leftMs = this.#failingSince + failingMsMax - now;
    if (leftMs < 1 || retryAfterMs > (this.#limits.retryAfterMsMax ?? leftMs)) return undefined;
    const delayMs = retryAfterMs + backoffMsOf(this.#failures, backoffMsMax);
    return Math.max(retryAfterMs, Math.min(leftMs, delayMs));
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
