// After a restore: deletions that were completed since the backup are opened again, from what the ledger knows of them.
// Erases nothing; the worker does, by the same path as ever.

import { carriedOutBefore, dueAgain, reopeningReason } from "../reopening.ts";
import type { LedgerEntry } from "../../domain/ledger-entry.ts";
import type { Act, Reopening } from "../store.ts";
import { appendAudit } from "./audit.ts";
import type { Connection } from "./connection.ts";
import type { Group } from "./group.ts";
import { moveReceiptHead, readReceiptHead } from "./receipt.ts";

const findSame = `SELECT deletion_request_id FROM deletion WHERE deletion_request_id = ?`;

const findOpen = `
  SELECT deletion_request_id FROM deletion
  WHERE organization_id = ? AND resource_type = ? AND resource_id = ?
    AND status IN ('pending', 'processing')`;

const insertDeletion = `
  INSERT INTO deletion
    (deletion_request_id, organization_id, resource_type, resource_id, reason, status,
     requested_by, requested_at, due_at, carried_out_before)
  VALUES (?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?)`;

const hurryDeletion = `
  UPDATE deletion SET
    due_at = min(due_at, ?2), next_attempt_at = NULL, lease_until = 0, carried_out_before = ?3
  WHERE deletion_request_id = ?1 AND status IN ('pending', 'processing')`;

const countOpen = `
  SELECT count(*) AS open FROM deletion
  WHERE status IN ('pending', 'processing') AND carried_out_before IS NOT NULL`;

export function reopenDeletions(
  group: Group,
  { reopening, act }: { readonly reopening: Reopening; readonly act: Act },
): number {
  const { connection } = group;
  let open = 0;
  for (const entry of reopening.entries) if (reopen(connection, entry, act)) open += 1;
  group.deletionsChanged();
  const { head } = reopening;
  const before = readReceiptHead(connection);
  if (head !== undefined && head.receiptNo > before.receiptNo) moveReceiptHead(connection, head);
  appendAudit(connection, {
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
function reopen(connection: Connection, entry: LedgerEntry, act: Act): boolean {
  const { deletionRequestId, organizationId, resourceType, resourceId } = entry;
  const key = [organizationId, resourceType, resourceId] as const;
  const before = JSON.stringify(carriedOutBefore(entry));
  const dueAt = dueAgain(entry, act.now);
  // Where another deletion of the same record is open in the backup, that one comes to the same.
  const found =
    connection.get<FoundRow>(findSame, deletionRequestId) ??
    connection.get<FoundRow>(findOpen, ...key);
  if (found === undefined) {
    connection.run(
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
  const { deletion_request_id: same } = found;
  return connection.run(hurryDeletion, same, dueAt, before) === 1;
}

/** How many are still to be carried out again. */
export function countReopened(connection: Connection): number {
  return connection.get<{ open: number }>(countOpen)?.open ?? 0;
}

interface FoundRow {
  readonly deletion_request_id: string;
}
