// Compares the acknowledged writes with the rows of the store after the server has stopped: the counts must be equal.

import type { OperationName } from "./requests.ts";
import type { TemporaryStore } from "./temporary-store.ts";

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

/** Floor and product have tables of the same names. */
export async function countStored(store: TemporaryStore): Promise<Tally> {
  const [records, changes] = [await countRows(store, "record"), await countRows(store, "change")];
  return { records, changes };
}

async function countRows(store: TemporaryStore, table: "record" | "change"): Promise<number> {
  const [row] = await store.query(`SELECT count(*) AS rows FROM ${table}`);
  return Number(row?.["rows"]);
}
