// What a move reads from either engine: pages of the tables that it copies, and the numbers and chain heads from which
// the target continues. The columns of the tables are those of PostgreSQL in the schema; a test compares them with the
// real tables of both engines.

import type { MoveEnds, MovedTable, ColumnKind } from "./move.ts";
import { reader } from "../../../store/row/reader.ts";
import { find, type Statements } from "../../../store/sql/statement/statements.ts";
import type { StoreParts } from "../../../store/sql/store-parts.ts";

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
  /** For a table that is not read directly: the tables to read instead, and the condition that finds a later page. */
  readonly source?: { readonly from: string; readonly after: string } | undefined;
}

/** Each table has two texts. */
export function pageQuery(table: MovedTable, { isLater, rowsMax, source }: PageOptions): string {
  const key = table.key.join(", ");
  const places = table.key.map((_, index) => `$${index + 1}`).join(", ");
  return `
    SELECT ${Object.keys(table.columns).join(", ")} FROM ${source?.from ?? table.name}
    ${isLater ? `WHERE ${source?.after ?? `(${key}) > (${places})`}` : ""}
    ORDER BY ${key} LIMIT ${rowsMax}`;
}

/** Credentials come last: a process that serves the target by mistake accepts no caller. */
const namesOf = ({ list }: StoreParts): readonly string[] => [
  "record",
  "change",
  "arrival_timeline",
  "relation",
  "hold",
  "retention_floor",
  "proposal",
  "idempotent_reply",
  "receipt_key",
  "receipt",
  "audit_entry",
  "ledger",
  "deletion",
  "deletion_target",
  "restricted_reference",
  "pseudonym",
  ...list.flatMap(({ tables }) => tables),
  "deletion_recipient",
  "organization",
  "operator",
  "operator_passkey",
  "api_key",
  "access_token",
];

const kinds: Readonly<Record<string, ColumnKind>> = {
  text: "text",
  bigint: "number",
  bytea: "bytes",
  boolean: "flag",
};

export function movedTables(parts: StoreParts): readonly MovedTable[] {
  const tables = parts.tablesOn("postgres");
  return namesOf(parts).map((name) => {
    const { key, columns } = tables.get(name) ?? { key: [], columns: new Map<string, never>() };
    const moved = Array.from(
      columns,
      ([column, { type }]) => [column, kinds[type] ?? "text"] as const,
    );
    return { name, key, columns: Object.fromEntries(moved) };
  });
}
