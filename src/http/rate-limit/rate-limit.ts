// The limits of the contract, section 6, and the headers that report them: per organization, per key on token issuing,
// and otherwise per address and its networks.

import type { Identity } from "../../actions/access/caller-cache.ts";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { networksOf } from "./address-owner.ts";
import { type BucketCost, type BucketPolicy, type Taken, TokenBuckets } from "./token-bucket.ts";

export interface RateHeaders {
  readonly rateLimit: string;
  readonly rateLimitPolicy: string;
}

export interface Limited {
  /** What the metrics call the limit, also that of a wider network. */
  readonly limit: string;
  readonly allowed: boolean;
  readonly headers: RateHeaders | undefined;
  readonly retryAfterSeconds: number;
}

export type LimitedCaller = Pick<Identity, "organizationId" | "rateLimitPerSecond">;

type Policy = BucketPolicy & { readonly limit: string; readonly header: string };

const unlimited: Limited = { limit: "", allowed: true, headers: undefined, retryAfterSeconds: 0 };

/** The limits, as this process counts them. `usual`: requests of an organization per second; 0 turns all off. */
export function makeRateGate(usual: number, now: () => number) {
  /** Each policy has its own. */
  const buckets = new Map<string, TokenBuckets>();
  const policies = new Map<number, Policy>();
  const ask = (policy: Policy, owner: string, cost: BucketCost = 1): Limited => {
    if (usual === 0 || policy.perSecond === 0) return unlimited;
    let own = buckets.get(policy.name);
    if (own === undefined) buckets.set(policy.name, (own = new TokenBuckets(now)));
    return describe(policy, own.take(owner, policy, cost));
  };
  const ofOrganization = (caller: LimitedCaller, cost: BucketCost): Limited => {
    const { organizationId, rateLimitPerSecond: perSecond = usual } = caller;
    let policy = policies.get(perSecond);
    if (policy === undefined) {
      policy = withHeader({ name: "organization", perSecond, burst: perSecond * 2 });
      policies.set(perSecond, policy);
    }
    return ask(policy, organizationId, cost);
  };
  /** What the host or a wider network refuses costs none of them anything, and waits for all that refuse it. */
  const ofAddress = (address: string, ofNetworks: NetworkPolicies): Limited => {
    const networks = networksOf(address);
    const askAll = (cost: BucketCost) =>
      networks.map((network, index) => ask(ofNetworks[index] ?? ofNetworks[0], network, cost));
    const refused = askAll(0).filter(({ allowed }) => !allowed);
    const [longest] = refused.sort((one, other) => other.retryAfterSeconds - one.retryAfterSeconds);
    return longest ?? askAll(1)[0] ?? unlimited;
  };
  return {
    organization: (caller: LimitedCaller) => ofOrganization(caller, 1),
    /** Takes what a request of an organization has cost beyond its first token (work-tokens.ts). */
    work: (caller: LimitedCaller, charge: number) => ofOrganization(caller, { charge }),
    tokenIssuing: (keyId: string) => ask(tokenPolicy, keyId),
    failedAuthentication: (address: string) => ofAddress(address, failurePolicies),
    failuresLeft: (address: string) => ask(failurePolicies[0], networksOf(address)[0] ?? "", 0),
    /** Separate from failed authentication, so that neither blocks the other. */
    signIn: (address: string) => ofAddress(address, signInPolicies),
    unauthenticated: (address: string) => ofAddress(address, unauthenticatedPolicies),
  };
}

export type RateGate = ReturnType<typeof makeRateGate>;

type NetworkPolicies = readonly [Policy, Policy, Policy];

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

function forNetworks({ name, perSecond, burst }: BucketPolicy): NetworkPolicies {
  const widened = (suffix: string, times: number): Policy =>
    withHeader({ name: name + suffix, perSecond: perSecond * times, burst: burst * times }, name);
  return [widened("", 1), widened("-56", 4), widened("-48", 16)];
}

/** q is the quota of a window of w seconds: the tokens of a full bucket, and how long it takes to fill. */
function withHeader(policy: BucketPolicy, limit = policy.name): Policy {
  const windowSeconds = Math.round(policy.burst / policy.perSecond);
  return { ...policy, limit, header: `"${policy.name}";q=${policy.burst};w=${windowSeconds}` };
}

function describe(policy: Policy, taken: Taken): Limited {
  return {
    limit: policy.limit,
    allowed: taken.allowed,
    retryAfterSeconds: taken.waitSeconds,
    headers: {
      rateLimit: `"${policy.name}";r=${taken.remaining};t=${taken.waitSeconds}`,
      rateLimitPolicy: policy.header,
    },
  };
}

export function rateLimited({ retryAfterSeconds }: Pick<Limited, "retryAfterSeconds">): AppError {
  const unit = retryAfterSeconds === 1 ? "second" : "seconds";
  return new AppError("rate_limited", {
    message: `Too many requests; try again in ${retryAfterSeconds} ${unit}.`,
    retryAfterSeconds,
  });
}
