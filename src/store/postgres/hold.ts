// Legal holds and the plans of deletions, which obey them: each organization's come one after another. The statements that
// every engine shares are in ../sql.

import type { Hold } from "../../domain/access.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import { type HoldRow, toHold } from "../row/hold-row.ts";
import type { HoldOutcome, NewHold } from "../holds.ts";
import * as holds from "../sql/hold.ts";
import type { Act } from "../store.ts";
import { settle } from "./citus.ts";
import { keyColumns } from "./record-key.ts";
import type { Transaction } from "./transaction.ts";

const findHeld = `
  SELECT hold.* FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY
      AS named (organization_id, resource_type, resource_id, item)
    JOIN hold USING (organization_id, resource_type, resource_id)
  ORDER BY item, placed_at, hold_id`;

const findFirst = `${findHeld} LIMIT 1`;

const lockPlans = `SELECT pg_advisory_xact_lock(hashtextextended('sluice plans of ' || $1, 0))`;

/**
 * Plans and holds of an organization come one after another: a plan that did not see the hold is seen by it. Released with
 * the transaction.
 */
export async function lockPlansOf(transaction: Transaction, organizationId: string): Promise<void> {
  await transaction.run(lockPlans, organizationId);
  await settle(transaction);
}

export async function placeHold(
  transaction: Transaction,
  args: { readonly hold: NewHold; readonly act: Act },
): Promise<HoldOutcome> {
  await lockPlansOf(transaction, args.hold.organizationId);
  return transaction.perform(holds.placeHold, args);
}

/** Those of several records, in their order. */
export async function findHoldsOf(
  transaction: Transaction,
  keys: readonly RecordKey[],
): Promise<readonly Hold[]> {
  return (await transaction.all<HoldRow>(findHeld, ...keyColumns(keys))).map(toHold);
}

/** A hold on the first of these records that is held, if any. They are all of one organization. */
export async function findFirstHeld(
  transaction: Transaction,
  keys: readonly RecordKey[],
): Promise<Hold | undefined> {
  const organizationId = keys[0]?.organizationId;
  if (organizationId === undefined) return undefined;
  if (!(await transaction.perform(holds.hasHolds, organizationId))) return undefined;
  const row = await transaction.get<HoldRow>(findFirst, ...keyColumns(keys));
  return row === undefined ? undefined : toHold(row);
}
