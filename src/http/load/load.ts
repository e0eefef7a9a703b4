// The load limits of a serving process: requests, the memory of bodies and pages, and load shedding.

import { type BucketPolicy, TokenBuckets } from "../rate-limit/token-bucket.ts";
import { MemoryBudget, ofPages } from "./memory-budget.ts";
import { LoadShedding, type PressureProbe } from "./load-shedding.ts";
import { OrganizationLoad } from "./organization-load.ts";

export interface Load {
  readonly organizations: OrganizationLoad;
  readonly bodies: Pick<MemoryBudget, "reserve" | "heldBytes">;
  readonly pages: Pick<MemoryBudget, "reserve" | "heldBytes">;
  readonly shedding: LoadShedding;
  readonly refusalDelayMs: (owner: string) => number;
}

/** The caller must call `shedding.stop` at the end. */
export function makeLoad(probe: PressureProbe): Load {
  const [organizations, bodies, pages] = [
    new OrganizationLoad(),
    new MemoryBudget(),
    new MemoryBudget(ofPages),
  ];
  const shedding = new LoadShedding({ probe, bodies, pages, organizations });
  return { organizations, bodies, pages, shedding, refusalDelayMs: makeRefusalDelays() };
}

// Delays the replies to clients that keep exceeding their rate limit. A client that ignores Retry-After and retries as
// soon as it receives a reply would otherwise occupy the event loop with refusals and slow down all other clients.

/** Replies of 429 to one organization or address: how many are sent without delay, and the rate of further ones. */
export const refusalPolicy: BucketPolicy = { name: "refusals", perSecond: 200, burst: 200 };

/** The maximum delay of a reply: the time in which an empty bucket fills. */
export const refusalDelayMsMax = (refusalPolicy.burst / refusalPolicy.perSecond) * 1_000;

/** 0 for the first refusals, and at most `refusalDelayMsMax`. `now`: milliseconds of a monotonic clock. */
export function makeRefusalDelays(now: () => number = () => performance.now()) {
  const buckets = new TokenBuckets(now);
  return (owner: string): number => buckets.overdraw(owner, refusalPolicy) * 1_000;
}
