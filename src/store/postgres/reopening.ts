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
  sourcesOf,
  type RestoreRow,
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
import { noteDeletion } from "./deletion.ts";
import { addHold, dropHold } from "./hold.ts";
import { lockReceiptHead, moveReceiptHead, readReceiptHead } from "./receipt.ts";
import type { Transaction } from "./transaction.ts";

const findState = `SELECT * FROM restore WHERE single`;

const insertState = `
  INSERT INTO restore (state, began_at, began_by, sources, cut)
  VALUES ('loading', $1, $2, $3, $4)
  ON CONFLICT (single) DO UPDATE SET state = 'loading', sources = excluded.sources`;

const setReplaying = `UPDATE restore SET state = 'replaying'`;

/** Whoever had claimed one sees at its next step that it has it no more. */
const voidClaims = `
  UPDATE deletion SET lease_until = 0, claimant = NULL, next_attempt_at = NULL
  WHERE status = 'processing'`;

const countMore = `UPDATE restore SET reopened = reopened + $1`;

const forgetState = `DELETE FROM restore`;

const countThere = `
  SELECT count(*) AS found FROM deletion
  WHERE (status = 'completed' AND deletion_request_id = ANY ($1::text[]))
    OR deletion_request_id = ANY ($2::text[])`;

const insertEntries = `
  INSERT INTO replay_entry
    (deletion_request_id, organization_id, resource_type, resource_id, requested_by, requested_at,
     completed_at, receipt_no, receipt_hash)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[],
      $7::bigint[], $8::bigint[], $9::text[])
    AS noted (deletion_request_id, organization_id, resource_type, resource_id, requested_by,
      requested_at, completed_at, receipt_no, receipt_hash)
  WHERE NOT EXISTS (
    SELECT 1 FROM deletion
    WHERE deletion.deletion_request_id = noted.deletion_request_id AND status = 'completed')
  ON CONFLICT (deletion_request_id) DO UPDATE SET
    completed_at = excluded.completed_at, receipt_no = excluded.receipt_no,
    receipt_hash = excluded.receipt_hash
  WHERE excluded.receipt_no > coalesce(replay_entry.receipt_no, 0)`;

const readEntries = `
  SELECT * FROM replay_entry
  WHERE (coalesce(receipt_no, ${noReceiptYet}), deletion_request_id) > ($1::bigint, $2::text)
  ORDER BY coalesce(receipt_no, ${noReceiptYet}), deletion_request_id LIMIT $3`;

const removeEntry = `DELETE FROM replay_entry WHERE deletion_request_id = $1`;

