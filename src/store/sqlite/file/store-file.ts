// Requires that the file of a store can have its WAL beside it, where every process that opens the store finds it.
// Never opens the file.

import { readFileSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { statOf } from "../../../files/present.ts";
import { StoreError } from "../../interface/store-error.ts";
import { describeFailure } from "../failure.ts";

/** Undefined without a file. Throws StoreError if it is no regular file, is not accessible, or would lose its WAL. */
export function sizeOfStore(path: string): number | undefined {
  let stats: Stats | undefined;
  try {
    stats = statOf(path, "The store");
  } catch (cause) {
    throw describeFailure(path, cause);
  }
  const why = stats === undefined ? undefined : findMistake(path, stats);
  if (why === undefined) return stats?.size;
  throw new StoreError(`The store ${path} can't be opened: ${why}`);
}

function findMistake(path: string, stats: Stats): string | undefined {
  if (!stats.isFile()) {
    return "it is not a regular file. DATABASE_URL names a file, such as sqlite:./data/sluice.db.";
  }
  if (isMountPoint(path, stats)) {
    return (
      "only this file is mounted, so its WAL, with the newest records, would be lost with the container. Mount the folder that " +
      "contains it."
    );
  }
  // Each name would have a WAL and a lock of its own (sqlite.org/howtocorrupt.html#_multiple_links_to_the_same_file).
  if (stats.nlink > 1) {
    return "the file has another name (a hard link), by which it could be used with another WAL. Remove that name.";
  }
  return undefined;
}

function isMountPoint(path: string, { dev }: Stats): boolean {
  return dev !== statSync(dirname(path)).dev || readMountPoints().includes(path);
}

/** A mount of a file from the same file system is visible only here (proc_pid_mountinfo(5)); empty except on Linux. */
function readMountPoints(): readonly string[] {
  let text: string;
  try {
    text = readFileSync("/proc/self/mountinfo", "utf8");
  } catch {
    return [];
  }
  return text.split("\n").map((line) => unescapeOctal(line.split(" ")[4] ?? ""));
}

/** Spaces and the like are written as a backslash and three octal digits. */
function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
