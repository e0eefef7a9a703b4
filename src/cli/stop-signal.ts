// Waits for the signal that asks a process to stop. A further one ends the delay that a stop waits through, if there is one;
// else it ends the process at once.

import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Ctrl-C reaches a process once from the terminal and once more from each launcher above it, such as npm. Those copies
 * come within moments, so a signal this soon after another is not taken for a further one.
 */
const copiesMs = 200;

const names = ["SIGTERM", "SIGINT"] as const;

export interface StopSignal {
  readonly received: Promise<NodeJS.Signals>;
  /** Resolves after the time, or at the next signal, which then does nothing else. */
  delay(ms: number): Promise<void>;
  /** Leaves signals to whoever else cares for them. */
  release(): void;
}

export function awaitStopSignal(): StopSignal {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let lastAt: number | undefined;
  let delaying: AbortController | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    const isFirst = lastAt === undefined;
    if (lastAt !== undefined && now - lastAt <= copiesMs) return;
    lastAt = now;
    if (isFirst) resolve(signal);
    else if (delaying !== undefined) delaying.abort();
    else process.exit(128 + constants.signals[signal]);
  };
  for (const name of names) process.on(name, onSignal);
  return {
    received: promise,
    delay: async (ms) => {
      delaying = new AbortController();
      await sleep(ms, undefined, { signal: delaying.signal }).catch(() => undefined);
      delaying = undefined;
    },
    release: () => {
      for (const name of names) process.off(name, onSignal);
    },
  };
}
