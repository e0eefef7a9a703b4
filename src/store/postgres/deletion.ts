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
import { Collision } from "./failure.ts";
import { once } from "./idempotency.ts";
import { findRecords } from "./record.ts";
import type { Transaction } from "./transaction.ts";

const findOpen = `
  SELECT deletion_request_id FROM deletion
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3
    AND status IN ('pending', 'processing')`;

const insertDeletion = `
  INSERT INTO deletion
    (deletion_request_id, organization_id, resource_type, resource_id, reason, status,
     requested_by, requested_at, due_at)
  VALUES ($1, $2, $3, $4, $5, 'pending', $6, $7, $8)
  ON CONFLICT (organization_id, resource_type, resource_id)
    WHERE status IN ('pending', 'processing') DO NOTHING`;

const findById = `SELECT * FROM deletion WHERE deletion_request_id = $1`;

const findSome = `SELECT * FROM deletion WHERE deletion_request_id = ANY ($1::text[])`;

const listById = `
  SELECT * FROM deletion WHERE deletion_request_id > $1 ORDER BY deletion_request_id LIMIT $2`;

const findByIdOfOrganization = `
  SELECT * FROM deletion WHERE deletion_request_id = $1 AND organization_id = $2`;

const setCancelled = `
  UPDATE deletion SET status = 'cancelled', waiting_for = NULL, held = false, next_attempt_at = NULL
  WHERE deletion_request_id = $1 AND status = 'pending'`;

const setPostponed = `
  UPDATE deletion SET
    waiting_for = $2, next_attempt_at = $3, lease_until = NULL, claimant = NULL
  WHERE deletion_request_id = $1 AND claimant = $4 AND status IN ('pending', 'processing')`;

const listNewest = `
  SELECT * FROM deletion
  WHERE ($2::text IS NULL OR status = $2)
  ORDER BY requested_at DESC, deletion_request_id DESC LIMIT $1`;

const listNewestOfOrganization = `
  SELECT * FROM deletion
  WHERE organization_id = $3 AND ($2::text IS NULL OR status = $2)
  ORDER BY requested_at DESC, deletion_request_id DESC LIMIT $1`;

const countByStatus = `SELECT status, count(*) AS deletions FROM deletion GROUP BY status`;

const countHeld = `
  SELECT count(*) AS held FROM deletion WHERE status IN ('pending', 'processing') AND held`;

const findOldestDue = `
  SELECT min(due_at) AS oldest FROM deletion
  WHERE status IN ('pending', 'processing') AND due_at <= $1 AND NOT held`;

/** The id of the open deletion, whether it is new or not; null if there is no such record. */
export function requestDeletion(
  transaction: Transaction,
  request: DeletionRequest,
  act: Act,
): Promise<string | null> {
  const { organizationId, idempotency: mark } = request;
  return once(transaction, { organizationId, mark, now: act.now }, () =>
    openDeletion(transaction, request, act),
  );
}

/** An open deletion is found first: by its end the record is gone, and it still is the same deletion. */
async function openDeletion(
  transaction: Transaction,
  request: DeletionRequest,
  act: Act,
): Promise<string | null> {
  const { organizationId, resourceType, resourceId, deletionRequestId, reason, dueAt } = request;
  const { requestedBy = act.actor } = request;
  const key = [organizationId, resourceType, resourceId] as const;
  const open = await transaction.get<Pick<DeletionRow, "deletion_request_id">>(findOpen, ...key);
  if (open !== undefined) return open.deletion_request_id;
  if ((await findRecords(transaction, [request])).size === 0) return null;
  const inserted = await transaction.run(
    insertDeletion,
    deletionRequestId,
    ...key,
    reason,
    requestedBy,
    act.now,
    dueAt,
  );
  if (inserted === 0) throw new Collision("another process has opened a deletion of the record");
  const digest = digestOfRequest({ ...request, requestedBy, requestedAt: act.now });
  const detail = { resourceType, dueAt, request: digest };
  await noteDeletion(transaction, {
    organizationId,
    deletionRequestId,
    action: "request",
    detail,
    act,
  });
  return deletionRequestId;
}

