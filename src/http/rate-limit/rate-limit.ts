// The limits of the contract, section 6, and the headers that report them (draft-ietf-httpapi-ratelimit-headers): per
// organization, per key on token issuing, per address on failed authentication and on requests that need no credential.

import type { Identity } from "../../actions/caller-cache.ts";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { addressOwner } from "./address-owner.ts";
import { type BucketCost, type BucketPolicy, type Taken, TokenBuckets } from "./token-bucket.ts";

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

/** Whose requests an organization's limit bounds. */
export type LimitedCaller = Pick<Identity, "organizationId" | "rateLimitPerSecond">;

/** The limits; the answer is a promise where processes share them. */
export interface RateGate<Answer = Limited | Promise<Limited>> {
  /** A request of an organization: 1,000 a second and bursts of twice that, unless set otherwise. */
  organization(caller: LimitedCaller): Answer;
  /** What a request of an organization has cost beyond its first token (work-tokens.ts). */
  work(caller: LimitedCaller, tokens: number): Answer;
  /** An exchange of an API key for a token. */
  tokenIssuing(keyId: string): Answer;
  /** A failed authentication from an address. */
  failedAuthentication(address: string): Answer;
  /** What is left to an address; counts nothing. */
  failuresLeft(address: string): Answer;
  /** A request from an address that needs no credential. Bounds the load of one process, so it is never shared. */
  unauthenticated(address: string): Limited;
}

export type Policy = BucketPolicy & { readonly header: string };

/** Takes the cost from an owner's bucket. */
export type Count<Answer> = (policy: Policy, owner: string, cost: BucketCost) => Answer;

const unlimited: Limited = { allowed: true, headers: undefined, retryAfterSeconds: 0 };

/** Counts in this process; each policy has its own buckets. */
export function countInProcess(now: () => number): Count<Limited> {
  const buckets = new Map<string, TokenBuckets>();
  return (policy, owner, cost) => {
    const found = buckets.get(policy.name);
    const own = found ?? new TokenBuckets(now);
    if (found === undefined) buckets.set(policy.name, own);
    return limited(policy, own.take(owner, policy, cost));
  };
}

export interface RateGateOptions<Answer> {
  /** 0 turns every limit off. */
  readonly perSecond: number;
  readonly count: Count<Answer>;
  readonly countHere: Count<Limited>;
}

export function makeRateGate<Answer>({
  perSecond: usual,
  count,
  countHere,
}: RateGateOptions<Answer>): RateGate<Answer | Limited> {
  const policies = new Map<number, Policy>();
  const policyOf = ({ rateLimitPerSecond: perSecond = usual }: LimitedCaller): Policy => {
    const known = policies.get(perSecond);
    if (known !== undefined) return known;
    const policy = withHeader({ name: "organization", perSecond, burst: perSecond * 2 });
    policies.set(perSecond, policy);
    return policy;
  };
  const countIf = <Counted>(by: Count<Counted>): Count<Counted | Limited> => {
    return (policy, owner, cost) =>
      usual === 0 || policy.perSecond === 0 ? unlimited : by(policy, owner, cost);
  };
  const ask = countIf(count);
  const askHere = countIf(countHere);
  return {
    organization: (caller) => ask(policyOf(caller), caller.organizationId, 1),
    work: (caller, charge) => ask(policyOf(caller), caller.organizationId, { charge }),
    tokenIssuing: (keyId) => ask(tokenPolicy, keyId, 1),
    failedAuthentication: (address) => ask(failurePolicy, addressOwner(address), 1),
    failuresLeft: (address) => ask(failurePolicy, addressOwner(address), 0),
    unauthenticated: (address) => askHere(unauthenticatedPolicy, addressOwner(address), 1),
  };
}

const tokenPolicy = perMinute("token-issuing", limits.tokenRequestsPerMinute);
const failurePolicy = perMinute("failed-authentication", limits.failedAuthenticationsPerMinute);
const unauthenticatedPolicy = withHeader({
  name: "unauthenticated",
  perSecond: limits.unauthenticatedRequestsPerSecond,
  burst: limits.unauthenticatedRequestsBurst,
});

function perMinute(name: string, requests: number): Policy {
  return withHeader({ name, perSecond: requests / 60, burst: requests });
}

/** q is the quota of a window of w seconds: the tokens of a full bucket, and how long it takes to fill. */
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

/** The header fields of a reply that report a limit; none where there is no limit. */
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
