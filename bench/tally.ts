// Compares the acknowledged writes with the rows of the store after the server has stopped: the counts must be equal.

import { DatabaseSync } from "node:sqlite";
import type { OperationName } from "./requests.ts";

export interface Tally {
  records: number;
  changes: number;
}

/** Adds the acknowledged rows of a round to the expected count. */
export function acknowledge(tally: Tally, operation: OperationName | "seed", rows: number): void {
  if (operation === "check") return;
  tally.changes += rows;
  if (operation !== "update") tally.records += rows;
}

export function countStored(file: string): Tally {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return { records: countRows(database, "record"), changes: countRows(database, "change") };
  } finally {
    database.close();
  }
}

function countRows(database: DatabaseSync, table: "record" | "change"): number {
  return Number(database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.["rows"]);
}
