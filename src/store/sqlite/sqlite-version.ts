// The versions of SQLite with which a store may be opened. Knows nothing about stores.

import { DatabaseSync } from "node:sqlite";

let known: string | undefined;

/** Asks a database in memory: a connection to a store reads it, and recovers its WAL, before it says its version. */
export function sqliteVersion(): string {
  if (known === undefined) {
    const memory = new DatabaseSync(":memory:");
    known = String(memory.prepare("SELECT sqlite_version() AS version").get()?.["version"]);
    memory.close();
  }
  return known;
}

/** sqlite.org/wal.html#walresetbug: the first version with the correction, and the older branches that have it too. */
const fixed = [
  { major: 3, minor: 51, patch: 3 },
  { major: 3, minor: 50, patch: 7 },
  { major: 3, minor: 44, patch: 6 },
] as const;

/** True if several connections can corrupt its WAL, and for a version that can't be parsed. */
export function canCorruptWal(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  const [first] = fixed;
  if (major > first.major || (major === first.major && minor > first.minor)) return false;
  return !fixed.some((one) => major === one.major && minor === one.minor && patch >= one.patch);
}
