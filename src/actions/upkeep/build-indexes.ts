// Advances the index of parties, by which the transactions that name a person or a company are found.

import { setTimeout as sleep } from "node:timers/promises";
import type { App } from "../app.ts";

/** While others write, indexing takes a fortieth of the time; what needs the index advances it. */
const restTimes = 40;
const restMsMax = 10_000;

/** Indexes the next changes, then pauses beside writers. False: nothing is left. */
export function makePartyRound({ store }: App): (stopping: AbortSignal) => Promise<boolean> {
  let before: number | undefined;
  return async (signal) => {
    const { settled, latest } = await store.settledArrival();
    const startedAt = performance.now();
    const more = await store.parties.index(settled);
    const restMs = Math.min(restTimes * (performance.now() - startedAt), restMsMax);
    const isBeside = before !== undefined && latest > before;
    before = latest;
    if (isBeside && more) await sleep(restMs, undefined, { signal }).catch(() => undefined);
    return more;
  };
}
