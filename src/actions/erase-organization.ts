// Erases everything that belongs to an organization, in steps that are each durable. While others write, the steps are small and
// it rests after each, so that writers keep most of the time of the store. Completes nothing.

import { setTimeout as sleep } from "node:timers/promises";
import type { Deletion } from "../domain/deletion/deletion.ts";
import { limits } from "../domain/limits.ts";
import type { App } from "./app.ts";

/**
 * How to erase while others write: the rows of a step, and how many times as long as the step has worked the erasure rests after
 * it. On SQLite others wait for a step. On PostgreSQL they only share the processors, and small steps have more round trips.
 */
const beside = {
  sqlite: { rowsMax: limits.organizationStepRowsMax, restTimes: 4 },
  postgres: { rowsMax: limits.organizationStepRowsAloneMax, restTimes: 3 },
} as const;
const restMsMax = 1_000;
/**
 * While others write. Of these rows about 18,000 are records, which is ten million in ten minutes; to be faster would only take
 * more from the writers.
 */
const rowsPerSecondMax = 24_000;
/** How long others count as writing after their last write. */
const othersActiveMs = 500;
/** How often other deletions that are due are processed. */
const othersIntervalMs = 1_000;

export interface OrganizationWork {
  /** Ends the work between two steps. */
  readonly stopping: AbortSignal;
  readonly processOthers: () => Promise<void>;
}

export interface ErasingApp extends Pick<App, "now"> {
  readonly store: Pick<App["store"], "engine" | "eraseStep">;
}

/** Throws if it is stopped. */
export async function eraseOrganization(
  { store, now }: ErasingApp,
  { deletionRequestId }: Pick<Deletion, "deletionRequestId">,
  { stopping, processOthers }: OrganizationWork,
): Promise<void> {
  const writers = new OtherWriters();
  const pace = beside[store.engine];
  let othersAt = performance.now();
  for (;;) {
    stopping.throwIfAborted();
    const act = { actor: "worker", now: now() };
    const { areActive } = writers;
    const rowsMax = areActive ? pace.rowsMax : limits.organizationStepRowsAloneMax;
    const step = await store.eraseStep(deletionRequestId, rowsMax, act);
    const { done, workMs = 0, latestArrival = 0 } = step;
    if (done) return;
    writers.observe(latestArrival);
    const restMs = writers.areActive ? restAfter(workMs, pace) : 0;
    await sleep(restMs, undefined, { signal: stopping });
    if (performance.now() - othersAt < othersIntervalMs) continue;
    await processOthers();
    othersAt = performance.now();
  }
}

function restAfter(
  workMs: number,
  { rowsMax, restTimes }: { readonly rowsMax: number; readonly restTimes: number },
): number {
  const shortest = (rowsMax / rowsPerSecondMax) * 1_000 - workMs;
  return Math.min(Math.max(workMs * restTimes, shortest), restMsMax);
}

/** Whether anybody writes: a closed organization does not, so others have written if the number of changes has grown. */
class OtherWriters {
  #latestArrival: number | undefined;
  #activeUntil = performance.now() + othersActiveMs;

  get areActive(): boolean {
    return performance.now() < this.#activeUntil;
  }

  observe(latestArrival: number): void {
    const hasGrown = latestArrival !== (this.#latestArrival ?? latestArrival);
    if (hasGrown) this.#activeUntil = performance.now() + othersActiveMs;
    this.#latestArrival = latestArrival;
  }
}
