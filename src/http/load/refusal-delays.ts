// Delays the replies to clients that keep exceeding their rate limit. A client that ignores Retry-After and retries as soon
// as it receives a reply would otherwise occupy the event loop with refusals and slow down all other clients.

import { type BucketPolicy, TokenBuckets } from "../rate-limit/token-bucket.ts";

/** Replies of 429 to one organization or address: how many are sent without delay, and the rate of further ones. */
export const refusalPolicy: BucketPolicy = { name: "refusals", perSecond: 200, burst: 200 };

/** The maximum delay of a reply: what an empty bucket takes to fill. */
export const refusalDelayMsMax = (refusalPolicy.burst / refusalPolicy.perSecond) * 1_000;

export class RefusalDelays {
  readonly #buckets: TokenBuckets;

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#buckets = new TokenBuckets(now);
  }

  /** The delay of this refusal: 0 for the first ones, and at most `refusalDelayMsMax`. */
  nextDelayMs(owner: string): number {
    return this.#buckets.overdraw(owner, refusalPolicy) * 1_000;
  }
}
