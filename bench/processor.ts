// Processor time as Linux counts it in /proc, in ticks of 10 milliseconds; NaN where there is no /proc, and then the
// columns that need it stay empty. Never estimates.

import { readFileSync } from "node:fs";

const ticksPerSecond = 100;

/** Of one process with all its threads, user and system (proc_pid_stat(5), fields 14 and 15). */
export function cpuSecondsOf(pid: number | undefined): number {
  const stat = read(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Of the whole machine, all but idling and waiting for disks (proc_stat(5)). */
export function machineSeconds(): number {
  const [user, nice, system, , , irq, softirq, steal] = read("/proc/stat")
    .split("\n", 1)
    .flatMap((line) => line.split(/ +/).slice(1).map(Number));
  return sum([user, nice, system, irq, softirq, steal]) / ticksPerSecond;
}

function sum(values: readonly (number | undefined)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? Number.NaN), 0);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
