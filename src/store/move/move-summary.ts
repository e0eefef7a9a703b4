// Summarizes each table as a count and a digest, in a form that is the same on every engine. Keeps at most one page of
// rows in memory.

import { createHash } from "node:crypto";
import type {
  MovedRow,
  MovedTable,
  MoveSide,
  StoreSummary,
  TableSummary,
} from "../interface/move.ts";
import { keyOf, toText } from "./neutral-row.ts";

export interface Summing {
  /** Called with each page. */
  readonly onPage?: (table: MovedTable, rows: readonly MovedRow[]) => Promise<void>;
  /** Called after each page with the number of rows so far. Throws to stop. */
  readonly onRows: (rows: number, table: string) => Promise<void>;
}

export async function summarise(side: MoveSide, summing: Summing): Promise<StoreSummary> {
  const { onPage, onRows } = summing;
  const summary: Record<string, TableSummary> = {};
  let before = 0;
  for (const table of side.tables) {
    const rowsBefore = before;
    const found = await summariseTable(side, table, async (page, rows) => {
      await onPage?.(table, page);
      await onRows(rowsBefore + rows, table.name);
    });
    summary[table.name] = found;
    before += found.rows;
  }
  return summary;
}

async function summariseTable(
  side: MoveSide,
  table: MovedTable,
  onPage: (page: readonly MovedRow[], rows: number) => Promise<void>,
): Promise<TableSummary> {
  const hash = createHash("sha256");
  let rows = 0;
  let after: MovedRow | undefined;
  for (;;) {
    const page = await side.readPage(table, after);
    const last = page.at(-1);
    if (last === undefined) return { rows, sha256: hash.digest("hex") };
    hash.update(page.map((row) => `${toText(row)}\n`).join(""));
    rows += page.length;
    after = keyOf(table, last);
    await onPage(page, rows);
  }
}

export function rowsOf(summary: StoreSummary): number {
  return Object.values(summary).reduce((sum, { rows }) => sum + rows, 0);
}

/** The tables whose summaries differ. */
export function differingTables(one: StoreSummary, other: StoreSummary): readonly string[] {
  return Object.keys({ ...one, ...other }).filter((name) => {
    const [of, beside] = [one[name], other[name]];
    return of?.rows !== beside?.rows || of?.sha256 !== beside?.sha256;
  });
}
