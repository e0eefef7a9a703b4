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

/** True if several connections can corrupt its WAL (sqlite.org/wal.html#walresetbug), or if it can't be parsed. */
export function canCorruptWal(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
  return !((major * 1_000 + minor) * 1_000 + patch >= 3_051_003);
}
