// Deletion requests: opened, cancelled, given back after a failure, and read. Their plans and what erases are elsewhere.

import type { Deletion, DeletionStatus } from "../../domain/deletion.ts";
import { digestOfRequest } from "../audit-row.ts";
import { type DeletionRow, toDeletion } from "../deletion-row.ts";
import type {
  Act,
  CancelOutcome,
  DeletionFigures,
  DeletionFilter,
  DeletionRequest,
} from "../store.ts";
import { appendAudit } from "../sql/audit.ts";
import type { Connection } from "./connection.ts";
import type { Group } from "./group.ts";
import { once } from "./idempotency.ts";
import { readRecordNo } from "./record.ts";

const findOpen = `
  SELECT deletion_request_id FROM deletion
  WHERE organization_id = ? AND resource_type = ? AND resource_id = ?
    AND status IN ('pending', 'processing')`;

const insertDeletion = `
  INSERT INTO deletion
    (deletion_request_id, organization_id, resource_type, resource_id, reason, status,
     requested_by, requested_at, due_at)
  VALUES (?, ?, ?, ?, ?, 'pending', ?, ?, ?)`;

const findById = `SELECT * FROM deletion WHERE deletion_request_id = ?`;

const findSome = `
  SELECT * FROM deletion WHERE deletion_request_id IN (SELECT value FROM json_each(?))`;

const listById = `
  SELECT * FROM deletion WHERE deletion_request_id > ? ORDER BY deletion_request_id LIMIT ?`;

const findByIdOfOrganization = `
  SELECT * FROM deletion WHERE deletion_request_id = ? AND organization_id = ?`;

const setCancelled = `
  UPDATE deletion SET status = 'cancelled', waiting_for = NULL, held = 0, next_attempt_at = NULL
  WHERE deletion_request_id = ? AND status = 'pending'`;

const setPostponed = `
  UPDATE deletion SET
    waiting_for = ?2, next_attempt_at = ?3, lease_until = NULL, claimant = NULL
  WHERE deletion_request_id = ?1 AND status IN ('pending', 'processing')`;

const voidLeases = `
  UPDATE deletion SET lease_until = 0, claimant = NULL
  WHERE status IN ('pending', 'processing') AND status = 'processing'
    AND lease_until IS NOT NULL`;

/** Of a plan that was being written, and of a deletion that was cancelled meanwhile. */
const removeUnfinishedPlans = `
  DELETE FROM deletion_target WHERE deletion_request_id IN (
    SELECT DISTINCT deletion_request_id FROM deletion_target
    EXCEPT SELECT deletion_request_id FROM deletion INDEXED BY deletion_due
      WHERE status IN ('pending', 'processing') AND status = 'processing')`;

const voidPlanning = `
  UPDATE deletion SET next_attempt_at = NULL, claimant = NULL, waiting_for = NULL
  WHERE status IN ('pending', 'processing') AND status = 'pending' AND claimant IS NOT NULL`;

const listNewest = `
  SELECT * FROM deletion ORDER BY requested_at DESC, deletion_request_id DESC LIMIT ?`;

const listNewestOfStatus = `
  SELECT * FROM deletion WHERE status = ?
  ORDER BY requested_at DESC, deletion_request_id DESC LIMIT ?`;

const listNewestOfOrganization = `
  SELECT * FROM deletion
  WHERE organization_id = ?1 AND (?2 IS NULL OR status = ?2)
  ORDER BY requested_at DESC, deletion_request_id DESC LIMIT ?3`;

const countByStatus = `SELECT status, count(*) AS deletions FROM deletion GROUP BY status`;

const countHeld = `
  SELECT count(*) AS held FROM deletion WHERE status IN ('pending', 'processing') AND held = 1`;

const findOldestDue = `
  SELECT min(due_at) AS oldest FROM deletion
  WHERE status IN ('pending', 'processing') AND due_at <= ? AND held = 0`;

/** The id of the open deletion, whether it is new or not; null if there is no such record. */
export function requestDeletion(
  group: Group,
  { request, act }: { readonly request: DeletionRequest; readonly act: Act },
): string | null {
  const { organizationId, idempotency: mark } = request;
  return once(group, { organizationId, mark, now: act.now }, () =>
    openDeletion(group, request, act),
  );
}

/** An open deletion is found first: by its end the record is gone, and it still is the same deletion. */
function openDeletion(group: Group, request: DeletionRequest, act: Act): string | null {
  const { connection } = group;
  const { organizationId, resourceType, resourceId, deletionRequestId, reason, dueAt } = request;
  const { requestedBy = act.actor } = request;
  const open = connection.get<Pick<DeletionRow, "deletion_request_id">>(
    findOpen,
    organizationId,
    resourceType,
    resourceId,
  );
  if (open !== undefined) return open.deletion_request_id;
  if (readRecordNo(connection, request) === undefined) return null;
  connection.run(
    insertDeletion,
    deletionRequestId,
    organizationId,
    resourceType,
    resourceId,
    reason,
    requestedBy,
    act.now,
    dueAt,
  );
  group.deletionsChanged();
  const digest = digestOfRequest({ ...request, requestedBy, requestedAt: act.now });
  const detail = { resourceType, dueAt, request: digest };
  noteDeletion(connection, { organizationId, deletionRequestId, action: "request", detail, act });
  return deletionRequestId;
}

