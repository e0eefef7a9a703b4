// How much memory a process holds: now, and the most since it was last asked (proc_pid_status(5)). Linux only.

import { readFileSync, writeFileSync } from "node:fs";

/** Undefined where the system does not tell. */
export interface Memory {
  readonly residentBytes: number | undefined;
  readonly peakBytes: number | undefined;
}

export function readMemory(pid: number): Memory {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return { residentBytes: bytesOf(status, "VmRSS"), peakBytes: bytesOf(status, "VmHWM") };
  } catch {
    return { residentBytes: undefined, peakBytes: undefined };
  }
}

/** From here on the peak is counted anew (proc_pid_clear_refs(5)). */
export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // Only Linux has it; the peak is not known elsewhere either.
  }
}

function bytesOf(status: string, name: string): number | undefined {
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1_024;
}
