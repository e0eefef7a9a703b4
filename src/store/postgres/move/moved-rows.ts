// Writes and reads the rows of a move with multi-row statements built from the list of moved tables, and sets the
// numbers and the chain heads from which the target continues.

import type {
  ColumnKind,
  MovedRow,
  MovedTable,
  MovedValue,
  MoveEnds,
} from "../../interface/move.ts";
import { pageQuery } from "../../sql/trail/move.ts";
import type { Insertion } from "../../sql/statement/statements.ts";
import type { Transaction } from "../transaction.ts";

/** Rows that a move reads back at a time. */
const moveReadBackRows = 1_000;

const arrays: Readonly<Record<ColumnKind, string>> = {
  text: "text[]",
  number: "bigint[]",
  bytes: "bytea[]",
  flag: "boolean[]",
};

export async function insertRows(
  transaction: Transaction,
  table: MovedTable,
  rows: readonly MovedRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.values(table.columns).map((kind, index) =>
    rows.map((row) => toValue(row[index] ?? null, kind)),
  );
  if (transaction.distributed) await transaction.insertEach(insertionOf(table), columns);
  else await transaction.run(insertQuery(table), ...columns);
}

export async function readRows(
  transaction: Transaction,
  table: MovedTable,
  after: MovedRow | undefined,
): Promise<readonly MovedRow[]> {
  const found = await transaction.all<Readonly<Record<string, boolean | MovedValue>>>(
    pageQuery(table, { isLater: after !== undefined, rowsMax: moveReadBackRows }),
    ...(after ?? []),
  );
  const names = Object.keys(table.columns);
  return found.map((row) => names.map((name) => toMoved(row[name] ?? null)));
}

function toValue(
  value: MovedValue,
  kind: ColumnKind,
): null | boolean | number | string | Uint8Array {
  return kind === "flag" && value !== null ? value === 1 : value;
}

function toMoved(value: boolean | MovedValue): MovedValue {
  return typeof value === "boolean" ? Number(value) : value;
}

function insertQuery(table: MovedTable): string {
  const kinds = Object.values(table.columns);
  const places = kinds.map((kind, index) => `$${index + 1}::${arrays[kind]}`);
  return `${intoTable(table)} SELECT * FROM unnest(${places.join(", ")})`;
}

function insertionOf(table: MovedTable): Insertion {
  const row = Object.keys(table.columns).map(() => "?");
  return { into: `${intoTable(table)} VALUES`, row: `(${row.join(", ")})`, end: "" };
}

function intoTable({ name, columns }: MovedTable): string {
  return `INSERT INTO ${name} (${Object.keys(columns).join(", ")})`;
}

/** The third argument is false if the sequence has not been used: its first number is then the given one. */
const setArrival = `SELECT setval('arrival', greatest($1::bigint, 1), $1::bigint > 0)`;

const setCredentials = `UPDATE counter SET value = $1 WHERE name = 'credentials_version'`;

const setReceiptHead = `
  UPDATE receipt_head SET store_id = $1, receipt_no = $2, hash = $3, salt_key = $4`;

const setAuditHead = `UPDATE audit_head SET entry_no = $1, hash = $2`;

export async function writeEnds(transaction: Transaction, ends: MoveEnds): Promise<void> {
  await transaction.run(setArrival, ends.arrivalNo);
  await transaction.run(setCredentials, ends.credentialsVersion);
  const { storeId, receiptNo, receiptHash, saltKey } = ends;
  await transaction.run(setReceiptHead, storeId, receiptNo, receiptHash, saltKey);
  await transaction.run(setAuditHead, ends.auditEntryNo, ends.auditHash);
}
