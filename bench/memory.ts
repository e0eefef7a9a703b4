// Reads the resident memory of processes from /proc: the current figure, and the peak. NaN on systems without /proc.

import { readFileSync } from "node:fs";

const everyMs = 10;
const kibibyte = 1_024;

export interface MemoryWatch {
  /** The peak of the process so far, in bytes. */
  peakBytes(): number;
  /** The number of measurements. */
  looks(): number;
  stop(): void;
}

/** VmHWM is the peak that the system records, so none is missed between two measurements. */
export function watchMemory(pid: number): MemoryWatch {
  let peak = Number.NaN;
  let looks = 0;
  const look = (): void => {
    const now = readPeak(pid);
    if (now === undefined) return;
    looks += 1;
    peak = Math.max(now, Number.isNaN(peak) ? 0 : peak);
  };
  const timer = setInterval(look, everyMs);
  return {
    peakBytes: () => {
      look();
      return peak;
    },
    looks: () => looks,
    stop: () => clearInterval(timer),
  };
}

function readPeak(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * kibibyte;
  } catch {
    return undefined;
  }
}