export async function cancelDeletion(
  transaction: Transaction,
  deletionRequestId: string,
  act: Act,
): Promise<CancelOutcome> {
  const found = await findDeletion(transaction, deletionRequestId);
  if (found === undefined) return "no_such_deletion";
  if ((await transaction.run(setCancelled, deletionRequestId)) === 0) return "not_pending";
  const { organizationId } = found;
  await noteDeletion(transaction, {
    organizationId,
    deletionRequestId,
    action: "cancel",
    detail: {},
    act,
  });
  return readExistingDeletion(transaction, deletionRequestId);
}

/** Does nothing if another process has taken the deletion over. */
export async function postponeDeletion(
  transaction: Transaction,
  args: {
    readonly deletionRequestId: string;
    readonly why: string;
    readonly nextAttemptAt: number;
    readonly claimant: string;
  },
): Promise<void> {
  const { deletionRequestId, why, nextAttemptAt, claimant } = args;
  await transaction.run(setPostponed, deletionRequestId, why, nextAttemptAt, claimant);
}

/** Without organizationId: of any, for operators and the worker. */
export async function findDeletion(
  transaction: Transaction,
  deletionRequestId: string,
  organizationId?: string,
): Promise<Deletion | undefined> {
  const row =
    organizationId === undefined
      ? await transaction.get<DeletionRow>(findById, deletionRequestId)
      : await transaction.get<DeletionRow>(
          findByIdOfOrganization,
          deletionRequestId,
          organizationId,
        );
  return row === undefined ? undefined : toDeletion(row);
}

export async function findDeletions(
  transaction: Transaction,
  deletionRequestIds: readonly string[],
): Promise<readonly Deletion[]> {
  return (await transaction.all<DeletionRow>(findSome, deletionRequestIds)).map(toDeletion);
}

export async function listDeletionsById(
  transaction: Transaction,
  afterId: string,
  limit: number,
): Promise<readonly Deletion[]> {
  return (await transaction.all<DeletionRow>(listById, afterId, limit)).map(toDeletion);
}

export async function readExistingDeletion(
  transaction: Transaction,
  deletionRequestId: string,
): Promise<Deletion> {
  const deletion = await findDeletion(transaction, deletionRequestId);
  if (deletion === undefined) throw new TypeError(`there is no deletion ${deletionRequestId}`);
  return deletion;
}

export async function listDeletions(
  transaction: Transaction,
  { organizationId, status, limit }: DeletionFilter,
): Promise<readonly Deletion[]> {
  const wanted = status ?? null;
  const rows =
    organizationId === undefined
      ? await transaction.all<DeletionRow>(listNewest, limit, wanted)
      : await transaction.all<DeletionRow>(listNewestOfOrganization, limit, wanted, organizationId);
  return rows.map(toDeletion);
}

export async function deletionFigures(
  transaction: Transaction,
  now: number,
): Promise<DeletionFigures> {
  const counts = await transaction.all<{ status: DeletionStatus; deletions: number }>(
    countByStatus,
  );
  const byStatus = { pending: 0, processing: 0, completed: 0, cancelled: 0 };
  for (const { status, deletions } of counts) byStatus[status] = deletions;
  const held = (await transaction.get<{ held: number }>(countHeld))?.held ?? 0;
  const oldest = (await transaction.get<{ oldest: number | null }>(findOldestDue, now))?.oldest;
  return { byStatus, held, oldestDueAt: oldest ?? undefined };
}

/** The record is named by the deletion itself, so the trail needs no id of it. */
export async function noteDeletion(
  transaction: Transaction,
  event: {
    readonly organizationId: string;
    readonly deletionRequestId: string;
    readonly action: "request" | "start" | "complete" | "cancel" | "reopen";
    readonly detail: Readonly<Record<string, unknown>>;
    readonly act: Act;
  },
): Promise<void> {
  await transaction.perform(appendAudit, {
    at: event.act.now,
    actor: event.act.actor,
    action: `deletion.${event.action}`,
    organizationId: event.organizationId,
    subject: event.deletionRequestId,
    detail: event.detail,
  });
}
