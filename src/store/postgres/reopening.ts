// After a restore: deletions that were completed since the backup are opened again, from what the ledger knows of them.
// Erases nothing; the worker does, by the same path as ever.

import { carriedOutBefore, dueAgain, reopeningReason } from "../reopening.ts";
import type { LedgerEntry } from "../../domain/ledger-entry.ts";
import type { Act, Reopening } from "../store.ts";
import { appendAudit } from "./audit.ts";
import { lockReceiptHead, moveReceiptHead } from "./receipt.ts";
import type { Transaction } from "./transaction.ts";

const findSame = `SELECT deletion_request_id FROM deletion WHERE deletion_request_id = $1`;

const findOpen = `
  SELECT deletion_request_id FROM deletion
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3
    AND status IN ('pending', 'processing')`;

const insertDeletion = `
  INSERT INTO deletion
    (deletion_request_id, organization_id, resource_type, resource_id, reason, status,
     requested_by, requested_at, due_at, carried_out_before)
  VALUES ($1, $2, $3, $4, $5, 'pending', $6, $7, $8, $9)`;

const hurryDeletion = `
  UPDATE deletion SET
    due_at = least(due_at, $2::bigint), next_attempt_at = NULL, lease_until = 0,
    carried_out_before = $3
  WHERE deletion_request_id = $1 AND status IN ('pending', 'processing')`;

const countOpen = `
  SELECT count(*) AS open FROM deletion
  WHERE status IN ('pending', 'processing') AND carried_out_before IS NOT NULL`;

export async function reopenDeletions(
  transaction: Transaction,
  reopening: Reopening,
  act: Act,
): Promise<number> {
  const before = await lockReceiptHead(transaction);
  let open = 0;
  for (const entry of reopening.entries) if (await reopen(transaction, entry, act)) open += 1;
  const { head } = reopening;
  if (head !== undefined && head.receiptNo > before.receiptNo) {
    await moveReceiptHead(transaction, head);
  }
  await appendAudit(transaction, {
    at: act.now,
    actor: act.actor,
    action: "store.replay",
    organizationId: undefined,
    subject: before.storeId,
    detail: { deletions: open, receiptNo: head?.receiptNo ?? null },
  });
  return open;
}

/** False if there is nothing to do for it. */
async function reopen(transaction: Transaction, entry: LedgerEntry, act: Act): Promise<boolean> {
  const { deletionRequestId, organizationId, resourceType, resourceId } = entry;
  const key = [organizationId, resourceType, resourceId] as const;
  const before = JSON.stringify(carriedOutBefore(entry));
  const dueAt = dueAgain(entry, act.now);
  // Where another deletion of the same record is open in the backup, that one comes to the same.
  const found =
    (await transaction.get<FoundRow>(findSame, deletionRequestId)) ??
    (await transaction.get<FoundRow>(findOpen, ...key));
  if (found !== undefined) {
    const { deletion_request_id: same } = found;
    return (await transaction.run(hurryDeletion, same, dueAt, before)) === 1;
  }
  await transaction.run(
    insertDeletion,
    deletionRequestId,
    ...key,
    reopeningReason,
    entry.requestedBy,
    entry.requestedAt,
    dueAt,
    before,
  );
  return true;
}

/** How many are still to be carried out again. */
export async function countReopened(transaction: Transaction): Promise<number> {
  return (await transaction.get<{ open: number }>(countOpen))?.open ?? 0;
}

interface FoundRow {
  readonly deletion_request_id: string;
}
