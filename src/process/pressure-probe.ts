// Measures the pressure on this process for load shedding: the delay of this thread's event loop, and resident memory.

import type { PressureProbe } from "../http/load/load-shedding.ts";
import { watchEventLoopDelay } from "../metrics/event-loop-delay.ts";
import { pressureSampleMs } from "../http/load/load-shedding.ts";

export interface OpenPressureProbe extends PressureProbe {
  stop(): void;
}

export function openPressureProbe(): OpenPressureProbe {
  const delay = watchEventLoopDelay(pressureSampleMs);
  let residentBytes = 0;
  return {
    eventLoopDelayMs: () => delay.figures().p99Seconds * 1_000,
    residentBytes: () => {
      try {
        residentBytes = process.memoryUsage.rss();
      } catch {
        // If no file descriptor is free, /proc can't be read, and the last value remains.
      }
      return residentBytes;
    },
    stop: () => delay.stop(),
  };
}
