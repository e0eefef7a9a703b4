// One run of something expensive for all who ask while it is under way. Keeps no result: who asks after its end gets a new
// one.

import { setTimeout as sleep } from "node:timers/promises";

/** However long a run took, the next one waits no longer. */
const restMsMax = 1_000;

/**
 * `restTimes`: after each run there is a rest of so many times what it took, so that however often somebody asks, runs take
 * no more than a share of the time.
 */
export function coalesce<Value>(
  load: () => Promise<Value>,
  { restTimes = 0 }: { readonly restTimes?: number } = {},
): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  let restsUntil = 0;
  const run = async (): Promise<Value> => {
    const restMs = restsUntil - performance.now();
    if (restMs > 0) await sleep(restMs);
    const startedAt = performance.now();
    try {
      return await load();
    } finally {
      const endedAt = performance.now();
      restsUntil = endedAt + Math.min(restMsMax, (endedAt - startedAt) * restTimes);
    }
  };
  return () => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
}
