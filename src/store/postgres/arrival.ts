// Up to where arrival numbers are settled. Groups take them from a sequence and commit in any order, so a number can
// become visible after a higher one. So a group marks where its numbers begin (commit/record.ts). Also waits for
// the end of writing transactions, and sets the sequence above every number in the tables, before anything is written.

import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../interface/store-error.ts";
import type { SettledArrival } from "../interface/store.ts";
import { findLatestArrival } from "../sql/record/record.ts";
import { allOrganizations } from "../sql/statement/visibility.ts";
import { awaitVisibleCommits } from "./citus.ts";
import { markBits, markKey } from "./commit/record.ts";
import { inSequence } from "./commit/settle-all.ts";
import type { Database } from "./database.ts";
import type { Transaction } from "./transaction.ts";
import { findStaleCounter } from "../sql/record/arrivals.ts";

const here = `database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

const findLeastMark = `
  SELECT min(((classid::bigint << 32) | objid::bigint) - ${markKey}) AS least FROM pg_locks
  WHERE locktype = 'advisory' AND mode = 'ShareLock' AND objsubid = 1 AND (classid::bigint >> ${markBits - 32}) = 5
    AND ${here}`;

/**
 * The number up to which every change is stored and none will be added, and the latest number. Waits for nobody:
 * transactions of other programs, and of ours that add no change, don't matter. The latest number is read before the
 * marks: a transaction that took it or a lower one has set its mark or has committed by then, and later transactions
 * take greater numbers. A later read sees all changes up to the result.
 */
export async function readSettledArrival(database: Database): Promise<SettledArrival> {
  const [latest, mark] = await database.inOneGo({}, (transaction) =>
    inSequence([
      transaction.perform(findLatestArrival),
      transaction.get<{ least: number | null }>(findLeastMark),
    ] as const),
  );
  if (database.distributed) await database.transaction({}, awaitVisibleCommits);
  return { settled: Math.min(latest, mark?.least ?? latest), latest };
}

/** Waits until it is settled: no change up to it is added later, and every acknowledged one is included. */
export async function readLatestArrival(database: Database): Promise<number> {
  const { latest, settled } = await readSettledArrival(database);
  const isSettled = async () => (await readSettledArrival(database)).settled >= latest;
  if (settled < latest) await waitUntil(isSettled);
  return latest;
}

/** Each transaction that writes changes or replies holds this lock from its first write until its end. */
const findWriters = `
  SELECT DISTINCT virtualtransaction AS writer FROM pg_locks
  WHERE relation IN ('change'::regclass, 'idempotent_reply'::regclass)
    AND mode = 'RowExclusiveLock' AND granted AND ${here}`;

/** Resolves when every transaction that writes records now has ended, so that what it has written can be seen. */
export async function awaitWriters(database: Database): Promise<void> {
  let pending = await database.inOneGo(allOrganizations, readWriters);
  const haveEnded = async () => {
    const still = new Set(await database.inOneGo(allOrganizations, readWriters));
    pending = pending.filter((writer) => still.has(writer));
    return pending.length === 0;
  };
  if (pending.length > 0) await waitUntil(haveEnded);
  if (database.distributed) await database.transaction(allOrganizations, awaitVisibleCommits);
}

async function readWriters(transaction: Transaction): Promise<readonly string[]> {
  const rows = await transaction.all<{ writer: string }>(findWriters);
  return rows.map(({ writer }) => writer);
}

/** How long somebody waits for transactions that began before. */
const waitMsMax = 30_000;
const pollMs = 5;

async function waitUntil(isDone: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + waitMsMax;
  while (!(await isDone())) {
    if (performance.now() > until) {
      throw new StoreError("A transaction on the server keeps writing; try again later.");
    }
    await sleep(pollMs);
  }
}

/** An arbitrary number; of several processes that start at once, one sets the sequence. */
const lockKey = 7_518_242_302;

const lock = `SELECT pg_advisory_xact_lock($1)`;

const maySet = `SELECT has_sequence_privilege('arrival', 'UPDATE') AS allowed`;

const setArrival = `SELECT setval('arrival', $1)`;

/**
 * Throws StoreError, with the statement to run, if the role may not set the sequence. Does nothing on a cluster: that
 * would read every shard.
 */
export async function raiseCounter(transaction: Transaction): Promise<void> {
  if (transaction.distributed || !(await transaction.perform(findStaleCounter))) return;
  await transaction.run(lock, lockKey);
  const stale = await transaction.perform(findStaleCounter);
  if (stale === undefined) return;
  const right = await transaction.get<{ allowed: boolean }>(maySet);
  if (right?.allowed === true) {
    await transaction.run(setArrival, stale.safe);
    return;
  }
  throw new StoreError(
    `The sequence of arrival numbers is at ${stale.counter}, but ${stale.highest} was given, as after an upgrade by logical ` +
      "replication, which does not replicate sequences. Have the owner of the tables run: " +
      `SELECT setval('arrival', ${stale.safe});`,
  );
}
