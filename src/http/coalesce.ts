// One run of an expensive function for all calls made while it runs. Stores no result: a call after its end starts
// another.

import { setTimeout as sleep } from "node:timers/promises";

/** The longest pause between two runs, however long a run took. */
const restMsMax = 1_000;

/**
 * `restTimes`: each run is followed by a pause of this many times its duration, so that runs take a bounded share of
 * the time however often the function is called.
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
