// The replay of deletions in a restored store: writes the deletions and holds of the ledger that the store lacks to
// tables of the store, and opens the deletions again from there. Erases nothing; the worker's steps do, as for any
// deletion.

import { byDueTime } from "../statement/index-conditions.ts";
import { numberAfter, restoreAction } from "../../../domain/audit-chain.ts";
import { awaitsApproval } from "../../../domain/deletion/deletion.ts";
import type { DeletionEntry } from "../../../domain/deletion/ledger-entry.ts";
import { isOfOrganization } from "../../../domain/deletion/organization-deletion.ts";
import { isRestrictedId } from "../../../domain/deletion/restricted-set.ts";
import type { Act } from "../../interface/act.ts";
import { digestOfRequest, type NewAuditEntry } from "../../row/audit-row.ts";
import {
  processedBefore,
  describeRestoring,
  dueAgain,
  idsOf,
  latestOf,
  makeCut,
  noReceiptYet,
  replayReason,
  sourcesOf,
  toRestoreState,
  type QueuedDeletion,
  toQueued,
} from "../../row/replay-row.ts";
import type {
  HoldsOfReplay,
  ReplayedCount,
  ReplayedPart,
  ReplayPage,
  ReplayBeginning,
  RestoreCut,
  RestoreState,
  SettingsChange,
} from "../../interface/replay.ts";
import type { FloorChange } from "../../interface/retention.ts";
import { StoreError } from "../../interface/store-error.ts";
import { appendAudit, auditAct, lockAuditHead } from "../trail/audit.ts";
import { beginTimeline } from "../record/arrivals.ts";
import { closeAgain } from "../deletion/close-organization.ts";
import { nameOriginOf } from "../plan/restricted-set.ts";
import {
  auditDeletion,
  cancelDeletion,
  findDeletion,
  findOpenDeletion,
} from "../deletion/deletion.ts";
import { putFloor } from "../retention/floor.ts";
import { addHold, releaseHold } from "../retention/hold.ts";
import { replaceSettingsOf } from "../access/organization.ts";
import { lockReceiptHead, moveReceiptHead, readReceiptHead } from "../trail/receipt.ts";
import {
  find,
  get,
  run,
  type Statements,
  Rows,
  list,
  scalar,
  column,
} from "../statement/statements.ts";
import { inNamedIds, named, columnsIn } from "../statement/named.ts";
import { insertion } from "../statement/insertion.ts";
import { keyValues } from "../../shared/record-key.ts";

const insertState = `
  INSERT INTO restore (single, state, began_at, began_by, sources, cut)
  VALUES ($1, 'loading', $2, $3, $4, $5)
  ON CONFLICT (single) DO UPDATE SET state = 'loading', sources = excluded.sources`;

const setReplaying = `UPDATE restore SET state = 'replaying'`;

/** A process that had claimed one notices it at its next step. The first condition makes SQLite use its index. */
const voidClaims = `
  UPDATE deletion SET lease_until = 0, claimant = NULL, next_attempt_at = NULL
  WHERE status IN ('pending', 'processing') AND status = 'processing' ${byDueTime}`;

/** Whoever has signed out, or has used a link, since the backup must not be signed in, or able to use it again. */
const endSessions = `DELETE FROM operator_session`;
const endLinks = `DELETE FROM one_time_token WHERE purpose = 'link'`;

/** An open proposal may have been approved or declined since the backup; the worker notes that it has ended. */
const endProposals = `UPDATE proposal SET expires_at = proposed_at WHERE status = 'open'`;

const countMore = `UPDATE restore SET reopened = reopened + $1`;

const removeState = `DELETE FROM restore`;

const countThere = `
  SELECT (
    SELECT count(*) FROM deletion WHERE status = 'completed' AND ${inNamedIds("deletion_request_id")}
  ) + (
    SELECT count(*) FROM deletion WHERE ${inNamedIds("deletion_request_id", 2)}
  ) AS found`;

const entryColumns =
  "deletion_request_id, organization_id, resource_type, resource_id, requested_by, requested_at bigint, " +
  "completed_at bigint, receipt_no bigint, receipt_hash";

/** The rows must have no duplicates: one statement can't change the same row twice. */
const insertEntries = `
  INSERT INTO replay_entry (${columnsIn(entryColumns).join(", ")})
  SELECT * FROM ${named(entryColumns)}
  WHERE NOT EXISTS (
    SELECT 1 FROM deletion
    WHERE deletion.deletion_request_id = named.deletion_request_id AND status = 'completed')
  ON CONFLICT (deletion_request_id) DO UPDATE SET
    completed_at = excluded.completed_at, receipt_no = excluded.receipt_no,
    receipt_hash = excluded.receipt_hash
  WHERE excluded.receipt_no > coalesce(replay_entry.receipt_no, 0)`;

