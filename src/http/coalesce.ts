// Shares one run of an expensive function between all calls made while it runs. Stores no result: a later call starts
// another run.

import { setTimeout as sleep } from "node:timers/promises";

/** The longest pause between two runs, however long a run took. */
const pauseMsMax = 1_000;

/**
 * `pauseFactor`: each run is followed by a pause of this many times its duration, so that runs take a bounded share of
 * the time however often the function is called.
 */
export function coalesce<Value>(
  load: () => Promise<Value>,
  { pauseFactor = 0 }: { readonly pauseFactor?: number } = {},
): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  let pausedUntil = 0;
  const run = async (): Promise<Value> => {
    const pauseMs = pausedUntil - performance.now();
    if (pauseMs > 0) await sleep(pauseMs);
    const startedAt = performance.now();
    try {
      return await load();
    } finally {
      const endedAt = performance.now();
      pausedUntil = endedAt + Math.min(pauseMsMax, (endedAt - startedAt) * pauseFactor);
    }
  };
  return () => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
}
