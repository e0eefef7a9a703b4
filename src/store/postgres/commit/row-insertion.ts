// Builds INSERT statements with many rows of VALUES. Citus routes each of these rows to its shard, and checks conflicts
// there. Rows from arrays it would write to intermediate files, or insert with COPY, which row-level security forbids.
// Runs no statement.

import type { QueryConfig } from "pg";
import type { Insertion } from "../../sql/statement/statements.ts";

/** Longer statements gain nothing: Citus plans each row separately. */
const rowsAtOnce = 500;

/** The statement is not prepared: each number of rows has its own text, and Citus plans each time anyway. */
export function makeInsertion(
  { into, row, end }: Insertion,
  columns: readonly (readonly unknown[])[],
): readonly QueryConfig[] {
  const rows = columns[0]?.length ?? 0;
  const statements: QueryConfig[] = [];
  for (let from = 0; from < rows; from += rowsAtOnce) {
    const count = Math.min(rowsAtOnce, rows - from);
    let place = 0;
    const places = `${row}, `.repeat(count).slice(0, -2);
    const text = `${into} ${places.replaceAll("?", () => `$${(place += 1)}`)} ${end}`;
    const values = Array.from({ length: count }, (_, index) =>
      columns.map((column) => column[from + index]),
    ).flat();
    statements.push({ text, values });
  }
  return statements;
}
