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

/** The limits; the answer is a promise where processes share them. */
export interface RateGate<Answer = Limited | Promise<Limited>> {
  /** For a request of an organization: 1,000 a second and bursts of twice that, unless set otherwise. */
  organization(caller: LimitedCaller): Answer;
  /** Takes what a request of an organization has cost beyond its first token (work-tokens.ts). */
  work(caller: LimitedCaller, tokens: number): Answer;
  /** For an exchange of an API key for a token. */
  tokenIssuing(keyId: string): Answer;
  /** For a failed authentication from an address. */
  failedAuthentication(address: string): Answer;
  /** Returns what is left for an address; counts nothing. */
  failuresLeft(address: string): Answer;
  /**
   * For an attempt to sign in to the console. Separate from failed authentication, so that neither blocks the other.
   */
  signIn(address: string): Answer;
  /** For a request from an address that needs no credential. Bounds the load of one process, so it is never shared. */
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
  const askAddress = ofNetworks(ask);
  return {
    organization: (caller) => ask(policyOf(caller), caller.organizationId, 1),
    work: (caller, charge) => ask(policyOf(caller), caller.organizationId, { charge }),
    tokenIssuing: (keyId) => ask(tokenPolicy, keyId, 1),
    failedAuthentication: (address) => askAddress(failurePolicies, address, 1),
    failuresLeft: (address) => ask(failurePolicies[0], networksOf(address)[0] ?? "", 0),
    signIn: (address) => askAddress(signInPolicies, address, 1),
    unauthenticated: (address) => ofNetworks(askHere)(unauthenticatedPolicies, address, 1),
  };
}

/** The policies of a host, and of the two wider networks of an IPv6 address. */
type NetworkPolicies = readonly [Policy, Policy, Policy];

/**
 * Takes the cost from the bucket of the host and, while that allows it, from those of the wider networks: requests of a
 * host beyond its limit cost its neighbours nothing. Returns the result of the host unless a wider network refuses.
 */
function ofNetworks<Answer>(ask: Count<Answer>) {
  return (policies: NetworkPolicies, address: string, cost: BucketCost): Answer => {
    const networks = networksOf(address);
    const askFrom = (index: number): Answer => {
      const policy = policies[index] ?? policies[0];
      const answer = ask(policy, networks[index] ?? "", cost);
      if (index + 1 >= networks.length) return answer;
      const askWider = (own: Limited): Limited | Promise<Limited> => {
        if (!own.allowed) return own;
        const wider = askFrom(index + 1) as Limited | Promise<Limited>;
        if (!(wider instanceof Promise)) return wider.allowed ? own : wider;
        return wider.then((found) => (found.allowed ? own : found));
      };
      // Either all results of a gate are promises, or none is.
      return (
        answer instanceof Promise ? answer.then(askWider) : askWider(answer as Limited)
      ) as Answer;
    };
    return askFrom(0);
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
