// Keeps the memory of a process near what it needs. Left alone, V8 lets garbage grow to several times of what is in use
// before it looks at it, and takes 50 MB for what has just been made; a machine that does other work too wants it back.

import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

const lookEveryMs = 50;

export interface HeapBounds {
  /** How much garbage there may be, in percent of what is in use, before it is collected. */
  readonly garbagePercent: number;
  /** Room for what has just been made: it grows to about this and no further. */
  readonly youngBytes: number;
}

/** For this thread and all that it starts. Only changes when V8 collects, never what a program does. */
export function boundHeap({ garbagePercent, youngBytes }: HeapBounds): void {
  setFlagsFromString(`--heap-growing-percent=${garbagePercent}`);
  // The bound itself can be set only when a process starts, and its growth at any time.
  const timer = setInterval(() => {
    if (youngSpaceBytes() < youngBytes) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    clearInterval(timer);
  }, lookEveryMs);
  timer.unref();
}

function youngSpaceBytes(): number {
  const spaces = getHeapSpaceStatistics();
  return spaces.find((space) => space.space_name === "new_space")?.space_size ?? 0;
}
