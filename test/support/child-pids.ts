// Which processes a process has started, so that they can be killed with it. Kills nothing.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Its children, not theirs. */
export function childPids(parent: number): readonly number[] {
  const pairs = existsSync("/proc/self/stat") ? readProc() : readPs();
  return pairs.filter(([, ppid]) => ppid === parent).map(([pid]) => pid);
}

/** Fields 1 and 4 of /proc/PID/stat (proc_pid_stat(5)). */
function readProc(): (readonly [number, number])[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [, ppid] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return [[Number(name), Number(ppid)] as const];
    } catch {
      return []; // It has ended meanwhile.
    }
  });
}

function readPs(): (readonly [number, number])[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).split("\n");
  return lines.map((line) => {
    const [pid, ppid] = line.trim().split(/\s+/).map(Number);
    return [pid ?? 0, ppid ?? 0] as const;
  });
}