const readEntries = `
  SELECT * FROM replay_entry
  WHERE (coalesce(receipt_no, ${noReceiptYet}), deletion_request_id)
    > (CAST($1 AS bigint), CAST($2 AS text))
  ORDER BY coalesce(receipt_no, ${noReceiptYet}), deletion_request_id LIMIT $3`;

/** Finds those of these deletions that are pending and not to be replayed. */
const findPending = `
  SELECT deletion_request_id FROM deletion
  WHERE status = 'pending' AND ${inNamedIds("deletion_request_id")}
    AND NOT EXISTS (
      SELECT 1 FROM replay_entry
      WHERE replay_entry.deletion_request_id = deletion.deletion_request_id)`;

const findEntry = `SELECT 1 FROM replay_entry WHERE deletion_request_id = $1`;

const removeEntry = `DELETE FROM replay_entry WHERE deletion_request_id = $1`;

const insertDeletion = insertion(
  "deletion",
  "deletion_request_id organization_id resource_type resource_id reason status requested_by requested_at due_at carried_out_before",
);

const makeDeletionDue = `
  UPDATE deletion SET
    due_at = CASE WHEN due_at < $1 THEN due_at ELSE $1 END, next_attempt_at = NULL, lease_until = 0,
    carried_out_before = coalesce(CAST($2 AS text), carried_out_before)
  WHERE deletion_request_id = $3 AND status IN ('pending', 'processing')`;

const countOpen = `
  SELECT (SELECT count(*) FROM replay_entry) AS queued, count(*) AS open,
    count(*) FILTER (WHERE held) AS held
  FROM deletion
  WHERE status IN ('pending', 'processing') ${byDueTime} AND carried_out_before IS NOT NULL`;

export function* readRestoreState() {
  return yield* find(
    toRestoreState,
    `SELECT state, began_at, began_by, sources, cut, reopened FROM restore WHERE single`,
  );
}

/** Throws StoreError: in a store that is being restored, data that was erased since the backup may be readable. */
export function* refuseRestoring(): Statements<void> {
  const state = yield* readRestoreState();
  if (state !== undefined) throw new StoreError(describeRestoring(state));
}

/** Deletions with a receipt count unless the store has completed them, others unless it knows them. */
export function* countUnreplayed(entries: readonly DeletionEntry[]): Statements<number> {
  const { completed, inProgress } = idsOf(entries);
  const there = (yield* scalar<number>(countThere, completed, inProgress)) ?? 0;
  return completed.length + inProgress.length - there;
}

/** The store becomes `loading`. If it is older than its ledger, an entry says so, and numbers follow the ledger. */
export function* beginReplay(beginning: ReplayBeginning, act: Act): Statements<RestoreState> {
  const before = yield* readRestoreState();
  const cut = before?.cut ?? (yield* cutChains(beginning, act));
  yield* run(
    insertState,
    true,
    act.now,
    act.actor,
    JSON.stringify(sourcesOf(before, beginning)),
    cut === undefined ? null : JSON.stringify(cut),
  );
  const state = yield* readRestoreState();
  if (state === undefined) throw new TypeError("the restore was not begun");
  return state;
}

/** The chains continue after the highest known number, and an entry links both sides of the gap. */
function* cutChains(
  { known, backup }: ReplayBeginning,
  act: Act,
): Statements<RestoreCut | undefined> {
  if (known === undefined) return undefined;
  const { storeId, ...receipts } = yield* lockReceiptHead();
  const { entry_no: no, hash } = yield* lockAuditHead();
  const cut = makeCut(known, { audit: { no, hash }, receipts });
  const { known: end } = cut.receipts;
  if (end.no > receipts.receiptNo) {
    yield* moveReceiptHead({ receiptNo: end.no, hash: end.hash });
  }
  const entry: NewAuditEntry = {
    at: act.now,
    actor: act.actor,
    action: restoreAction,
    organizationId: undefined,
    subject: storeId,
    detail: { backup: backup ?? null, ...cut },
  };
  const written = yield* appendAudit(entry, numberAfter(cut.audit));
  return { entry: written, ...cut };
}

/** Keeps the receipt with the highest number of a deletion that is queued already. */
export function* queueReplay(entries: readonly DeletionEntry[]): Statements<void> {
  const rows = latestOf(entries).map(({ completed, ...entry }) => {
    const { deletionRequestId, requestedBy, requestedAt } = entry;
    const receipt = [completed?.receiptNo ?? null, completed?.receiptHash ?? null];
    const request = [deletionRequestId, ...keyValues(entry), requestedBy, requestedAt];
    return [...request, completed?.at ?? null, ...receipt];
  });
  yield* run(insertEntries, new Rows(rows, columnsIn(entryColumns).length));
}

/** Finds those of these deletions, cancelled according to a ledger, that the store would still process. */
export function* findUncancelled(ids: readonly string[]) {
  return yield* column<string>(findPending, ids);
}

export function* cancelAgain(ids: readonly string[], act: Act): Statements<void> {
  for (const id of yield* findUncancelled(ids)) yield* cancelDeletion(id, act);
}

