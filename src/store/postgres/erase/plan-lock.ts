// The lock on an organization's deletion plans. Plans obey legal holds, so plans and holds of an organization are made
// one after another: a plan sees every hold, and a hold sees every plan.

import { awaitVisibleCommits } from "../citus.ts";
import type { Transaction } from "../transaction.ts";

const lockPlans = `SELECT pg_advisory_xact_lock(hashtextextended('sluice plans of ' || $1, 0))`;

/** Locks the plans of organizations until the end of the transaction. */
export async function lockPlansOf(transaction: Transaction, organizationId: string): Promise<void> {
  await transaction.run(lockPlans, organizationId);
  await awaitVisibleCommits(transaction);
}
