// The statements of a move: it reserves the database, and copies the tables page by page, the same on either engine,
// and the numbers and chain heads from which the database continues. The columns of the tables are those of PostgreSQL
// in the schema; a test compares them with the real tables of both engines.

import type { Act } from "../../../store/interface/act.ts";
import { StoreError } from "../../../store/interface/store-error.ts";
import { reader } from "../../../store/row/reader.ts";
import {
  find,
  get,
  insert,
  listsTogether,
  Rows,
  run,
  scalar,
  type Scalar,
  type Statements,
} from "../../../store/sql/statement/statements.ts";
import { type StoreParts, storeParts } from "../../../store/sql/store-parts.ts";
import { appendAudit } from "../../../store/sql/trail/audit.ts";
import { actions, refuseUnfinished } from "./part.ts";

export interface MovedTable {
  readonly name: string;
  /** The columns of the key, which is unique on every engine. They are the first columns of an index on each engine. */
  readonly key: readonly string[];
  /** The types of the columns on PostgreSQL, in the order of a row's values. */
  readonly columns: ReadonlyMap<string, { readonly type: string }>;
}

/** The same on every engine: bytes are hexadecimal text, and flags are booleans. */
export type MovedRow = readonly Scalar[];

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
  ...list.flatMap(({ tables, isDerived = false }) => (isDerived ? [] : tables)),
  "deletion_recipient",
  "organization",
  "operator",
  "operator_passkey",
  "api_key",
  "access_token",
];

/** In the order of copying; the same on every engine. */
export function movedTables(parts: StoreParts): readonly MovedTable[] {
  const tables = parts.tablesOn("postgres");
  return namesOf(parts).map((name) => ({ name, key: [], columns: new Map(), ...tables.get(name) }));
}

export function* listTables(): Statements<readonly MovedTable[]> {
  return movedTables(yield* storeParts());
}

const pageRows = 1_000;

/**
 * A change is stored under the number of its record on SQLite, and under the key of its record on PostgreSQL. The key
 * is spread over two tables, so SQLite has to see by which part of the key the first table is searched.
 */
const changePages = {
  from: `
    --sqlite record CROSS JOIN change USING (record_no)
    --postgres change`,
  later: `
    --sqlite (organization_id, resource_type, resource_id) >= ($1, $2, $3) AND change_no > CASE
    --sqlite   WHEN (organization_id, resource_type, resource_id) = ($1, $2, $3) THEN $4 ELSE 0 END
    --postgres (organization_id, resource_type, resource_id, change_no) > ($1, $2, $3, $4)`,
};

/** Each table has two texts: one for its first page, and one for pages after a key. */
function pageQuery({ name, key, columns }: MovedTable, isLater: boolean): string {
  const keys = key.join(", ");
  const plain = {
    from: name,
    later: `(${keys}) > (${key.map((_, at) => `$${at + 1}`).join(", ")})`,
  };
  const { from, later } = name === "change" ? changePages : plain;
  return `
    SELECT ${[...columns.keys()].join(", ")} FROM ${from}
    ${isLater ? `WHERE ${later}` : ""}
    ORDER BY ${keys} LIMIT ${pageRows}`;
}

/** The rows after one, in the order of the key; none at the end. */
export function* readPage(
  table: MovedTable,
  last: MovedRow | undefined,
): Statements<readonly MovedRow[]> {
  const columns = Array.from(table.columns, ([name, { type }]) => ({ name, type }));
  const after = table.key.map((name) => {
    const at = columns.findIndex((column) => column.name === name);
    const value = last?.[at] ?? null;
    return columns[at]?.type === "bytea" ? Buffer.from(String(value), "hex") : value;
  });
  const sql = pageQuery(table, last !== undefined);
  const [rows] = yield* listsTogether<[(Scalar | Uint8Array)[][]]>(
    last === undefined ? [sql] : [sql, ...after],
  );
  return rows.map((row) => row.map((value, at) => toMoved(value, columns[at]?.type)));
}

function toMoved(value: Scalar | Uint8Array, type: string | undefined): Scalar {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  return type === "boolean" && value !== null ? Boolean(value) : value;
}

