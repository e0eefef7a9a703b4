// The limits of the contract, section 6, and the headers that report them (draft-ietf-httpapi-ratelimit-headers): per
// organization, per key on token issuing, per address and its networks on failed authentication, on attempts to sign
// in, and on requests that need no credential.

import type { Identity } from "../../actions/access/caller-cache.ts";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { networksOf } from "./address-owner.ts";
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

/** The caller whose requests the limit of an organization bounds. */
export type LimitedCaller = Pick<Identity, "organizationId" | "rateLimitPerSecond">;

/** The limits, as this process counts them. */
export interface RateGate {
  /** For a request of an organization: 1,000 a second and bursts of twice that, unless set otherwise. */
  organization(caller: LimitedCaller): Limited;
  /** Takes what a request of an organization has cost beyond its first token (work-tokens.ts). */
  work(caller: LimitedCaller, tokens: number): Limited;
  /** For an exchange of an API key for a token. */
  tokenIssuing(keyId: string): Limited;
  /** For a failed authentication from an address. */
  failedAuthentication(address: string): Limited;
  /** Returns what is left for an address; counts nothing. */
  failuresLeft(address: string): Limited;
  /**
   * For an attempt to sign in to the console. Separate from failed authentication, so that neither blocks the other.
   */
  signIn(address: string): Limited;
  /** For a request from an address that needs no credential. */
  unauthenticated(address: string): Limited;
}

type Policy = BucketPolicy & { readonly header: string };

/** Takes the cost from an owner's bucket. */
type Count = (policy: Policy, owner: string, cost: BucketCost) => Limited;

const unlimited: Limited = { allowed: true, headers: undefined, retryAfterSeconds: 0 };

/** Each policy has its own buckets. */
function makeCount(now: () => number): Count {
  const buckets = new Map<string, TokenBuckets>();
  return (policy, owner, cost) => {
    const found = buckets.get(policy.name);
    const own = found ?? new TokenBuckets(now);
    if (found === undefined) buckets.set(policy.name, own);
    return limited(policy, own.take(owner, policy, cost));
  };
}

/** `usual`: requests of an organization per second; 0 turns every limit off. */
export function makeRateGate(usual: number, now: () => number): RateGate {
  const policies = new Map<number, Policy>();
  const policyOf = ({ rateLimitPerSecond: perSecond = usual }: LimitedCaller): Policy => {
    const known = policies.get(perSecond);
    if (known !== undefined) return known;
    const policy = withHeader({ name: "organization", perSecond, burst: perSecond * 2 });
    policies.set(perSecond, policy);
    return policy;
  };
  const count = makeCount(now);
  const ask: Count = (policy, owner, cost) =>
    usual === 0 || policy.perSecond === 0 ? unlimited : count(policy, owner, cost);
  const askAddress = ofNetworks(ask);
  return {
    organization: (caller) => ask(policyOf(caller), caller.organizationId, 1),
    work: (caller, charge) => ask(policyOf(caller), caller.organizationId, { charge }),
    tokenIssuing: (keyId) => ask(tokenPolicy, keyId, 1),
    failedAuthentication: (address) => askAddress(failurePolicies, address),
    failuresLeft: (address) => ask(failurePolicies[0], networksOf(address)[0] ?? "", 0),
    signIn: (address) => askAddress(signInPolicies, address),
    unauthenticated: (address) => askAddress(unauthenticatedPolicies, address),
  };
}

/** The policies of a host, and of the two wider networks of an IPv6 address. */
type NetworkPolicies = readonly [Policy, Policy, Policy];

/**
 * Takes a token from the bucket of the host and, while that allows it, from those of the wider networks: requests of a
 * host beyond its limit cost its neighbours nothing. Returns the result of the host unless a wider network refuses.
 */
function ofNetworks(ask: Count) {
  return (policies: NetworkPolicies, address: string): Limited => {
    const networks = networksOf(address);
    const own = ask(policies[0], networks[0] ?? "", 1);
    let last = own;
    for (let index = 1; index < networks.length && last.allowed; index += 1) {
      last = ask(policies[index] ?? policies[0], networks[index] ?? "", 1);
    }
    return last.allowed ? own : last;
  };
}

const tokenPolicy = perMinute("token-issuing", limits.tokenRequestsPerMinute);
const failurePolicies = forNetworks(
  perMinute("failed-authentication", limits.failedAuthenticationsPerMinute),
);
const signInPolicies = forNetworks(perMinute("sign-in", limits.signInAttemptsPerMinute));
const unauthenticatedPolicies = forNetworks({
  name: "unauthenticated",
  perSecond: limits.unauthenticatedRequestsPerSecond,
  burst: limits.unauthenticatedRequestsBurst,
});

function perMinute(name: string, requests: number): Policy {
  return withHeader({ name, perSecond: requests / 60, burst: requests });
}

/** The limit of a /56 is four times, and that of a /48 sixteen times the limit of a host. */
function forNetworks({ name, perSecond, burst }: BucketPolicy): NetworkPolicies {
  const widened = (suffix: string, times: number): Policy =>
    withHeader({ name: name + suffix, perSecond: perSecond * times, burst: burst * times });
  return [widened("", 1), widened("-56", 4), widened("-48", 16)];
}

/** q is the quota of a window of w seconds: the tokens of a full bucket, and how long it takes to fill. */
function withHeader(policy: BucketPolicy): Policy {
  const windowSeconds = Math.round(policy.burst / policy.perSecond);
  return { ...policy, header: `"${policy.name}";q=${policy.burst};w=${windowSeconds}` };
}

function limited(policy: Policy, taken: Taken): Limited {
  return {
    allowed: taken.allowed,
    retryAfterSeconds: taken.waitSeconds,
    headers: {
      rateLimit: `"${policy.name}";r=${taken.remaining};t=${taken.waitSeconds}`,
      rateLimitPolicy: policy.header,
    },
  };
}

/** The header fields of a reply that report a limit; none if there is no limit. */
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
