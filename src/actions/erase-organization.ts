// Erases everything that belongs to an organization, in steps that are each durable. While others write, the steps are small and
// it rests after each, so that writers keep most of the time of the store. Completes nothing.

import { setTimeout as sleep } from "node:timers/promises";
import type { Deletion } from "../domain/deletion/deletion.ts";
import { limits } from "../domain/limits.ts";
import type { App } from "./app.ts";

/** While others write, the erasure rests after a step for this many times what the step has worked. */
const restTimes = 4;
const restMsMax = 1_000;
/** How long others count as writing after their last write. */
const othersActiveMs = 500;
/** How often other deletions that are due are processed. */
const othersIntervalMs = 1_000;

export interface OrganizationWork {
  /** Ends the work between two steps. */
  readonly stopping: AbortSignal;
  readonly processOthers: () => Promise<void>;
}

/** Throws if it is stopped. */
export async function eraseOrganization(
  { store, now }: App,
  { deletionRequestId }: Deletion,
  { stopping, processOthers }: OrganizationWork,
): Promise<void> {
  const writers = new OtherWriters();
  let othersAt = performance.now();
  for (;;) {
    stopping.throwIfAborted();
    const act = { actor: "worker", now: now() };
    const { organizationStepRowsMax: rows, organizationStepRowsAloneMax: rowsAlone } = limits;
    const rowsMax = writers.areActive ? rows : rowsAlone;
    const step = await store.eraseStep(deletionRequestId, rowsMax, act);
    const { done, workMs = 0, latestArrival = 0 } = step;
    if (done) return;
    writers.observe(latestArrival);
    const restMs = writers.areActive ? Math.min(workMs * restTimes, restMsMax) : 0;
    await sleep(restMs, undefined, { signal: stopping });
    if (performance.now() - othersAt < othersIntervalMs) continue;
    await processOthers();
    othersAt = performance.now();
  }
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