const findSame = `SELECT status FROM deletion WHERE deletion_request_id = $1`;

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
    carried_out_before = coalesce($3::text, carried_out_before)
  WHERE deletion_request_id = $1 AND status IN ('pending', 'processing')`;

const countOpen = `
  SELECT (SELECT count(*) FROM replay_entry) AS queued, (
    SELECT count(*) FROM deletion
    WHERE status IN ('pending', 'processing') AND carried_out_before IS NOT NULL) AS open`;

export async function readRestoreState(
  transaction: Transaction,
): Promise<RestoreState | undefined> {
  const row = await transaction.get<RestoreRow>(findState);
  return row === undefined ? undefined : toRestoreState(row);
}

export async function countUnreplayed(
  transaction: Transaction,
  entries: readonly DeletionEntry[],
): Promise<number> {
  const { completed, underWay } = idsOf(entries);
  const found = await transaction.get<{ found: number }>(countThere, completed, underWay);
  return completed.length + underWay.length - (found?.found ?? 0);
}

export async function beginReplay(
  transaction: Transaction,
  beginning: ReplayBeginning,
  act: Act,
): Promise<RestoreState> {
  const before = await readRestoreState(transaction);
  const cut = before?.cut ?? (await cutChains(transaction, beginning, act));
  const sources = sourcesOf(before, beginning);
  await transaction.run(
    insertState,
    act.now,
    act.actor,
    JSON.stringify(sources),
    cut === undefined ? null : JSON.stringify(cut),
  );
  const state = await readRestoreState(transaction);
  if (state === undefined) throw new TypeError("the restore was not begun");
  return state;
}

/** The chains go on after the highest number that is known, and an entry binds both sides of the gap. */
async function cutChains(
  transaction: Transaction,
  { known, backup }: ReplayBeginning,
  act: Act,
): Promise<RestoreCut | undefined> {
  if (known === undefined) return undefined;
  const { storeId, ...receipts } = await lockReceiptHead(transaction);
  const { entry_no: no, hash } = await transaction.perform(lockAuditHead);
  const cut = makeCut(known, { audit: { no, hash }, receipts });
  const { known: end } = cut.receipts;
  if (end.no > receipts.receiptNo) {
    await moveReceiptHead(transaction, { receiptNo: end.no, hash: end.hash });
  }
  const entry = {
    at: act.now,
    actor: act.actor,
    action: restoreAction,
    organizationId: undefined,
    subject: storeId,
    detail: { backup: backup ?? null, ...cut },
  };
  const written = await transaction.perform(appendAudit, entry, numberAfter(cut.audit));
  return { entry: written, ...cut };
}

export async function queueReplay(
  transaction: Transaction,
  entries: readonly DeletionEntry[],
): Promise<void> {
  // One statement can't change the same row twice.
  const rows = latestOf(entries).map(toReplayRow);
  await transaction.run(
    insertEntries,
    rows.map((row) => row.deletion_request_id),
    rows.map((row) => row.organization_id),
    rows.map((row) => row.resource_type),
    rows.map((row) => row.resource_id),
    rows.map((row) => row.requested_by),
    rows.map((row) => row.requested_at),
    rows.map((row) => row.completed_at),
    rows.map((row) => row.receipt_no),
    rows.map((row) => row.receipt_hash),
  );
}

export async function replaceHolds(
  transaction: Transaction,
  holds: HoldsOfReplay,
  act: Act,
): Promise<void> {
  for (const holdId of holds.release) {
    await dropHold(transaction, { holdId, act, because: "restore" });
  }
  for (const hold of holds.place) await addHold(transaction, { hold, act, because: "restore" });
}

export async function startReplay(transaction: Transaction): Promise<void> {
  await transaction.run(setReplaying);
}

export async function takeOver(transaction: Transaction): Promise<void> {
  await transaction.run(voidClaims);
}

export async function reopenDeletions(
  transaction: Transaction,
  page: ReopenPage,
  act: Act,
): Promise<ReopenedPart> {
  const { receiptNo = 0, deletionRequestId = "" } = page.after ?? {};
  const place = [receiptNo, deletionRequestId, page.limit] as const;
  const rows = await transaction.all<ReplayRow>(readEntries, ...place);
  let opened = 0;
  for (const row of rows) if (await reopen(transaction, row, act)) opened += 1;
  await transaction.run(countMore, opened);
  const last = rows.at(-1);
  if (last === undefined || rows.length < page.limit) return { opened, next: undefined };
  const next = {
    receiptNo: last.receipt_no ?? noReceiptYet,
    deletionRequestId: last.deletion_request_id,
  };
  return { opened, next };
}

/** False if it is completed, or has to wait for another deletion of the same record. */
async function reopen(transaction: Transaction, row: ReplayRow, act: Act): Promise<boolean> {
  const { deletion_request_id: id } = row;
  const key = [row.organization_id, row.resource_type, row.resource_id] as const;
  const before = JSON.stringify(carriedOutBefore(row));
  const same = await transaction.get<{ status: string }>(findSame, id);
  if (same === undefined) {
    const other = await transaction.get<{ deletion_request_id: string }>(findOpen, ...key);
    if (other !== undefined) {
      await transaction.run(hurryDeletion, other.deletion_request_id, act.now, null);
      return false;
    }
  }
  await transaction.run(removeEntry, id);
  if (same === undefined) await insertAgain(transaction, row, act);
  else if ((await transaction.run(hurryDeletion, id, act.now, before)) === 0) return false;
  const request = digestOfRequest({ ...requestOf(row), reason: reopeningReason });
  const detail = { inserted: same === undefined, request, carriedOutBefore: carriedOutBefore(row) };
  await noteDeletion(transaction, {
    organizationId: row.organization_id,
    deletionRequestId: id,
    action: "reopen",
    detail,
    act,
  });
  return true;
}

async function insertAgain(transaction: Transaction, row: ReplayRow, act: Act): Promise<void> {
  await transaction.run(
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
export async function countReopened(transaction: Transaction): Promise<ReopenedCount> {
  return (await transaction.get<ReopenedCount>(countOpen)) ?? { queued: 0, open: 0 };
}

export async function finishReplay(transaction: Transaction, act: Act): Promise<void> {
  const state = await readRestoreState(transaction);
  if (state === undefined) return;
  const { queued, open } = await countReopened(transaction);
  if (queued + open > 0) throw new TypeError("deletions are still to be replayed");
  await transaction.run(forgetState);
  const { storeId } = await readReceiptHead(transaction);
  await transaction.perform(appendAudit, {
    at: act.now,
    actor: act.actor,
    action: "store.replay",
    organizationId: undefined,
    subject: storeId,
    detail: { deletions: state.reopened },
  });
}
