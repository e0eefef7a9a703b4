// What SQLite itself finds wrong with the file.

import { findingsMax } from "../../sql/trail/integrity.ts";
import type { Connection } from "../connection.ts";

export function checkFile(connection: Connection): readonly string[] {
  return connection
    .all<{ integrity_check: string }>(`PRAGMA integrity_check(${findingsMax})`)
    .map((row) => row.integrity_check)
    .filter((line) => line !== "ok")
    .map((line) => `SQLite reports about the file: ${line}.`);
}
