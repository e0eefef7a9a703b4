// The embedded store as what a move copies from: it can be read, and nobody can serve it or write to it until the move lets
// go. Writes nothing itself.

import { isPresent } from "../../files/present.ts";
import { type AuditHead, emptyChain } from "../row/audit-row.ts";
import type { MoveEnds, MoveSource } from "../move.ts";
import type { MovedRow, MovedTable, MovedValue } from "../move/moved-tables.ts";
import { StoreError } from "../store-error.ts";
import { type Connection, isBusy, openWriter, rollBack } from "./connection.ts";
import { migrate } from "./migration/migrate.ts";
import { takeServingRight } from "./file/serving-right.ts";

/** Rows that a move copies in one transaction. */
const movePageRows = 5_000;
/** Bytes of these rows. */
const movePageBytes = 4 * 1_024 * 1_024;

const readEnds = `
  SELECT store_id, receipt_no, hash,
    (SELECT value FROM counter WHERE name = 'arrival') AS arrival,
    (SELECT value FROM meta WHERE name = 'credentials_version') AS credentials
  FROM receipt_head`;

const readLastEntry = `SELECT entry_no, hash FROM audit_entry ORDER BY entry_no DESC LIMIT 1`;

/** A change is kept under its record's number; on other engines under its key. */
const tableOn: Readonly<Record<string, string>> = {
  change: "record CROSS JOIN change USING (record_no)",
};

/**
 * Where a page begins, if not like this: the key is spread over two tables, and SQLite has to see by which part of it the
 * first is searched.
 */
const afterOn: Readonly<Record<string, string>> = {
  change: `(organization_id, resource_type, resource_id) >= (?1, ?2, ?3) AND change_no > CASE
    WHEN (organization_id, resource_type, resource_id) = (?1, ?2, ?3) THEN ?4 ELSE 0 END`,
};

/** Throws StoreError, also if the store is being served, or written to by a command. */
export function openSqliteMoveSource(path: string): MoveSource {
  if (!isPresent(path, "The store")) {
    throw new StoreError(`There is no store at ${path} to move. Check DATABASE_URL.`);
  }
  const right = takeServingRight(path);
  let connection: Connection | undefined;
  try {
    connection = openWriter(path);
    migrate(connection);
    keepWritersOut(connection);
  } catch (error) {
    connection?.close();
    right.release();
    throw error;
  }
  return makeSource(connection, () => right.release());
}

/** The lock of one who is about to write, held without writing: all that is read is of one moment, too. */
function keepWritersOut(connection: Connection): void {
  try {
    connection.run("BEGIN IMMEDIATE");
  } catch (cause) {
    if (!isBusy(cause)) throw cause;
    throw new StoreError(
      `Another command writes to the store ${connection.path}. Run the move when it is done.`,
      { cause },
    );
  }
}

function makeSource(connection: Connection, release: () => void): MoveSource {
  return {
    readPage: async (table, after) => readPage(connection, table, after),
    readEnds: async () => readMoveEnds(connection),
    close: async () => {
      rollBack(connection);
      connection.close();
      release();
    },
  };
}

/** Ends early where the rows are large. */
function readPage(
  connection: Connection,
  table: MovedTable,
  after: MovedRow | undefined,
): readonly MovedRow[] {
  const columns = Object.keys(table.columns);
  const rows: MovedRow[] = [];
  let bytes = 0;
  const found = connection.each<Readonly<Record<string, MovedValue>>>(
    pageQuery(table, after !== undefined),
    ...(after ?? []),
  );
  for (const row of found) {
    const values = columns.map((name) => row[name] ?? null);
    rows.push(values);
    for (const value of values) if (typeof value === "string") bytes += value.length;
    if (bytes > movePageBytes) break;
  }
  return rows;
}

/** There are two for each table. */
export function pageQuery(table: MovedTable, isLater: boolean): string {
  const { name, key } = table;
  const places = key.map((_, index) => `?${index + 1}`).join(", ");
  const after = afterOn[name] ?? `(${key.join(", ")}) > (${places})`;
  return `
    SELECT ${Object.keys(table.columns).join(", ")} FROM ${tableOn[name] ?? name}
    ${isLater ? `WHERE ${after}` : ""}
    ORDER BY ${key.join(", ")} LIMIT ${movePageRows}`;
}

interface EndsRow {
  readonly store_id: string;
  readonly receipt_no: number;
  readonly hash: string;
  readonly arrival: number;
  readonly credentials: number;
}

function readMoveEnds(connection: Connection): MoveEnds {
  const row = connection.get<EndsRow>(readEnds);
  if (row === undefined) throw new TypeError("the chain of receipts has no end");
  const last = connection.get<AuditHead>(readLastEntry) ?? emptyChain;
  return {
    storeId: row.store_id,
    arrivalNo: row.arrival,
    credentialsVersion: row.credentials,
    receiptNo: row.receipt_no,
    receiptHash: row.hash,
    auditEntryNo: last.entry_no,
    auditHash: last.hash,
  };
}