export function cancelDeletion(
  group: Group,
  { deletionRequestId, act }: { readonly deletionRequestId: string; readonly act: Act },
): CancelOutcome {
  const { connection } = group;
  const found = readDeletion(connection, deletionRequestId);
  if (found === undefined) return "no_such_deletion";
  if (connection.run(setCancelled, deletionRequestId) === 0) return "not_pending";
  group.deletionsChanged();
  const { organizationId } = found;
  noteDeletion(connection, {
    organizationId,
    deletionRequestId,
    action: "cancel",
    detail: {},
    act,
  });
  return readExistingDeletion(connection, deletionRequestId);
}

export function postponeDeletion(
  { connection }: Group,
  args: {
    readonly deletionRequestId: string;
    readonly why: string;
    readonly nextAttemptAt: number;
  },
): void {
  connection.run(setPostponed, args.deletionRequestId, args.why, args.nextAttemptAt);
}

/** There is one serving process, so whatever was under way when it starts is nobody's. */
export function voidAllLeases({ connection }: Group): void {
  connection.run(voidLeases);
  connection.run(removeUnfinishedPlans);
  connection.run(voidPlanning);
}

export function findDeletion(
  connection: Connection,
  deletionRequestId: string,
  organizationId: string | undefined,
): Deletion | undefined {
  if (organizationId === undefined) return readDeletion(connection, deletionRequestId);
  const row = connection.get<DeletionRow>(
    findByIdOfOrganization,
    deletionRequestId,
    organizationId,
  );
  return row === undefined ? undefined : toDeletion(row);
}

export function listDeletions(connection: Connection, filter: DeletionFilter): readonly Deletion[] {
  return selectNewest(connection, filter).map(toDeletion);
}

function selectNewest(connection: Connection, filter: DeletionFilter): readonly DeletionRow[] {
  const { organizationId, status, limit } = filter;
  if (organizationId !== undefined) {
    return connection.all(listNewestOfOrganization, organizationId, status ?? null, limit);
  }
  if (status !== undefined) return connection.all(listNewestOfStatus, status, limit);
  return connection.all(listNewest, limit);
}

export function deletionFigures(connection: Connection, now: number): DeletionFigures {
  const counts = connection.all<{ status: DeletionStatus; deletions: number }>(countByStatus);
  const byStatus = { pending: 0, processing: 0, completed: 0, cancelled: 0 };
  for (const { status, deletions } of counts) byStatus[status] = deletions;
  const held = connection.get<{ held: number }>(countHeld)?.held ?? 0;
  const oldest = connection.get<{ oldest: number | null }>(findOldestDue, now)?.oldest;
  return { byStatus, held, oldestDueAt: oldest ?? undefined };
}

export function findDeletions(
  connection: Connection,
  deletionRequestIds: readonly string[],
): readonly Deletion[] {
  return connection.all<DeletionRow>(findSome, JSON.stringify(deletionRequestIds)).map(toDeletion);
}

export function listDeletionsById(
  connection: Connection,
  afterId: string,
  limit: number,
): readonly Deletion[] {
  return connection.all<DeletionRow>(listById, afterId, limit).map(toDeletion);
}

export function readDeletion(
  connection: Connection,
  deletionRequestId: string,
): Deletion | undefined {
  const row = connection.get<DeletionRow>(findById, deletionRequestId);
  return row === undefined ? undefined : toDeletion(row);
}

export function readExistingDeletion(connection: Connection, deletionRequestId: string): Deletion {
  const deletion = readDeletion(connection, deletionRequestId);
  if (deletion === undefined) throw new TypeError(`there is no deletion ${deletionRequestId}`);
  return deletion;
}

/** The record is named by the deletion itself, so the trail needs no id of it. */
export function noteDeletion(
  connection: Connection,
  event: {
    readonly organizationId: string;
    readonly deletionRequestId: string;
    readonly action: "request" | "start" | "complete" | "cancel" | "reopen";
    readonly detail: Readonly<Record<string, unknown>>;
    readonly act: Act;
  },
): void {
  connection.perform(appendAudit, {
    at: event.act.now,
    actor: event.act.actor,
    action: `deletion.${event.action}`,
    organizationId: event.organizationId,
    subject: event.deletionRequestId,
    detail: event.detail,
  });
}
