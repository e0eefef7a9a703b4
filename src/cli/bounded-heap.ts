// Keeps the memory of a process near what it needs. Left alone, V8 lets garbage grow to several times of what is in use
// before it looks at it, and takes 60 MB for what has just been made; a machine that does other work too wants it back.

import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

export interface HeapBounds {
  /** How much garbage there may be, in percent of what is in use, before it is collected. */
  readonly garbagePercent: number;
  /** Room for what has just been made: it doubles until it has about this, and no further. V8's own bound if left out. */
  readonly youngBytes?: number;
}

const doubling = 2;
const staying = 1;

/** For this thread and all that it starts. Only changes when V8 collects, never what a program does. */
export function boundHeap({ garbagePercent, youngBytes }: HeapBounds): void {
  setFlagsFromString(`--heap-growing-percent=${garbagePercent}`);
  if (youngBytes === undefined) return;
  // The bound itself can be set only when a process starts. Its growth can at any time, and has to be let go on where an
  // idle process has given the room back.
  let factor = doubling;
  const look = (): void => {
    const wanted = youngSpaceBytes() < youngBytes ? doubling : staying;
    if (wanted === factor) return;
    factor = wanted;
    setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  };
  new PerformanceObserver(look).observe({ entryTypes: ["gc"] });
}

function youngSpaceBytes(): number {
  const spaces = getHeapSpaceStatistics();
  return spaces.find((space) => space.space_name === "new_space")?.space_size ?? 0;
}
