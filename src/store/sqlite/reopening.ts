// A restored store on its way to being whole: which deletions and holds of the ledger it lacks is written down in tables of the
// store, then deletions are opened again from there. Erases nothing; the worker's steps do, by the same path as ever.

import type { DeletionEntry } from "../../domain/ledger-entry.ts";
import { digestOfRequest, numberAfter, restoreAction } from "../audit-row.ts";
import {
  carriedOutBefore,
  dueAgain,
  idsOf,
  latestOf,
  makeCut,
  noReceiptYet,
  reopeningReason,
  type ReplayRow,
  requestOf,
  type RestoreRow,
  sourcesOf,
  toReplayRow,
  toRestoreState,
} from "../replay-row.ts";
import type {
  HoldsOfReplay,
  ReopenedCount,
  ReopenedPart,
  ReopenPage,
  ReplayBeginning,
  RestoreCut,
  RestoreState,
} from "../replay.ts";
import type { Act } from "../store.ts";
import { appendAudit, lockAuditHead } from "../sql/audit.ts";
import type { Connection } from "./connection.ts";
import { noteDeletion } from "./deletion.ts";
import type { Group } from "./group.ts";
import { addHold, dropHold } from "./hold.ts";
import { moveReceiptHead, readReceiptHead } from "./receipt.ts";

const findState = `SELECT * FROM restore`;

const insertState = `
  INSERT INTO restore (single, state, began_at, began_by, sources, cut)
  VALUES (1, 'loading', ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET state = 'loading', sources = excluded.sources`;

const setReplaying = `UPDATE restore SET state = 'replaying'`;

const voidClaims = `
  UPDATE deletion SET lease_until = 0, claimant = NULL, next_attempt_at = NULL
  WHERE status IN ('pending', 'processing') AND status = 'processing'`;

const countMore = `UPDATE restore SET reopened = reopened + ?`;

const forgetState = `DELETE FROM restore`;

const countCompleted = `
  SELECT count(*) AS found FROM deletion
  WHERE status = 'completed' AND deletion_request_id IN (SELECT value FROM json_each(?))`;

const countKnown = `
  SELECT count(*) AS found FROM deletion
  WHERE deletion_request_id IN (SELECT value FROM json_each(?))`;

const isDone = `SELECT 1 FROM deletion WHERE deletion_request_id = ? AND status = 'completed'`;

const insertEntry = `
  INSERT INTO replay_entry
    (deletion_request_id, organization_id, resource_type, resource_id, requested_by, requested_at,
     completed_at, receipt_no, receipt_hash)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET
    completed_at = excluded.completed_at, receipt_no = excluded.receipt_no,
    receipt_hash = excluded.receipt_hash
  WHERE excluded.receipt_no > coalesce(receipt_no, 0)`;

const readEntries = `
  SELECT * FROM replay_entry
  WHERE (coalesce(receipt_no, ${noReceiptYet}), deletion_request_id) > (?, ?)
  ORDER BY coalesce(receipt_no, ${noReceiptYet}), deletion_request_id LIMIT ?`;

const removeEntry = `DELETE FROM replay_entry WHERE deletion_request_id = ?`;

