// How late the event loop of this thread runs what is due, over the last one to two windows, whoever asks and however often.
// Loses nothing between two windows: a histogram misses a sample when it is reset, so there are two, reset in turn.

import { type ELDHistogram, monitorEventLoopDelay } from "node:perf_hooks";

const resolutionMs = 10;

export interface EventLoopDelay {
  /** 0 until something was measured. */
  figures(): { readonly p99Seconds: number; readonly maxSeconds: number };
  stop(): void;
}

/** Keeps no process alive. */
export function watchEventLoopDelay(windowMs: number): EventLoopDelay {
  let [older, newer] = [startHistogram(), startHistogram()];
  const timer = setInterval(() => {
    older.reset();
    [older, newer] = [newer, older];
  }, windowMs).unref();
  return {
    figures: () => ({
      p99Seconds: delaySeconds(older, older.percentile(99)),
      maxSeconds: delaySeconds(older, older.max),
    }),
    stop: () => {
      clearInterval(timer);
      older.disable();
      newer.disable();
    },
  };
}

function startHistogram(): ELDHistogram {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  histogram.enable();
  return histogram;
}

/** What is measured is the time between two samples, in nanoseconds; of an empty histogram it is no figure. */
function delaySeconds({ count }: ELDHistogram, nanoseconds: number): number {
  return count === 0 ? 0 : Math.max(0, nanoseconds / 1e6 - resolutionMs) / 1_000;
}
