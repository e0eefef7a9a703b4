// Token buckets: each holds up to `burst` tokens and gains `perSecond` of them. Waiting for as long as a refusal says
// always works. Kept per process, bounded in number: the oldest is forgotten first, which only favours its owner.

/** Buckets in memory; beyond this number the oldest is dropped. */
export const bucketsMax = 100_000;

export interface BucketPolicy {
  /** The name in RateLimit and RateLimit-Policy. */
  readonly name: string;
  readonly perSecond: number;
  readonly burst: number;
}

export interface Taken {
  readonly allowed: boolean;
  /** Whole tokens that are left. */
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

  /** Takes one token for `owner`, if there is one. */
  take(owner: string, policy: BucketPolicy): Taken {
    const bucket = this.#filled(owner, policy);
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    return describeBucket(bucket, policy, allowed);
  }

  /**
   * Takes what a request has cost beyond its first token, even if there is not as much: then later requests wait for it,
   * but never longer than a full bucket takes to fill. Tells whether another request would be allowed now.
   */
  charge(owner: string, policy: BucketPolicy, tokens: number): Taken {
    const bucket = this.#filled(owner, policy);
    bucket.tokens = Math.max(-policy.burst, bucket.tokens - tokens);
    return describeBucket(bucket, policy, bucket.tokens >= 1);
  }

  /** Tells what there is, and takes nothing. */
  look(owner: string, policy: BucketPolicy): Taken {
    const bucket = this.#filled(owner, policy);
    return describeBucket(bucket, policy, bucket.tokens >= 1);
  }

  #filled(owner: string, policy: BucketPolicy): Bucket {
    const bucket = this.#bucketOf(owner, policy);
    const now = this.#now();
    const gained = (Math.max(0, now - bucket.filledAt) / 1_000) * policy.perSecond;
    bucket.tokens = Math.min(policy.burst, bucket.tokens + gained);
    bucket.filledAt = now;
    return bucket;
  }

  #bucketOf(owner: string, policy: BucketPolicy): Bucket {
    const known = this.#buckets.get(owner);
    if (known !== undefined) return known;
    if (this.#buckets.size >= bucketsMax) this.#forgetOldest();
    const bucket = { tokens: policy.burst, filledAt: this.#now() };
    this.#buckets.set(owner, bucket);
    return bucket;
  }

  #forgetOldest(): void {
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
}

/** `tokens`: what is in it after the request. */
export function describeBucket(
  { tokens }: { readonly tokens: number },
  policy: BucketPolicy,
  allowed: boolean,
): Taken {
  const missing = allowed ? policy.burst - tokens : 1 - tokens;
  return {
    allowed,
    remaining: Math.max(0, Math.floor(tokens)),
    waitSeconds: Math.max(allowed ? 0 : 1, Math.ceil(missing / policy.perSecond)),
  };
}
