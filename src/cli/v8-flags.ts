// V8 flags that bound the memory of a process. They affect when garbage is collected and at what cost, never what a
// program does.

import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

export interface HeapLimits {
  /**
   * At what growth the old generation is collected, in percent of the memory in use. V8's default is several times
   * this.
   */
  readonly garbagePercent: number;
  /** The young generation doubles until it has about this size. V8's default if omitted. */
  readonly youngGenerationBytes?: number;
}

/**
 * The limits of a command that reads or writes many records: they are short-lived, so the heap can stay small. With
 * 30 % instead of 100, an import takes a tenth more processor time, and no less memory. With 4 MiB instead of 16, in
 * which lists in flight outlive the collections, it takes up to a tenth more, and 20 MB less memory.
 */
export const bulkHeap: HeapLimits = {
  garbagePercent: 100,
  youngGenerationBytes: 16 * 1_024 * 1_024,
};

/** If it has no store: lists that were sent are garbage of the old generation. With 100 %, it takes a tenth more. */
export const sendingHeap: HeapLimits = { ...bulkHeap, garbagePercent: 300 };

const doubling = 2;
const staying = 1;

/** Applies to this thread and all threads that it starts. */
export function limitHeap({ garbagePercent, youngGenerationBytes }: HeapLimits): void {
  setFlagsFromString(`--heap-growing-percent=${garbagePercent}`);
  if (youngGenerationBytes === undefined) return;
  // The limit itself can be set only when a process starts, but the growth factor at any time. V8 shrinks the young
  // generation of an idle process, so it must be allowed to grow again.
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
 * Disables pretenuring, with which V8 allocates objects that tend to survive directly in the old generation. While a
 * server warms up, the objects of requests in flight often survive, so V8 would do this for the life of the process.
 * These objects soon become garbage, but keep the young objects that they refer to alive, and young collections take
 * ten times as long. Applies to all threads of the process. Call it before any code that serves requests is compiled.
 */
export function disablePretenuring(): void {
  setFlagsFromString("--no-allocation-site-pretenuring");
}
