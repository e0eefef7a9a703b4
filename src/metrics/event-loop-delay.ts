// The delay of this thread's event loop over the last one to two windows, however often it is read. A histogram loses a
// sample when it is reset, so there are two that are reset in turn.

import { type ELDHistogram, monitorEventLoopDelay } from "node:perf_hooks";

const resolutionMs = 10;

interface EventLoopDelay {
  /** 0 until there is a sample. */
  figures(): { readonly p99Seconds: number; readonly maxSeconds: number };
  stop(): void;
}

/** Does not keep the process alive. */
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

/** Nanoseconds between two samples; when the histogram is empty, its percentiles mean nothing. */
function delaySeconds({ count }: ELDHistogram, nanoseconds: number): number {
  return count === 0 ? 0 : Math.max(0, nanoseconds / 1e6 - resolutionMs) / 1_000;
}
