// Watches how much memory processes have resident, as the system counts it (/proc): what they have now, and the most that
// they ever had. Where the system does not tell, the figures are NaN.

import { readFileSync } from "node:fs";

const everyMs = 10;
const kibibyte = 1_024;

export interface MemoryWatch {
  /** The most that the process had so far, in bytes. */
  peakBytes(): number;
  /** How often it was looked at. */
  looks(): number;
  stop(): void;
}

/** VmHWM is the system's own record of the peak, so none is missed between two looks. */
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
