// Token buckets: each holds up to `burst` tokens and gains `perSecond`. A request that waits as long as a refusal says
// is allowed. Their number is bounded: the oldest is dropped first, which only favours its owner.

export const bucketsMax = 100_000;

export interface BucketPolicy {
  readonly name: string;
  readonly perSecond: number;
  readonly burst: number;
}

/**
 * 1: takes a token if there is one. 0: takes nothing. A charge takes what a request has already cost, even if fewer
 * tokens are left; later requests then wait for them, but never longer than an empty bucket takes to fill.
 */
export type BucketCost = 0 | 1 | { readonly charge: number };

export interface Taken {
  /** After a charge: whether another request would be allowed now. */
  readonly allowed: boolean;
  readonly remaining: number;
  /** Seconds, rounded up, until the bucket is full; if refused, until a request is allowed. */
  readonly waitSeconds: number;
}

interface Bucket {
  tokens: number;
  /** Milliseconds. */
  filledAt: number;
}

export class TokenBuckets {
  readonly #buckets = new Map<string, Bucket>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  take(owner: string, policy: BucketPolicy, cost: BucketCost = 1): Taken {
    const bucket = this.#filled(owner, policy);
    if (typeof cost === "object") {
      bucket.tokens = Math.max(-policy.burst, bucket.tokens - cost.charge);
    }
    const allowed = bucket.tokens >= 1;
    if (allowed && cost === 1) bucket.tokens -= 1;
    const missing = allowed ? policy.burst - bucket.tokens : 1 - bucket.tokens;
    return {
      allowed,
      remaining: Math.max(0, Math.floor(bucket.tokens)),
      waitSeconds: Math.max(allowed ? 0 : 1, Math.ceil(missing / policy.perSecond)),
    };
  }

  /** Takes a token even if none is left; returns the seconds until there will be as many as were taken. */
  overdraw(owner: string, policy: BucketPolicy): number {
    const bucket = this.#filled(owner, policy);
    bucket.tokens = Math.max(-policy.burst, bucket.tokens - 1);
    return Math.max(0, -bucket.tokens / policy.perSecond);
  }

  #filled(owner: string, policy: BucketPolicy): Bucket {
    const now = this.#now();
    const bucket = this.#buckets.get(owner) ?? this.#add(owner, policy, now);
    const gained = (Math.max(0, now - bucket.filledAt) / 1_000) * policy.perSecond;
    bucket.tokens = Math.min(policy.burst, bucket.tokens + gained);
    bucket.filledAt = now;
    return bucket;
  }

  #add(owner: string, { burst }: BucketPolicy, now: number): Bucket {
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size >= bucketsMax && oldest !== undefined) {
      this.#buckets.delete(oldest);
    }
    const bucket = { tokens: burst, filledAt: now };
    this.#buckets.set(owner, bucket);
    return bucket;
  }
}
