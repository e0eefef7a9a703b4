// The database as the target of a move from an embedded store: rows are added page by page, each with the progress of
// the move in the same transaction. From the reservation to the end of the move nobody else can open it
// (refuseUnfinishedMove). Never accepts rows of two stores.

import { setTimeout as sleep } from "node:timers/promises";
import type { Act } from "../../interface/act.ts";
import type { MovePage, MovePlace, MoveTarget, StoreSummary } from "../../interface/move.ts";
import { differingTables, rowsOf } from "../../move/move-summary.ts";
import { fromText, toText } from "../../move/neutral-row.ts";
import { appendAudit } from "../../sql/trail/audit.ts";
import { movedTables } from "../../sql/trail/move.ts";
import { readMoveEnds } from "../../sql/trail/move.ts";
import { StoreError } from "../../interface/store-error.ts";
import { commitInTwoPhases, awaitVisibleCommits } from "../citus.ts";
import type { Database } from "../database.ts";
import { hasState, insufficientPrivilege } from "../failure.ts";
import { insertRows, readRows, writeEnds } from "./moved-rows.ts";
import { rebuilding } from "../../sql/statement/visibility.ts";
import type { Transaction } from "../transaction.ts";

/** How long a move waits for the connections of other processes to end. */
const moveOthersGoneMsMax = 10_000;

const findMove = `
  SELECT store_id, summary, table_name, last_key, rows_copied FROM move WHERE single`;
const lockMove = `${findMove} FOR UPDATE`;

/** The embedded store has not been read completely yet, so there is no summary. */
const unread = "";

const insertMove = `INSERT INTO move (store_id, summary) VALUES ($1, '${unread}')`;

const setRead = `UPDATE move SET summary = $1, table_name = $2 WHERE single`;

/** Changes the row only if the stored progress is what this process assumes. */
const setProgress = `
  UPDATE move SET table_name = $1, last_key = $2, rows_copied = $3
  WHERE rows_copied = $4 AND table_name = $5`;

/** Removes the row from the file at once, unlike DELETE. */
const clearMove = `TRUNCATE move`;

const findOthers = `
  SELECT count(*)::int AS others FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'sluice' AND pid <> pg_backend_pid()`;

const pollMs = 200;

interface MoveRow {
  readonly store_id: string;
  readonly summary: string;
  readonly table_name: string | null;
  readonly last_key: string | null;
  readonly rows_copied: number;
}

export function makeMoveTarget(database: Database): MoveTarget {
  return {
    tables: movedTables,
    reserve: (storeId) => reserve(database, storeId),
    begin: (storeId, summary) => begin(database, storeId, summary),
    addPage: (page) =>
      database.transaction(rebuilding, (transaction) => addPage(transaction, page)),
    readPage: (table, after) =>
      database.transaction(rebuilding, (transaction) => readRows(transaction, table, after)),
    readEnds: () => database.transaction(rebuilding, (tx) => tx.perform(readMoveEnds)),
    writeEnds: (ends) =>
      database.transaction(rebuilding, async (transaction) => {
        await awaitVisibleCommits(transaction);
        await writeEnds(transaction, ends);
      }),
    finish: (summary, act) =>
      database.transaction(rebuilding, (transaction) => finish(transaction, summary, act)),
    [Symbol.asyncDispose]: () => database.close(),
  };
}

async function reserve(database: Database, storeId: string): Promise<void> {
  await awaitOthersGone(database);
  const isNew = await database
    .transaction(rebuilding, async (transaction) => {
      const found = await transaction.get<MoveRow>(findMove);
      if (found !== undefined) refuseOther(found, storeId);
      else await refuseFilled(transaction);
      if (found === undefined) await transaction.run(insertMove, storeId);
      return found === undefined;
    })
    .catch((error: unknown) => {
      throw hasState(error, insufficientPrivilege) ? forbidden(error) : error;
    });
  try {
    // A process that connected before the reservation was visible may already serve the target.
    await awaitOthersGone(database);
  } catch (error) {
    if (isNew) await database.transaction(rebuilding, (transaction) => transaction.run(clearMove));
    throw error;
  }
}

