// Identifies the process that runs an import, so that a second import of the same file can find out whether the first
// is still running. A process id alone is not enough, because ids are reused.

import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { codeOf } from "../../files/file-error.ts";

export interface Owner {
  readonly host: string;
  readonly pid: number;
  /** When the process began, in clock ticks of its system; null if unknown. */
  readonly began: string | null;
}

export function thisProcess(): Owner {
  return { host: hostname(), pid: process.pid, began: readBegan(process.pid) };
}

/** True if this is another process, and it is running. False for other machines and containers, where it is unknown. */
export function isRunning({ host, pid, began }: Owner): boolean {
  if (host !== hostname() || pid === process.pid) return false;
  return exists(pid) && began === readBegan(pid);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** Fields 3 and 22 of /proc/PID/stat (proc_pid_stat(5)). A process that has ended may still be listed for a while. */
function readBegan(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}
