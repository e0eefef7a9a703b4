// The load limits of a serving process: requests of each organization, the memory of bodies and pages, load shedding.

import { type BucketPolicy, TokenBuckets } from "../rate-limit/token-bucket.ts";
import { MemoryBudget, ofPages } from "./memory-budget.ts";
import { LoadShedding, type PressureProbe } from "./load-shedding.ts";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";

export interface Load {
  readonly organizations: OrganizationLoad;
  readonly bodies: Pick<MemoryBudget, "reserve" | "heldBytes">;
  readonly pages: Pick<MemoryBudget, "reserve" | "heldBytes">;
  readonly shedding: LoadShedding;
  readonly refusalDelayMs: (owner: string) => number;
}

/** The caller must call `shedding.stop` at the end. */
export function makeLoad(probe: PressureProbe): Load {
  const organizations = new OrganizationLoad();
  const [bodies, pages] = [new MemoryBudget(), new MemoryBudget(ofPages)];
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

interface InProgress {
  requests: number;
  streams: number;
}

/** Removing and adding an entry for each request would produce garbage that costs more than the bounds. */
const idleMax = 1_024;

export class OrganizationLoad {
  readonly #loads = new Map<string, InProgress>();
  #active = 0;
  /** The streams of all organizations. */
  streams = 0;

  /** Whether no other organization has a request in progress. Call it after `beginRequest`. */
  isOnly(organizationId: string): boolean {
    return this.#active === 1 && (this.#loads.get(organizationId)?.requests ?? 0) > 0;
  }

  /** Call `endRequest` afterwards. Throws AppError rate_limited if too many are in progress. */
  beginRequest(organizationId: string): void {
    const load = this.#of(organizationId);
    if (load.requests >= limits.organizationRequestsMax) {
      throw tooMany(`${limits.organizationRequestsMax} requests`);
    }
    if (load.requests === 0) this.#active += 1;
    load.requests += 1;
  }

  endRequest(organizationId: string): void {
    const load = this.#of(organizationId);
    load.requests -= 1;
    if (load.requests > 0) return;
    this.#active -= 1;
    if (this.#loads.size > idleMax) this.#loads.delete(organizationId);
  }

  /** Within a request; to be followed by `endStream`. Throws AppError rate_limited or unavailable. */
  beginStream(organizationId: string): void {
    const load = this.#of(organizationId);
    if (load.streams >= limits.organizationStreamsMax) {
      throw tooMany(`${limits.organizationStreamsMax} streams`);
    }
    if (this.streams >= limits.streamsMax) {
      const message = "The service has reached its maximum number of open streams. Try again soon.";
      throw new AppError("unavailable", { message, retryAfterSeconds: 1 });
    }
    load.streams += 1;
    this.streams += 1;
  }

  endStream(organizationId: string): void {
    this.#of(organizationId).streams -= 1;
    this.streams -= 1;
  }

  #of(organizationId: string): InProgress {
    let load = this.#loads.get(organizationId);
    if (load === undefined) this.#loads.set(organizationId, (load = { requests: 0, streams: 0 }));
    return load;
  }
}

function tooMany(what: string): AppError {
  return new AppError("rate_limited", {
    message: `Your organization already has ${what} in progress, which is the maximum. Try again when one has ended.`,
    retryAfterSeconds: 1,
  });
}
