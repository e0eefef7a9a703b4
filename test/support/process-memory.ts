// How much memory a process holds: now, and the peak since the last reset (proc_pid_status(5)).
// Linux only.

import { readFileSync, writeFileSync } from "node:fs";

/** Undefined where the system does not provide it. */
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

/** Resets the peak (proc_pid_clear_refs(5)). */
export function resetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // Only Linux has it; the peak is unknown elsewhere too.
  }
}

function bytesOf(status: string, name: string): number | undefined {
  const kibibytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes) * 1_024;
}
