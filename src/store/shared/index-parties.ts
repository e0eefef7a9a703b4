// Advances the index of parties before a deletion depends on it, for a limited time. Between two blocks it pauses as
// long as the block took, so that half of the time is left for other work.

import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../interface/store.ts";

/** After this time the caller serves other work. */
const indexingMsMax = 1_000;

export interface PartyIndexing {
  readonly settledArrival: Store["settledArrival"];
  readonly index: Store["parties"]["index"];
}

export function makePartyIndexing({ settledArrival, index }: PartyIndexing): () => Promise<void> {
  return async () => {
    const until = performance.now() + indexingMsMax;
    for (let more = true; more && performance.now() < until;) {
      const beganAt = performance.now();
      more = await index((await settledArrival()).settled);
      if (more) await sleep(performance.now() - beganAt);
    }
  };
}
