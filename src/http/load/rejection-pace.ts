// Delays the replies to clients that keep exceeding their rate limit. A client that ignores Retry-After and retries as soon
// as it receives a reply would otherwise occupy the event loop with rejections and slow down all other clients.

import { type BucketPolicy, TokenBuckets } from "../rate-limit/token-bucket.ts";

/** Replies of 429 to one organization or address: how many are sent without delay, and the rate of further ones. */
export const rejectionPolicy: BucketPolicy = { name: "rejections", perSecond: 200, burst: 200 };

/** The maximum delay of a reply: what an empty bucket takes to fill. */
export const rejectionDelayMsMax = (rejectionPolicy.burst / rejectionPolicy.perSecond) * 1_000;

export class RejectionPace {
  readonly #buckets: TokenBuckets;

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#buckets = new TokenBuckets(now);
  }

  /** The delay of this rejection: 0 for the first ones, and at most `rejectionDelayMsMax`. */
  nextDelayMs(owner: string): number {
    return this.#buckets.overdraw(owner, rejectionPolicy) * 1_000;
  }
}
