// What a move reads of either engine: pages of a table, and the numbers and chain heads that the target continues from.

import type { MoveEnds, MovedTable } from "../../interface/move.ts";
import { reader } from "../../row/reader.ts";
import { find, type Statements } from "../statement/statements.ts";

const findEnds = `
  SELECT store_id, receipt_no, receipt_head.hash AS receipt_hash, salt_key,
    entry_no AS audit_entry_no, audit_head.hash AS audit_hash,
    --sqlite (SELECT value FROM counter WHERE name = 'arrival') AS arrival_no,
    --sqlite (SELECT value FROM meta WHERE name = 'credentials_version') AS credentials_version
    --postgres (SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM arrival) AS arrival_no,
    --postgres (SELECT value FROM counter WHERE name = 'credentials_version') AS credentials_version
  FROM receipt_head CROSS JOIN audit_head`;

const toEnds = reader<MoveEnds>({});

export function* readMoveEnds(): Statements<MoveEnds> {
  const ends = yield* find(toEnds, findEnds);
  if (ends === undefined) throw new TypeError("the chains have no heads");
  return ends;
}

export interface PageOptions {
  /** True for a page after a key, whose values are $1, $2… */
  readonly isLater: boolean;
  readonly rowsMax: number;
  /** If a table is not read directly: the tables to read instead, and the condition that finds a later page. */
  readonly source?: { readonly from: string; readonly after: string } | undefined;
}

/** There are two texts for each table. */
export function pageQuery(table: MovedTable, { isLater, rowsMax, source }: PageOptions): string {
  const key = table.key.join(", ");
  const places = table.key.map((_, index) => `$${index + 1}`).join(", ");
  return `
    SELECT ${Object.keys(table.columns).join(", ")} FROM ${source?.from ?? table.name}
    ${isLater ? `WHERE ${source?.after ?? `(${key}) > (${places})`}` : ""}
    ORDER BY ${key} LIMIT ${rowsMax}`;
}