/** Only on PostgreSQL. */
export function* addRows(
  { name, columns }: MovedTable,
  rows: readonly MovedRow[],
): Statements<void> {
  const names = [...columns.keys()].join(", ");
  const bytes = Array.from(columns.values(), ({ type }) => type === "bytea");
  const arrays = Array.from(
    columns.values(),
    ({ type }, at) => `$${at + 1}::${type === "bytea" ? "text" : type}[]`,
  );
  const valuesOf = (expressions: readonly string[]) =>
    expressions.map((one, at) => (bytes[at] === true ? `decode(${one}, 'hex')` : one)).join(", ");
  const into = `INSERT INTO ${name} (${names})`;
  const sql = `${into}
    SELECT ${valuesOf([...columns.keys()])} FROM unnest(${arrays.join(", ")}) AS given (${names})`;
  const row = `(${valuesOf(bytes.map(() => "?"))})`;
  yield* insert(sql, new Rows(rows, bytes.length), { into: `${into} VALUES`, row, end: "" });
}

/** The last numbers of the source. */
interface MoveEnds {
  readonly storeId: string;
  readonly arrivalNo: number;
  readonly credentialsVersion: number;
  readonly receiptNo: number;
  readonly receiptHash: string;
  readonly saltKey: string;
  readonly auditEntryNo: number;
  readonly auditHash: string;
}

const findEnds = `
  SELECT store_id, receipt_no, receipt_head.hash AS receipt_hash, salt_key,
    entry_no AS audit_entry_no, audit_head.hash AS audit_hash,
    --sqlite (SELECT value FROM counter WHERE name = 'arrival') AS arrival_no,
    --sqlite (SELECT value FROM meta WHERE name = 'credentials_version') AS credentials_version
    --postgres (SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM arrival) AS arrival_no,
    --postgres (SELECT value FROM counter WHERE name = 'credentials_version') AS credentials_version
  FROM receipt_head CROSS JOIN audit_head`;

const toEnds = reader<MoveEnds>({});

export function* readEnds(): Statements<MoveEnds> {
  const ends = yield* find(toEnds, findEnds);
  if (ends === undefined) throw new TypeError("the chains have no heads");
  return ends;
}

/** The third argument is false if the sequence has not been used: its first number is then the given one. */
const setArrival = `SELECT setval('arrival', greatest($1::bigint, 1), $1::bigint > 0)`;

const setCredentials = `UPDATE counter SET value = $1 WHERE name = 'credentials_version'`;

const setReceiptHead = `
  UPDATE receipt_head SET store_id = $1, receipt_no = $2, hash = $3, salt_key = $4`;

const setAuditHead = `UPDATE audit_head SET entry_no = $1, hash = $2`;

/** Only on PostgreSQL. */
export function* writeEnds(ends: MoveEnds): Statements<void> {
  yield* run(setArrival, ends.arrivalNo);
  yield* run(setCredentials, ends.credentialsVersion);
  const { storeId, receiptNo, receiptHash, saltKey } = ends;
  yield* run(setReceiptHead, storeId, receiptNo, receiptHash, saltKey);
  yield* run(setAuditHead, ends.auditEntryNo, ends.auditHash);
}

const insertMove = `INSERT INTO move (store_id) VALUES ($1)`;

/** Removes the row from the file at once, unlike DELETE. */
const clearMove = `TRUNCATE move`;

const countOthers = `
  SELECT count(*)::int AS others FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'sluice' AND pid <> pg_backend_pid()`;

/** Throws StoreError unless the database is empty and unused. */
export function* reserve(storeId: string): Statements<void> {
  yield* refuseUnfinished();
  for (const { name } of yield* listTables()) {
    if ((yield* get(`SELECT 1 FROM ${name} LIMIT 1`)) === undefined) continue;
    throw new StoreError(
      `The database that --to names is in use: it has rows in ${name}. A store can only be moved to an empty database.`,
    );
  }
  yield* run(insertMove, storeId);
}

export function* release(): Statements<void> {
  yield* run(clearMove);
}

/** Whether a process that would not notice the reservation is connected. */
export function* isInUse(): Statements<boolean> {
  return (yield* scalar<number>(countOthers)) !== 0;
}

/** After this the database may be served. */
export function* finish(rows: number, { now: at, actor }: Act): Statements<void> {
  const { storeId, arrivalNo } = yield* readEnds();
  yield* appendAudit({
    at,
    actor,
    action: actions["store.move"].name,
    organizationId: undefined,
    subject: storeId,
    detail: { from: "sqlite", to: "postgres", rows, arrivalNo },
  });
  yield* release();
}
