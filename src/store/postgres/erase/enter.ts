// What the transactions of a deletion see: its organization and the restricted set that it may fill; for the deletion of a set, also
// the organization it is from, whose rules apply, and the sets with reports that keep it. Changes nothing.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { restrictedId } from "../../../domain/deletion/restricted-set.ts";
import { listKeepingReports } from "../../sql/restricted-set.ts";
import type { Transaction } from "../transaction.ts";
import { lockRecords } from "../commit/record.ts";
import { lockPlansOf } from "./plan-lock.ts";

export async function enterFor(
  transaction: Transaction,
  { deletionRequestId, organizationId, restrictedOf }: Deletion,
): Promise<void> {
  if (restrictedOf === undefined) {
    return transaction.enter(organizationId, restrictedId(deletionRequestId));
  }
  const seen = [organizationId, restrictedOf];
  await transaction.enter(...seen);
  const reports = await transaction.perform(listKeepingReports, deletionRequestId, restrictedOf);
  const others = new Set(reports.map((report) => report.organizationId)).difference(new Set(seen));
  if (others.size > 0) await transaction.enter(...seen, ...others);
}

/**
 * Serializes with other plans and with holds of the same organization. The reports that keep a set are locked, so that no change of
 * one of them can move the end of its floor.
 */
export async function lockPlansFor(
  transaction: Transaction,
  { deletionRequestId, organizationId, restrictedOf }: Deletion,
): Promise<void> {
  if (restrictedOf !== undefined) await lockPlansOf(transaction, restrictedOf);
  await lockPlansOf(transaction, organizationId);
  if (restrictedOf === undefined) return;
  const reports = await transaction.perform(listKeepingReports, deletionRequestId, restrictedOf);
  await lockRecords(transaction, reports);
}