/** Places and releases holds as in the ledger, whether or not their records exist. */
export function* replaceHolds(holds: HoldsOfReplay, act: Act): Statements<void> {
  const because = "restore";
  for (const holdId of holds.release) yield* releaseHold(holdId, act, because);
  for (const hold of holds.place) yield* addHold(hold, act, because);
}

export function* replaceFloors(floors: readonly FloorChange[], act: Act): Statements<void> {
  for (const floor of floors) yield* putFloor(floor, act, "restore");
}

/** Sets the settings of organizations as in the ledger, whatever needed a second person then. */
export function* replaceSettings(changes: readonly SettingsChange[], act: Act): Statements<void> {
  for (const { organizationId, settings } of changes) {
    yield* replaceSettingsOf(organizationId, settings, act);
  }
}

/** Ends the loading: everything is queued, and the store becomes `replaying`. */
export function* startReplay(): Statements<void> {
  yield* run(setReplaying);
}

/** No other process may be serving the store. Ends leases, sessions, links and open proposals; begins a timeline. */
export function* takeOver(timelineId: number): Statements<void> {
  yield* run(voidClaims);
  yield* run(endSessions);
  yield* run(endLinks);
  yield* run(endProposals);
  yield* beginTimeline(timelineId);
}

/** Under their own ids, due at once. Another open deletion of the record becomes due, and this stays queued. */
export function* reopenDeletions(page: ReplayPage, act: Act): Statements<ReplayedPart> {
  const { receiptNo = 0, deletionRequestId = "" } = page.after ?? {};
  const rows = yield* list(toQueued, readEntries, receiptNo, deletionRequestId, page.limit);
  let opened = 0;
  for (const one of rows) if (yield* reopen(one, act)) opened += 1;
  yield* run(countMore, opened);
  const last = rows.at(-1);
  if (last === undefined || rows.length < page.limit) return { opened, next: undefined };
  const { receiptNo: no = noReceiptYet, deletionRequestId: id } = last;
  return { opened, next: { receiptNo: no, deletionRequestId: id } };
}

/** False if the deletion is completed, or has to wait for another deletion of the same record. */
function* reopen(queued: QueuedDeletion, act: Act): Statements<boolean> {
  const { deletionRequestId: id, organizationId } = queued;
  const same = yield* findDeletion(id);
  if (same === undefined) {
    const other = yield* findOpenDeletion(queued);
    if (other !== undefined && !(yield* cancelUnapproved(other, act))) {
      yield* run(makeDeletionDue, act.now, null, other);
      return false;
    }
  }
  yield* run(removeEntry, id);
  const before = processedBefore(queued);
  if (same === undefined) {
    const due = { status: "pending", dueAt: dueAgain(queued, act.now) };
    yield* insertDeletion({ ...queued, ...due, reason: replayReason, carriedOutBefore: before });
  } else if ((yield* run(makeDeletionDue, act.now, JSON.stringify(before), id)) === 0) return false;
  const request = digestOfRequest({ ...queued, reason: replayReason });
  const detail = { inserted: same === undefined, request, carriedOutBefore: before };
  if (isRestrictedId(organizationId)) yield* nameOriginOf(id);
  else if (isOfOrganization(queued)) {
    const closedAt = queued.requestedAt;
    yield* closeAgain({ organizationId, deletionRequestId: id, closedAt }, act);
  }
  const deletion = { organizationId, deletionRequestId: id };
  yield* auditDeletion(deletion, { action: "reopen", detail, act });
  return true;
}

/**
 * Cancels another deletion of the same record that awaits an approval and is not in the ledger: because a record has
 * only one open deletion, that one was cancelled after the backup was made. Returns false if the other deletion awaits
 * no approval, or is itself replayed.
 */
function* cancelUnapproved(deletionRequestId: string, act: Act): Statements<boolean> {
  const deletion = yield* findDeletion(deletionRequestId);
  if (deletion === undefined || !awaitsApproval(deletion)) return false;
  if ((yield* get(findEntry, deletionRequestId)) !== undefined) return false;
  return typeof (yield* cancelDeletion(deletionRequestId, act)) !== "string";
}

/** Counts the deletions that are queued, and those that are reopened and not completed. */
export function* countReplayed(): Statements<ReplayedCount> {
  const { queued = 0, open = 0, held = 0 } = (yield* get<ReplayedCount>(countOpen)) ?? {};
  return { queued, open, held };
}

/** Ends the replay: the store is complete. Throws if anything is left to be replayed. */
export function* finishReplay(act: Act): Statements<void> {
  const state = yield* readRestoreState();
  if (state === undefined) return;
  const { queued, open } = yield* countReplayed();
  if (queued + open > 0) throw new TypeError("deletions are still to be replayed");
  yield* run(removeState);
  const { storeId: subject } = yield* readReceiptHead();
  const detail = { deletions: state.reopened };
  yield* auditAct({ action: "store.replay", organizationId: undefined, subject, detail }, act);
}