const findSame = `
  SELECT status FROM deletion WHERE deletion_request_id = ?`;

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
    due_at = min(due_at, ?2), next_attempt_at = NULL, lease_until = 0,
    carried_out_before = coalesce(?3, carried_out_before)
  WHERE deletion_request_id = ?1 AND status IN ('pending', 'processing')`;

const countOpen = `
  SELECT (SELECT count(*) FROM replay_entry) AS queued, (
    SELECT count(*) FROM deletion
    WHERE status IN ('pending', 'processing') AND carried_out_before IS NOT NULL) AS open`;

export function readRestoreState(connection: Connection): RestoreState | undefined {
  const row = connection.get<RestoreRow>(findState);
  return row === undefined ? undefined : toRestoreState(row);
}

export function countUnreplayed(connection: Connection, entries: readonly DeletionEntry[]): number {
  const count = (sql: string, ids: readonly string[]) =>
    ids.length - (connection.get<{ found: number }>(sql, JSON.stringify(ids))?.found ?? 0);
  const { completed, underWay } = idsOf(entries);
  return count(countCompleted, completed) + count(countKnown, underWay);
}

export function beginReplay(
  { connection }: Group,
  { beginning, act }: { readonly beginning: ReplayBeginning; readonly act: Act },
): RestoreState {
  const before = readRestoreState(connection);
  const cut = before?.cut ?? cutChains(connection, beginning, act);
  const sources = sourcesOf(before, beginning);
  connection.run(
    insertState,
    act.now,
    act.actor,
    JSON.stringify(sources),
    cut === undefined ? null : JSON.stringify(cut),
  );
  const state = readRestoreState(connection);
  if (state === undefined) throw new TypeError("the restore was not begun");
  return state;
}

/** The chains go on after the highest number that is known, and an entry binds both sides of the gap. */
function cutChains(
  connection: Connection,
  { known, backup }: ReplayBeginning,
  act: Act,
): RestoreCut | undefined {
  if (known === undefined) return undefined;
  const { entry_no: no, hash } = connection.perform(lockAuditHead);
  const { storeId, ...receipts } = readReceiptHead(connection);
  const cut = makeCut(known, { audit: { no, hash }, receipts });
  const entry = {
    at: act.now,
    actor: act.actor,
    action: restoreAction,
    organizationId: undefined,
    subject: storeId,
    detail: { backup: backup ?? null, ...cut },
  };
  const written = connection.perform(appendAudit, entry, numberAfter(cut.audit));
  const { known: end } = cut.receipts;
  if (end.no > receipts.receiptNo) {
    moveReceiptHead(connection, { receiptNo: end.no, hash: end.hash });
  }
  return { entry: written, ...cut };
}

export function queueReplay(
  { connection }: Group,
  { entries }: { readonly entries: readonly DeletionEntry[] },
): void {
  for (const entry of latestOf(entries)) {
    const row = toReplayRow(entry);
    if (connection.get(isDone, row.deletion_request_id) !== undefined) continue;
    connection.run(
      insertEntry,
      row.deletion_request_id,
      row.organization_id,
      row.resource_type,
      row.resource_id,
      row.requested_by,
      row.requested_at,
      row.completed_at,
      row.receipt_no,
      row.receipt_hash,
    );
  }
}

export function replaceHolds(
  { connection }: Group,
  { holds, act }: { readonly holds: HoldsOfReplay; readonly act: Act },
): void {
  for (const holdId of holds.release) dropHold(connection, { holdId, act, because: "restore" });
  for (const hold of holds.place) addHold(connection, { hold, act, because: "restore" });
}

export function startReplay({ connection }: Group): void {
  connection.run(setReplaying);
}

export function takeOver({ connection }: Group): void {
  connection.run(voidClaims);
}

export function reopenDeletions(
  group: Group,
  { page, act }: { readonly page: ReopenPage; readonly act: Act },
): ReopenedPart {
  const { connection } = group;
  const { receiptNo = 0, deletionRequestId = "" } = page.after ?? {};
  const rows = connection.all<ReplayRow>(readEntries, receiptNo, deletionRequestId, page.limit);
  let opened = 0;
  for (const row of rows) if (reopen(connection, row, act)) opened += 1;
  connection.run(countMore, opened);
  group.deletionsChanged();
  const last = rows.at(-1);
  if (last === undefined || rows.length < page.limit) return { opened, next: undefined };
  const next = {
    receiptNo: last.receipt_no ?? noReceiptYet,
    deletionRequestId: last.deletion_request_id,
  };
  return { opened, next };
}

/** False if it is completed, or has to wait for another deletion of the same record. */
function reopen(connection: Connection, row: ReplayRow, act: Act): boolean {
  const { deletion_request_id: id } = row;
  const key = [row.organization_id, row.resource_type, row.resource_id] as const;
  const before = JSON.stringify(carriedOutBefore(row));
  const same = connection.get<{ status: string }>(findSame, id);
  if (same === undefined) {
    const other = connection.get<{ deletion_request_id: string }>(findOpen, ...key);
    if (other !== undefined) {
      connection.run(hurryDeletion, other.deletion_request_id, act.now, null);
      return false;
    }
  }
  connection.run(removeEntry, id);
  if (same === undefined) insertAgain(connection, row, act);
  else if (connection.run(hurryDeletion, id, act.now, before) === 0) return false;
  const request = digestOfRequest({ ...requestOf(row), reason: reopeningReason });
  const detail = { inserted: same === undefined, request, carriedOutBefore: carriedOutBefore(row) };
  const { organization_id: organizationId } = row;
  noteDeletion(connection, {
    organizationId,
    deletionRequestId: id,
    action: "reopen",
    detail,
    act,
  });
  return true;
}

function insertAgain(connection: Connection, row: ReplayRow, act: Act): void {
  connection.run(
    insertDeletion,
    row.deletion_request_id,
    row.organization_id,
    row.resource_type,
    row.resource_id,
    reopeningReason,
    row.requested_by,
    row.requested_at,
    dueAgain(row, act.now),
    JSON.stringify(carriedOutBefore(row)),
  );
}

/** How many are still to be carried out again. */
export function countReopened(connection: Connection): ReopenedCount {
  const { queued = 0, open = 0 } = connection.get<ReopenedCount>(countOpen) ?? {};
  return { queued, open };
}

export function finishReplay({ connection }: Group, { act }: { readonly act: Act }): void {
  const state = readRestoreState(connection);
  if (state === undefined) return;
  const { queued, open } = countReopened(connection);
  if (queued + open > 0) throw new TypeError("deletions are still to be replayed");
  connection.run(forgetState);
  connection.perform(appendAudit, {
    at: act.now,
    actor: act.actor,
    action: "store.replay",
    organizationId: undefined,
    subject: readReceiptHead(connection).storeId,
    detail: { deletions: state.reopened },
  });
}
