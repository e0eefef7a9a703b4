// Waits for the signal that asks a process to stop; a second one ends the process at once.

import { constants } from "node:os";

/**
 * Ctrl-C reaches a process once from the terminal and once more from each launcher above it, such as npm. Those copies
 * come within moments, so a signal this soon after the first is not taken for impatience.
 */
const copiesMs = 200;

const names = ["SIGTERM", "SIGINT"] as const;

export interface StopSignal {
  readonly received: Promise<NodeJS.Signals>;
  /** Leaves signals to whoever else cares for them. */
  release(): void;
}

export function awaitStopSignal(): StopSignal {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let firstAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    const now = performance.now();
    firstAt ??= now;
    if (now - firstAt > copiesMs) process.exit(128 + constants.signals[signal]);
    resolve(signal);
  };
  for (const name of names) process.on(name, onSignal);
  return {
    received: promise,
    release: () => {
      for (const name of names) process.off(name, onSignal);
    },
  };
}