async function begin(
  database: Database,
  storeId: string,
  summary: StoreSummary,
): Promise<MovePlace> {
  return database.transaction(rebuilding, async (transaction) => {
    await awaitVisibleCommits(transaction);
    const found = await transaction.get<MoveRow>(lockMove);
    if (found === undefined) throw new TypeError("the target was not reserved");
    if (found.summary !== unread) return resumeFrom(found, { storeId, summary });
    refuseOther(found, storeId);
    const first = movedTables[0]?.name ?? null;
    await transaction.run(setRead, JSON.stringify(summary), first);
    return { table: first ?? undefined, after: undefined, rows: 0 };
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

function resumeFrom(
  found: MoveRow,
  { storeId, summary }: { readonly storeId: string; readonly summary: StoreSummary },
): MovePlace {
  refuseOther(found, storeId);
  const changed = differingTables(JSON.parse(found.summary) as StoreSummary, summary);
  if (changed.length > 0) {
    throw new StoreError(
      `The embedded store has changed since its move was begun, in ${changed.join(", ")}. The copied rows are ` +
        "outdated: recreate the database empty, and run the move again.",
    );
  }
  const table = movedTables.find(({ name }) => name === found.table_name);
  const after =
    table === undefined || found.last_key === null ? undefined : fromText(found.last_key);
  return { table: table?.name, after, rows: found.rows_copied };
}

function refuseOther(found: MoveRow, storeId: string): void {
  if (found.store_id === storeId) return;
  throw new StoreError(
    `Another embedded store, ${found.store_id}, is being moved to the database that --to names; this one is ${storeId}. ` +
      "Name the other one in DATABASE_URL to continue its move, or use another database for this one.",
  );
}

async function refuseFilled(transaction: Transaction): Promise<void> {
  for (const { name } of movedTables) {
    if ((await transaction.all(`SELECT 1 FROM ${name} LIMIT 1`)).length === 0) continue;
    throw new StoreError(
      `The database that --to names is in use: it has rows in ${name}. A store can only be moved to an empty database.`,
    );
  }
}

async function addPage(transaction: Transaction, { table, rows, from, next }: MovePage) {
  if (rows.length > 0) await commitInTwoPhases(transaction);
  await insertRows(transaction, table, rows);
  const key = next.after === undefined ? null : toText(next.after);
  const place = [next.table ?? null, key, next.rows] as const;
  const changed = await transaction.run(setProgress, ...place, from.rows, table.name);
  if (changed === 1) return;
  throw new StoreError("Another process is moving a store to the same database.");
}

async function finish(transaction: Transaction, summary: StoreSummary, act: Act): Promise<void> {
  const { storeId, arrivalNo } = await transaction.perform(readMoveEnds);
  await transaction.perform(appendAudit, {
    at: act.now,
    actor: act.actor,
    action: "store.move",
    organizationId: undefined,
    subject: storeId,
    detail: { from: "sqlite", to: "postgres", rows: rowsOf(summary), arrivalNo },
  });
  await transaction.run(clearMove);
}

function forbidden(cause: unknown): StoreError {
  return new StoreError(
    "The role in --to may not fill the database. Use the role that owns the tables, as for `sluice migrate`.",
    { cause },
  );
}

/** An incomplete store must be neither served nor changed. */
export async function refuseUnfinishedMove(transaction: Transaction): Promise<void> {
  const found = await transaction.get<MoveRow>(findMove);
  if (found === undefined) return;
  throw new StoreError(
    `The move of the embedded store ${found.store_id} to the database that DATABASE_URL names is not finished. Run ` +
      "`sluice move` again with the DATABASE_URL of the embedded store; it continues where it stopped. Or recreate " +
      "the database.",
  );
}
