// Follows the peak of the resident memory of a process until it ends. NaN on systems without /proc.

import { readMemory } from "../test/support/process-memory.ts";

const everyMs = 10;

export interface MemoryWatch {
  /** The peak of the process so far, in bytes. */
  peakBytes(): number;
  stop(): void;
}

/** VmHWM is the peak that the system records, so none is missed between two measurements. */
export function watchMemory(pid: number): MemoryWatch {
  let peak = Number.NaN;
  const look = (): void => {
    peak = readMemory(pid).peakBytes ?? peak;
  };
  const timer = setInterval(look, everyMs);
  return {
    peakBytes: () => {
      look();
      return peak;
    },
    stop: () => clearInterval(timer),
  };
}
