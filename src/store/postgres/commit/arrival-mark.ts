// Marks where the arrival numbers of a transaction begin, so that readers know which ones may still become visible
// (../arrival.ts).

import type { Transaction } from "../transaction.ts";

/** The highest bits of the keys of these marks; the other bits are an arrival number. */
export const markBits = 54;
export const markKey = `(5::bigint << ${markBits})`;

/** Nobody waits for this lock: the numbers that the transaction takes are greater than the one in the key. */
export const markBeginning = `
  SELECT pg_advisory_xact_lock_shared(${markKey} | coalesce(pg_sequence_last_value('arrival'::regclass), 0))`;

const marked = new WeakSet<Transaction>();

/** Sends the mark; must be sent before the transaction takes its first number. */
export async function markArrival(transaction: Transaction): Promise<void> {
  if (marked.has(transaction)) return;
  marked.add(transaction);
  await transaction.run(markBeginning);
}
