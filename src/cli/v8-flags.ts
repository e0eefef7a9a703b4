// Flags of V8 that keep the memory of a process near what it needs. They change when and at what cost garbage is collected,
// never what a program does.

import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

export interface HeapLimits {
  /** Garbage in the old generation before it is collected, in percent of what is in use. V8's default is several times it. */
  readonly garbagePercent: number;
  /** Size of the young generation: it doubles until it has about this. V8's default if left out. */
  readonly youngGenerationBytes?: number;
}

const doubling = 2;
const staying = 1;

/** For this thread and all that it starts. */
export function limitHeap({ garbagePercent, youngGenerationBytes }: HeapLimits): void {
  setFlagsFromString(`--heap-growing-percent=${garbagePercent}`);
  if (youngGenerationBytes === undefined) return;
  // The limit itself can be set only at the start of a process, its growth at any time. An idle process shrinks the young
  // generation, so growth is allowed again.
  let factor = doubling;
  const adjust = (): void => {
    const wanted = youngGenerationSize() < youngGenerationBytes ? doubling : staying;
    if (wanted === factor) return;
    factor = wanted;
    setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  };
  new PerformanceObserver(adjust).observe({ entryTypes: ["gc"] });
}

function youngGenerationSize(): number {
  const spaces = getHeapSpaceStatistics();
  return spaces.find((space) => space.space_name === "new_space")?.space_size ?? 0;
}

/**
 * V8 allocates objects of allocation sites whose objects tended to survive in the old generation. While a server warms up,
 * the objects of requests in flight survive often, so V8 would allocate them there for the life of the process: dead at
 * once, they keep all young objects alive that they refer to, and young collections take ten times as long. To be called
 * before anything is compiled that serves requests; for all threads of the process.
 */
export function disablePretenuring(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}
