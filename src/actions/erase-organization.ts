// Erases everything that belongs to an organization, in steps that are each durable. Rests after each one, so that writers of
// other organizations keep most of the time of the store. Completes nothing.

import { setTimeout as sleep } from "node:timers/promises";
import type { Deletion } from "../domain/deletion/deletion.ts";
import { limits } from "../domain/limits.ts";
import type { App } from "./app.ts";

/** After a step the erasure rests for this many times what the step has worked. */
const restTimes = 4;
const restMsMax = 1_000;
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
  let othersAt = performance.now();
  for (;;) {
    stopping.throwIfAborted();
    const act = { actor: "worker", now: now() };
    const rowsMax = limits.organizationStepRowsMax;
    const { done, workMs = 0 } = await store.eraseStep(deletionRequestId, rowsMax, act);
    if (done) return;
    const restMs = Math.min(workMs * restTimes, restMsMax);
    await sleep(restMs, undefined, { signal: stopping });
    if (performance.now() - othersAt < othersIntervalMs) continue;
    await processOthers();
    othersAt = performance.now();
  }
}
