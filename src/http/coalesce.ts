// Shares a run of an expensive function between calls: `coalesce` between those made while it runs, `once` between all.

import { setTimeout as sleep } from "node:timers/promises";

const pauseMsMax = 1_000;

/** Each run is followed by a pause of `pauseFactor` times its duration, however often the function is called. */
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

export function makeOnce<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
