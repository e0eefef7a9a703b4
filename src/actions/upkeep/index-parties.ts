// Advances the index of parties, by which the transactions that name a person or a company are found.

import type { App } from "../app.ts";
import { DeletionPace } from "../deletion/deletion-pace.ts";

/** While others write, the pause is this many times as long as one after a step of an erasure, which is waited for. */
const pauseTimes = 8;

/**
 * Returns a function that indexes the next changes and then pauses beside writers. It returns false if there is nothing
 * left to do.
 */
export function makePartyRound(app: App): (stopping: AbortSignal) => Promise<boolean> {
  const pace = new DeletionPace(app);
  return async (stopping) => {
    const { store } = app;
    const { settled, latest: latestArrival } = await store.settledArrival();
    const startedAt = performance.now();
    const more = await store.parties.index(settled);
    const workMs = (performance.now() - startedAt) * pauseTimes;
    if (more) await pace.rest({ latestArrival, workMs }, stopping).catch(() => undefined);
    return more;
  };
}
