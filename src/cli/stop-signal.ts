// Waits for the signal that asks a process to stop. During the delay before a stop, a second signal ends the delay; at
// any other time it ends the process at once.

import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * A Ctrl-C reaches a process from the terminal, and again from each launcher above it, such as npm. Those copies arrive
 * within moments, so a signal this soon after another one is ignored.
 */
const copiesMs = 200;

/** SIGHUP, the end of a terminal, stops it in the same way: settings are read at the start only. */
const names = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

export interface StopSignal extends Disposable {
  readonly received: Promise<NodeJS.Signals>;
  /** Resolves after the time, or at the next signal, which then has no other effect. */
  delay(ms: number): Promise<void>;
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
    [Symbol.dispose]: () => {
      for (const name of names) process.off(name, onSignal);
    },
  };
}

export async function runUntilStopped<Result>(
  work: (stopping: AbortSignal) => Promise<Result>,
  reason?: Error,
): Promise<Result> {
  using stop = awaitStopSignal();
  const stopping = new AbortController();
  void stop.received.then(() => stopping.abort(reason));
  return await work(stopping.signal);
}
