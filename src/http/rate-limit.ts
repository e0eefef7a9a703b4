// The three limits of the contract, section 6, and the headers that tell of them
// (draft-ietf-httpapi-ratelimit-headers): per organization, per key on token issuing, per address on failed authentication.

import type { Identity } from "../actions/caller-cache.ts";
import { AppError } from "../domain/error.ts";
import { limits } from "../domain/limits.ts";
import { type BucketPolicy, type Taken, TokenBuckets } from "./token-bucket.ts";

/** The values of RateLimit and RateLimit-Policy for one reply. */
export interface RateHeaders {
  readonly rateLimit: string;
  readonly rateLimitPolicy: string;
}

export interface Limited {
  readonly allowed: boolean;
  readonly headers: RateHeaders | undefined;
  readonly retryAfterSeconds: number;
}

const unlimited: Limited = { allowed: true, headers: undefined, retryAfterSeconds: 0 };

export class RateLimits {
  readonly #perSecond: number;
  readonly #organizations: TokenBuckets;
  readonly #keys: TokenBuckets;
  readonly #addresses: TokenBuckets;
  readonly #policies = new Map<number, BucketPolicy & { header: string }>();

  /** 0 turns every limit off. */
  constructor(perSecond: number, now: () => number) {
    this.#perSecond = perSecond;
    this.#organizations = new TokenBuckets(now);
    this.#keys = new TokenBuckets(now);
    this.#addresses = new TokenBuckets(now);
  }

  /** A request of an organization: 1,000 a second and bursts of twice that, unless set otherwise. */
  organization(caller: Identity): Limited {
    const perSecond = caller.rateLimitPerSecond ?? this.#perSecond;
    if (this.#perSecond === 0 || perSecond === 0) return unlimited;
    const policy = this.#organizationPolicy(perSecond);
    return limited(policy, this.#organizations.take(caller.organizationId, policy));
  }

  /** An exchange of an API key for a token. */
  tokenIssuing(keyId: string): Limited {
    if (this.#perSecond === 0) return unlimited;
    return limited(tokenPolicy, this.#keys.take(keyId, tokenPolicy));
  }

  /** A failed authentication from an address. */
  failedAuthentication(address: string): Limited {
    if (this.#perSecond === 0) return unlimited;
    return limited(failurePolicy, this.#addresses.take(address, failurePolicy));
  }

  /** What is left to an address; counts nothing. */
  failuresLeft(address: string): Limited {
    if (this.#perSecond === 0) return unlimited;
    return limited(failurePolicy, this.#addresses.look(address, failurePolicy));
  }

  #organizationPolicy(perSecond: number): BucketPolicy & { header: string } {
    const known = this.#policies.get(perSecond);
    if (known !== undefined) return known;
    const policy = withHeader({ name: "organization", perSecond, burst: perSecond * 2 });
    this.#policies.set(perSecond, policy);
    return policy;
  }
}

const tokenPolicy = perMinute("token-issuing", limits.tokenRequestsPerMinute);
const failurePolicy = perMinute("failed-authentication", limits.failedAuthenticationsPerMinute);

function perMinute(name: string, requests: number): BucketPolicy & { header: string } {
  return withHeader({ name, perSecond: requests / 60, burst: requests });
}

/** q is the quota of a window of w seconds: what a full bucket holds, and how long it takes to fill. */
function withHeader(policy: BucketPolicy): BucketPolicy & { header: string } {
  const windowSeconds = Math.round(policy.burst / policy.perSecond);
  return { ...policy, header: `"${policy.name}";q=${policy.burst};w=${windowSeconds}` };
}

function limited(policy: BucketPolicy & { header: string }, taken: Taken): Limited {
  return {
    allowed: taken.allowed,
    retryAfterSeconds: taken.waitSeconds,
    headers: {
      rateLimit: `"${policy.name}";r=${taken.remaining};t=${taken.waitSeconds}`,
      rateLimitPolicy: policy.header,
    },
  };
}

export function rateLimited({ retryAfterSeconds }: Limited): AppError {
  const unit = retryAfterSeconds === 1 ? "second" : "seconds";
  return new AppError("rate_limited", {
    message: `Too many requests; try again in ${retryAfterSeconds} ${unit}.`,
    retryAfterSeconds,
  });
}
