// The arrival number up to which an export reads, and the end of transactions that write. Pages of an export are read
// in ../sql/export.ts.

import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../interface/store-error.ts";
import { awaitVisibleCommits } from "./citus.ts";
import type { Database } from "./database.ts";
import { allOrganizations } from "../sql/statement/visibility.ts";
import { findLatestArrival } from "../sql/record/record.ts";
import type { Transaction } from "./transaction.ts";

/** How long an export waits for transactions that began before it. */
const exportStartMsMax = 30_000;

/**
 * Finds the transactions that write changes or replies: each holds this lock from before its first number until its
 * end.
 */
const findWriters = `
  SELECT DISTINCT virtualtransaction AS writer FROM pg_locks
  WHERE database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND relation IN ('change'::regclass, 'idempotent_reply'::regclass)
    AND mode = 'RowExclusiveLock' AND granted`;

const writersPollMs = 5;

/**
 * Reads the latest arrival number, and waits until every transaction that may have taken this number or a lower one has
 * ended. So no change up to the number is added later, every change acknowledged by now is included, and later requests
 * are not.
 */
export async function readLatestArrival(database: Database): Promise<number> {
  const { latest, writers } = await database.transaction(allOrganizations, async (transaction) => ({
    latest: await transaction.perform(findLatestArrival),
    writers: await readWriters(transaction),
  }));
  await awaitEnd(database, writers);
  return latest;
}

/** Resolves when every transaction that writes records now has ended, so that what it has written can be seen. */
export async function awaitWriters(database: Database): Promise<void> {
  await awaitEnd(database, await database.inOneGo(allOrganizations, readWriters));
}

async function awaitEnd(database: Database, writers: readonly string[]): Promise<void> {
  const until = performance.now() + exportStartMsMax;
  let pending = writers;
  while (pending.length > 0) {
    if (performance.now() > until) {
      throw new StoreError("A transaction on the server keeps writing; try again later.");
    }
    await sleep(writersPollMs);
    const still = new Set(await database.inOneGo(allOrganizations, readWriters));
    pending = pending.filter((writer) => still.has(writer));
  }
  if (database.distributed) await database.transaction(allOrganizations, awaitVisibleCommits);
}

async function readWriters(transaction: Transaction): Promise<readonly string[]> {
  const rows = await transaction.all<{ writer: string }>(findWriters);
  return rows.map(({ writer }) => writer);
}
