// Repeats rounds of work until it is stopped: waits between rounds, continues at once while there is work, and backs
// off when a round fails.

import { setTimeout as sleep } from "node:timers/promises";
import { backOffMs } from "../basics/back-off.ts";

/** While rounds fail for the same reason, it is reported only at intervals. */
const reportMs = 10_000;

export interface LoopOptions {
  readonly intervalMs: number;
  readonly backOffMsMax: number;
  readonly onError: (error: unknown) => void;
}

export interface Loop {
  /** Ends the current wait. During a round, the wait after it is left out: the round may have read too early. */
  wake(): void;
  /** Resolves when the current round has ended; no other begins. */
  stop(): Promise<void>;
}

/** `round` returns true if there may be more to do at once. */
export function startLoop(
  round: (stopping: AbortSignal) => Promise<boolean>,
  options: LoopOptions,
): Loop {
  const stopping = new AbortController();
  let waiting = new AbortController();
  let failures = 0;
  let reported = { reason: "", at: -Infinity };

  function report(error: unknown): void {
    const reason = String(error);
    const at = performance.now();
    if (stopping.signal.aborted || (reason === reported.reason && at - reported.at < reportMs))
      return;
    reported = { reason, at };
    options.onError(error);
  }

  async function runRound(): Promise<number> {
    try {
      const more = await round(stopping.signal);
      failures = 0;
      return more ? 0 : options.intervalMs;
    } catch (error) {
      report(error);
      failures += 1;
      return backOffMs(failures, options.intervalMs, options.backOffMsMax);
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      waiting = new AbortController();
      const waitMs = await runRound();
      if (waitMs === 0) continue;
      const signal = AbortSignal.any([stopping.signal, waiting.signal]);
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    wake: () => waiting.abort(),
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
