// The three limits where processes share them: the shared bucket decides, and the process's own where that can't be
// asked. Never makes a client wait for a server that is away.

import type { Identity } from "../../actions/caller-cache.ts";
import { addressOwner } from "./address-owner.ts";
import type { BucketCost } from "./bucket-script.ts";
import {
  failurePolicy,
  type Limited,
  limited,
  type Policy,
  type RateGate,
  type RateLimits,
  tokenPolicy,
  unlimited,
} from "./rate-limit.ts";
import type { SharedBuckets } from "./shared-buckets.ts";

export interface SharedRateLimitsOptions {
  readonly buckets: SharedBuckets;
  /** Told of each request that the process counted for itself. */
  readonly onCountedAlone: () => void;
}

interface Ask {
  readonly policy: Policy;
  readonly owner: string;
  readonly cost: BucketCost;
  readonly alone: () => Limited;
}

/** `own`: those of this process, and where each policy comes from. No limit may be off. */
export function shareRateLimits(
  own: RateLimits,
  { buckets, onCountedAlone }: SharedRateLimitsOptions,
): RateGate {
  function ask({ policy, owner, cost, alone }: Ask): Limited | Promise<Limited> {
    const taken = buckets.take(owner, policy, cost);
    const countAlone = (): Limited => {
      onCountedAlone();
      return alone();
    };
    if (taken === undefined) return countAlone();
    return taken.then((found) => (found === undefined ? countAlone() : limited(policy, found)));
  }
  return {
    organization: (caller: Identity) => {
      const policy = own.organizationPolicy(caller);
      if (policy === undefined) return unlimited;
      const owner = caller.organizationId;
      return ask({ policy, owner, cost: 1, alone: () => own.organization(caller) });
    },
    work: (caller, tokens) => {
      const policy = own.organizationPolicy(caller);
      if (policy === undefined) return unlimited;
      const owner = caller.organizationId;
      const alone = () => own.work(caller, tokens);
      return ask({ policy, owner, cost: { charge: tokens }, alone });
    },
    tokenIssuing: (owner) =>
      ask({ policy: tokenPolicy, owner, cost: 1, alone: () => own.tokenIssuing(owner) }),
    failedAuthentication: (address) =>
      ask({
        policy: failurePolicy,
        owner: addressOwner(address),
        cost: 1,
        alone: () => own.failedAuthentication(address),
      }),
    failuresLeft: (address) =>
      ask({
        policy: failurePolicy,
        owner: addressOwner(address),
        cost: 0,
        alone: () => own.failuresLeft(address),
      }),
    // A bound on the load of this process, so nothing to share.
    unauthenticated: (address) => own.unauthenticated(address),
  };
}
