// When a call is tried again, and after how long: back-off that doubles with full jitter, and never less than Retry-After
// says. Only decides; waiting is the caller's.

import { SluiceError, SluiceNetworkError } from "./errors.ts";

const firstMs = 200;
const longestMs = 10_000;
/** Somebody who asks for more than this is told to the caller instead. */
const retryAfterMsMax = 120_000;
/** How often "not yet" is taken for an answer. Each is waited for as it says, so it is no failure. */
const turnsMax = 100;

const failures: ReadonlySet<number> = new Set([408, 500, 502, 503, 504]);
const inFlight = 40904;

/** Of one call. Gives the milliseconds to wait, or undefined if trying again is no use. */
export class Patience {
  readonly #retries: number;
  #failures = 0;
  #turns = 0;

  constructor(retries: number) {
    this.#retries = retries;
  }

  waitMsAfter(error: unknown): number | undefined {
    if (!(error instanceof SluiceError) || this.#retries === 0) return undefined;
    const told = error.retryAfterMs ?? 0;
    if (told > retryAfterMsMax) return undefined;
    if (error.status === 429 || error.code === inFlight) {
      this.#turns += 1;
      return this.#turns > turnsMax ? undefined : told + jitteredMs(this.#turns, 1_000);
    }
    if (!(error instanceof SluiceNetworkError) && !failures.has(error.status)) return undefined;
    this.#failures += 1;
    return this.#failures > this.#retries ? undefined : told + jitteredMs(this.#failures);
  }
}

function jitteredMs(nth: number, atMostMs: number = longestMs): number {
  return Math.random() * Math.min(atMostMs, firstMs * 2 ** Math.min(nth - 1, 20));
}

/** In seconds or as a date (RFC 9110, section 10.2.3). */
export function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined;
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}
