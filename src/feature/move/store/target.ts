// The database as the target of a move from an embedded store: rows are added page by page. From the reservation to the
// end of the move nobody else can open it (refuseUnfinishedMove), and no second move begins in it.

import { setTimeout as sleep } from "node:timers/promises";
import type { Act } from "../../../store/interface/act.ts";
import type {
  MovedRow,
  MovedTable,
  MoveTarget,
  ColumnKind,
  MovedValue,
  MoveEnds,
} from "./move.ts";
import { appendAudit } from "../../../store/sql/trail/audit.ts";
import { movedTables, readMoveEnds, pageQuery } from "./tables.ts";
import { StoreError } from "../../../store/interface/store-error.ts";
import { commitInTwoPhases, awaitVisibleCommits } from "../../../store/postgres/citus.ts";
import type { Database, Work } from "../../../store/postgres/database.ts";
import { hasState, insufficientPrivilege } from "../../../store/postgres/failure.ts";
import { rebuilding } from "../../../store/sql/statement/visibility.ts";
import type { Transaction } from "../../../store/postgres/transaction.ts";
import type { Insertion } from "../../../store/sql/statement/statements.ts";

/** How long a move waits for the connections of other processes to end. */
const moveOthersGoneMsMax = 10_000;

const findMove = `
  SELECT store_id, quote_ident(current_schema()) AS schema FROM move WHERE single`;

const insertMove = `INSERT INTO move (store_id) VALUES ($1)`;

/** Removes the row from the file at once, unlike DELETE. */
const clearMove = `TRUNCATE move`;

const findOthers = `
  SELECT count(*)::int AS others FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'sluice' AND pid <> pg_backend_pid()`;

const pollMs = 200;

export function makeMoveTarget(database: Database): MoveTarget {
  const inMove = <Result>(work: Work<Result>) => database.transaction(rebuilding, work);
  return {
    tables: movedTables(database.parts),
    reserve: (storeId) => reserve(database, storeId),
    addRows: (table, rows) => inMove((transaction) => addRows(transaction, table, rows)),
    readPage: (table, after) => inMove((transaction) => readRows(transaction, table, after)),
    readEnds: () => inMove((transaction) => transaction.perform(readMoveEnds)),
    writeEnds: (ends) => inMove((transaction) => writeEnds(transaction, ends)),
    finish: (rows, act) => inMove((transaction) => finish(transaction, rows, act)),
    [Symbol.asyncDispose]: () => database.close(),
  };
}

async function reserve(database: Database, storeId: string): Promise<void> {
  await awaitOthersGone(database);
  await database
    .transaction(rebuilding, async (transaction) => {
      await refuseUnfinishedMove(transaction);
      await refuseFilled(transaction);
      await transaction.run(insertMove, storeId);
    })
    .catch((error: unknown) => {
      throw hasState(error, insufficientPrivilege) ? forbidden(error) : error;
    });
  // A process that connected before the reservation was visible may already serve the target.
  await awaitOthersGone(database).catch(async (error: unknown) => {
    await database.transaction(rebuilding, (transaction) => transaction.run(clearMove));
    throw error;
  });
}

/** Statements of a killed move may still be running on the server for a moment. */
async function awaitOthersGone(database: Database): Promise<void> {
  const until = performance.now() + moveOthersGoneMsMax;
  for (;;) {
    const found = await database.transaction({}, (transaction) =>
      transaction.get<{ others: number }>(findOthers),
    );
    if (found?.others === 0) return;
    if (performance.now() > until) {
      throw new StoreError(
        "Other Sluice processes are connected to the database that --to names. Stop them: nothing may serve it before it " +
          "contains the whole store.",
      );
    }
    await sleep(pollMs);
  }
}

async function refuseFilled(transaction: Transaction): Promise<void> {
  for (const { name } of movedTables(transaction.storeParts)) {
    if ((await transaction.all(`SELECT 1 FROM ${name} LIMIT 1`)).length === 0) continue;
    throw new StoreError(
      `The database that --to names is in use: it has rows in ${name}. A store can only be moved to an empty database.`,
    );
  }
}

async function finish(transaction: Transaction, rows: number, act: Act): Promise<void> {
  const { storeId, arrivalNo } = await transaction.perform(readMoveEnds);
  await transaction.perform(appendAudit, {
    at: act.now,
    actor: act.actor,
    action: "store.move",
    organizationId: undefined,
    subject: storeId,
    detail: { from: "sqlite", to: "postgres", rows, arrivalNo },
  });
  await transaction.run(clearMove);
}

function forbidden(cause: unknown): StoreError {
  return new StoreError(
    "The role in --to may not fill the database. Use the role that owns the tables, as for `sluice migrate`.",
    { cause },
  );
}

/** Throws StoreError: an incomplete store must be neither served nor changed, and a move into it can't be continued. */
export async function refuseUnfinishedMove(transaction: Transaction): Promise<void> {
  const found = await transaction.get<{ store_id: string; schema: string }>(findMove);
  if (found === undefined) return;
  const { store_id: storeId, schema } = found;
  throw new StoreError(
    `The database contains only a part of the embedded store ${storeId}, because its move was not finished. Empty the ` +
      `database: as its owner, run DROP SCHEMA ${schema} CASCADE; CREATE SCHEMA ${schema}; or create ` +
      "the database again. Then run `sluice move` again with the DATABASE_URL of the embedded store, which is unchanged.",
  );
}

const moveReadBackRows = 1_000;

const arrays: Readonly<Record<ColumnKind, string>> = {
  text: "text[]",
  number: "bigint[]",
  bytes: "bytea[]",
  flag: "boolean[]",
};

async function addRows(
  transaction: Transaction,
  table: MovedTable,
  rows: readonly MovedRow[],
): Promise<void> {
  await commitInTwoPhases(transaction);
  if (rows.length === 0) return;
  const columns = Object.values(table.columns).map((kind, index) =>
    rows.map((row) => toValue(row[index] ?? null, kind)),
  );
  if (transaction.distributed) await transaction.insertEach(insertionOf(table), columns);
  else await transaction.run(insertQuery(table), ...columns);
}

async function readRows(
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

function toValue(value: MovedValue, kind: ColumnKind): boolean | MovedValue {
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

async function writeEnds(transaction: Transaction, ends: MoveEnds): Promise<void> {
  await awaitVisibleCommits(transaction);
  await transaction.run(setArrival, ends.arrivalNo);
  await transaction.run(setCredentials, ends.credentialsVersion);
  const { storeId, receiptNo, receiptHash, saltKey } = ends;
  await transaction.run(setReceiptHead, storeId, receiptNo, receiptHash, saltKey);
  await transaction.run(setAuditHead, ends.auditEntryNo, ends.auditHash);
}
