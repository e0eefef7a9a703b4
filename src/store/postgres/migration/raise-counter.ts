// Sets the sequence of arrival numbers above every number in the tables, before anything is written. The tables of a
// cluster are not searched: that would read every shard.

import { StoreError } from "../../interface/store-error.ts";
import { findStaleCounter } from "../../sql/record/arrival-counter.ts";
import type { Transaction } from "../transaction.ts";

/** An arbitrary number; of several processes that start at once, one sets the sequence. */
const lockKey = 7_518_242_302;

const lock = `SELECT pg_advisory_xact_lock($1)`;

const maySet = `SELECT has_sequence_privilege('arrival', 'UPDATE') AS allowed`;

const setArrival = `SELECT setval('arrival', $1)`;

/** Throws StoreError, with the statement to run, if the role may not set the sequence. */
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
    `The sequence of arrival numbers is at ${stale.given}, but ${stale.highest} was given, as after an upgrade by logical ` +
      "replication, which does not replicate sequences. Have the owner of the tables run: " +
      `SELECT setval('arrival', ${stale.safe});`,
  );
}
