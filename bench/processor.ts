// Reads processor time from /proc of Linux, in ticks of 10 milliseconds. NaN on systems without /proc, where the
// columns that need it stay empty.

import { readFileSync } from "node:fs";

const ticksPerSecond = 100;

/** User and system time of one process with all its threads (proc_pid_stat(5), fields 14 and 15). */
export function cpuSecondsOf(pid: number | undefined): number {
  return sum(fieldsOf(pid, 14, 15)) / ticksPerSecond;
}

/** The same of all children of a process that have ended (fields 16 and 17). */
export function reapedSeconds(pid: number = process.pid): number {
  return sum(fieldsOf(pid, 16, 17)) / ticksPerSecond;
}

function fieldsOf(pid: number | undefined, ...numbers: readonly number[]): readonly number[] {
  const stat = read(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return numbers.map((number) => Number(fields[number - 3]));
}

/** Time of the whole machine, except idle time and waiting for disks (proc_stat(5)). */
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
