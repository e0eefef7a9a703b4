// The limits of the contract, section 6, and the headers that tell of them (draft-ietf-httpapi-ratelimit-headers): per
// organization, per key on token issuing, per address on failed authentication and on requests that need no credential.

import type { Identity } from "../../actions/caller-cache.ts";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { addressOwner } from "./address-owner.ts";
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

/** The limits as the entry points ask for them: at once, or a promise where processes share them. */
export interface RateGate {
  /** A request of an organization: 1,000 a second and bursts of twice that, unless set otherwise. */
  organization(caller: Identity): Limited | Promise<Limited>;
  /** What a request of an organization has cost beyond its first token (work-tokens.ts). */
  work(caller: Identity, tokens: number): Limited | Promise<Limited>;
  /** An exchange of an API key for a token. */
  tokenIssuing(keyId: string): Limited | Promise<Limited>;
  /** A failed authentication from an address. */
  failedAuthentication(address: string): Limited | Promise<Limited>;
  /** What is left to an address; counts nothing. */
  failuresLeft(address: string): Limited | Promise<Limited>;
  /** A request from an address for what needs no credential. Each process counts for itself. */
  unauthenticated(address: string): Limited;
}

export type Policy = BucketPolicy & { readonly header: string };

export const unlimited: Limited = { allowed: true, headers: undefined, retryAfterSeconds: 0 };

/** Those of this process alone: nothing to wait for. */
export class RateLimits implements RateGate {
  readonly #perSecond: number;
  readonly #organizations: TokenBuckets;
  readonly #keys: TokenBuckets;
  readonly #addresses: TokenBuckets;
  readonly #unauthenticated: TokenBuckets;
  readonly #policies = new Map<number, Policy>();

  /** 0 turns every limit off. */
  constructor(perSecond: number, now: () => number) {
    this.#perSecond = perSecond;
    this.#organizations = new TokenBuckets(now);
    this.#keys = new TokenBuckets(now);
    this.#addresses = new TokenBuckets(now);
    this.#unauthenticated = new TokenBuckets(now);
  }

  organization(caller: Identity): Limited {
    const policy = this.organizationPolicy(caller);
    if (policy === undefined) return unlimited;
    return limited(policy, this.#organizations.take(caller.organizationId, policy));
  }

  work(caller: Identity, tokens: number): Limited {
    const policy = this.organizationPolicy(caller);
    if (policy === undefined) return unlimited;
    return limited(policy, this.#organizations.charge(caller.organizationId, policy, tokens));
  }

  tokenIssuing(keyId: string): Limited {
    if (this.#perSecond === 0) return unlimited;
    return limited(tokenPolicy, this.#keys.take(keyId, tokenPolicy));
  }

  failedAuthentication(address: string): Limited {
    if (this.#perSecond === 0) return unlimited;
    return limited(failurePolicy, this.#addresses.take(addressOwner(address), failurePolicy));
  }

  failuresLeft(address: string): Limited {
    if (this.#perSecond === 0) return unlimited;
    return limited(failurePolicy, this.#addresses.look(addressOwner(address), failurePolicy));
  }

  unauthenticated(address: string): Limited {
    if (this.#perSecond === 0) return unlimited;
    const taken = this.#unauthenticated.take(addressOwner(address), unauthenticatedPolicy);
    return limited(unauthenticatedPolicy, taken);
  }

  /** Undefined where the organization has no limit. */
  organizationPolicy({ rateLimitPerSecond }: Identity): Policy | undefined {
    const perSecond = rateLimitPerSecond ?? this.#perSecond;
    if (this.#perSecond === 0 || perSecond === 0) return undefined;
    const known = this.#policies.get(perSecond);
    if (known !== undefined) return known;
    const policy = withHeader({ name: "organization", perSecond, burst: perSecond * 2 });
    this.#policies.set(perSecond, policy);
    return policy;
  }
}

export const tokenPolicy = perMinute("token-issuing", limits.tokenRequestsPerMinute);
export const failurePolicy = perMinute(
  "failed-authentication",
  limits.failedAuthenticationsPerMinute,
);
const unauthenticatedPolicy = withHeader({
  name: "unauthenticated",
  perSecond: limits.unauthenticatedRequestsPerSecond,
  burst: limits.unauthenticatedRequestsBurst,
});

function perMinute(name: string, requests: number): Policy {
  return withHeader({ name, perSecond: requests / 60, burst: requests });
}

/** q is the quota of a window of w seconds: what a full bucket holds, and how long it takes to fill. */
function withHeader(policy: BucketPolicy): Policy {
  const windowSeconds = Math.round(policy.burst / policy.perSecond);
  return { ...policy, header: `"${policy.name}";q=${policy.burst};w=${windowSeconds}` };
}

export function limited(policy: Policy, taken: Taken): Limited {
  return {
    allowed: taken.allowed,
    retryAfterSeconds: taken.waitSeconds,
    headers: {
      rateLimit: `"${policy.name}";r=${taken.remaining};t=${taken.waitSeconds}`,
      rateLimitPolicy: policy.header,
    },
  };
}

/** The header fields of a reply that tell of a limit; none where there is no limit. */
export function rateFields(headers: RateHeaders | undefined): Record<string, string> {
  if (headers === undefined) return {};
  return { ratelimit: headers.rateLimit, "ratelimit-policy": headers.rateLimitPolicy };
}

export function rateLimited({ retryAfterSeconds }: Limited): AppError {
  const unit = retryAfterSeconds === 1 ? "second" : "seconds";
  return new AppError("rate_limited", {
    message: `Too many requests; try again in ${retryAfterSeconds} ${unit}.`,
    retryAfterSeconds,
  });
}
