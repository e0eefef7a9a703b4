// Deletions: cancelled, postponed after a failure, and read.

import { byDueTime, inLists } from "../statement/index-conditions.ts";
import { confidentialTypes } from "../../../domain/confidentiality.ts";
import type { Deletion, DeletionStatus } from "../../../domain/deletion/deletion.ts";
import { restrictedId } from "../../../domain/deletion/restricted-set.ts";
import { limits } from "../../../domain/limits.ts";
import type { KeyInOrganization, RecordKey } from "../../../domain/record/record-write.ts";
import type { Act } from "../../interface/act.ts";
import { type DeletionRow, toDeletion } from "../../row/deletion-row.ts";
import type {
  CompletedRow,
  DeletionFigures,
  ProcessingDeletion,
} from "../../interface/deletion.ts";
import { reader } from "../../row/reader.ts";
import type { AuditNote } from "../../interface/trail.ts";
import { auditAct } from "../trail/audit.ts";
import { all, find, get, list, run, type Statements, scalar } from "../statement/statements.ts";
import { inNamedIds, keyRows, matching } from "../statement/named.ts";
import { findOpen } from "./closed-records.ts";

export interface DeletionFilter {
  readonly organizationId?: string | undefined;
  readonly status?: DeletionStatus | undefined;
  /** Selects only deletions of this record of the organization, whatever their status. */
  readonly record?: KeyInOrganization;
  /** Selects only deletions that await an approval, whatever their status. */
  readonly awaitsApproval?: boolean;
  readonly before?: Pick<Deletion, "requestedAt" | "deletionRequestId"> | undefined;
  /** How many deletions are listed at most, newest first, after `before`. */
  readonly limit: number;
}

export type CancelOutcome = Deletion | "no_such_deletion" | "not_pending";

const findOne = (filter: string) => `
  SELECT * FROM deletion WHERE deletion_request_id = $1 ${filter}`;

const listById = `
  SELECT * FROM deletion WHERE deletion_request_id > $1 ORDER BY deletion_request_id LIMIT $2`;

const setCancelled = `
  UPDATE deletion SET
    status = 'cancelled', waiting_for = NULL, held = false, floor_until = NULL, next_attempt_at = NULL,
    cursor = NULL
  WHERE deletion_request_id = $1 AND status = 'pending'`;

/** A deletion that met a retention floor while it was processed continues to wait for the end of that floor. */
const setPostponed = `
  UPDATE deletion SET
    waiting_for = $1, held = held AND status = 'processing', lease_until = NULL, claimant = NULL,
    attempts = attempts + CASE status WHEN 'pending' THEN 1 ELSE 0 END, next_attempt_at =
      CASE WHEN floor_until > CAST($2 AS bigint) THEN
        --sqlite min(
        --postgres least(
        floor_until, CAST($2 AS bigint) + ${limits.flooredDeletionRetryMs})
      ELSE $2 END
  WHERE deletion_request_id = $3 AND (CAST($4 AS text) IS NULL OR claimant = $4 OR status = 'pending')
    AND status IN ('pending', 'processing')`;

/** The indexes of deletions that await an approval have this condition. */
export const awaitingApproval = `
  approval_requester IS NOT NULL AND approved_at IS NULL AND status = 'pending'`;

/**
 * After a position in this order. For each filter, an index has the rows in this order. With a status, the first value
 * of the filter, the position contains it: otherwise PostgreSQL would search all deletions for those that have it.
 */
const listNewest = (filter: string, status = "", columns = "*") => `
  SELECT ${columns} FROM deletion
  WHERE
    --sqlite (requested_at, deletion_request_id) < ($1, $2)
    --postgres (${status}requested_at, deletion_request_id) < (${status && "$4, "}$1, $2)
    AND restricted_of IS NULL ${filter}
  ORDER BY requested_at DESC, deletion_request_id DESC LIMIT $3`;

/** Later than any request. */
const theEnd = { requestedAt: Number.MAX_SAFE_INTEGER, deletionRequestId: "" };

const countByStatus = `
  SELECT status, count(*) AS deletions FROM deletion WHERE true ${inLists} GROUP BY status`;

const countSome = (index: string, condition: string, more = "") => `
  SELECT status, count(*) AS deletions ${more} FROM deletion
  --sqlite INDEXED BY ${index}
  WHERE ${condition} GROUP BY status`;

/** A separate statement counts restricted sets, so that the index alone can answer the other one. */
const countSets = countSome("deletion_restricted", "restricted_of IS NOT NULL");

const closedOrganizations = `SELECT organization_id FROM organization WHERE closed_at IS NOT NULL`;

const countOfClosed = countSome(
  "deletion_by_organization_status",
  `organization_id IN (${closedOrganizations}) ${inLists}`,
);

/** The condition of the index deletion_of_others: callers request no deletions of other types. */
const ofOthers = `resource_type NOT IN ('transaction', 'person', 'company')`;

const alwaysConfidential = [...confidentialTypes()].map((type) => `'${type}'`).join(", ");

/** Deletions of confidential records, which operators and the retention ceiling request. */
const ofReports = `
  ${ofOthers} AND (
    resource_type IN (${alwaysConfidential}) OR (organization_id, resource_type) IN (
      SELECT organization_id, added.value FROM organization,
        --sqlite json_each(confidential_types) AS added
        --postgres json_array_elements_text(CAST(confidential_types AS json)) AS added (value)
    ))`;

const countReports = countSome(
  "deletion_of_others",
  `${ofReports} AND organization_id NOT IN (${closedOrganizations})`,
  ", count(*) FILTER (WHERE status IN ('pending', 'processing') AND floor_until > $1) AS floored",
);

/** When a deletion is tried next, written as in the indexes (schema.sql), so that these are used. */
export const triedAt = "CASE WHEN next_attempt_at IS NULL THEN due_at ELSE next_attempt_at END";

/** Longer than every back-off, and than the delay of a deletion under a hold. */
const retriedWithinMs = 10 * 60_000;

/**
 * Leaves out deletions that wait for a floor or for their grace period, because there may be very many. No figure
 * counts the deletions of restricted sets, of closed organizations (which wait for confidential reports), or of
 * confidential reports: readers of the metrics may not learn that there are any.
 */
const readWaiting = `
  SELECT count(*) FILTER (WHERE held) AS held,
    min(due_at) FILTER (
      WHERE due_at <= $1 AND NOT held AND (floor_until IS NULL OR floor_until <= $1)) AS oldest
  FROM deletion
  --sqlite INDEXED BY deletion_due
  WHERE status IN ('pending', 'processing') ${byDueTime}
    AND (${triedAt}) <= CAST($1 AS bigint) + ${retriedWithinMs}
    AND restricted_of IS NULL AND organization_id NOT IN (${closedOrganizations})
    AND NOT (${ofReports})`;

/** Those that have been processing since then, the oldest first, unless a hold or a floor protects what was found. */
const findProcessing = `
  SELECT deletion_request_id, organization_id, started_at FROM deletion
  --sqlite INDEXED BY deletion_due
  WHERE status IN ('pending', 'processing') AND status = 'processing' ${byDueTime}
    AND started_at <= $1 AND NOT held AND floor_until IS NULL
    AND restricted_of IS NULL AND organization_id NOT IN (${closedOrganizations})
    AND NOT (${ofReports})
  ORDER BY started_at LIMIT $2`;

const countUnderFloor = `
  SELECT count(*) AS deletions FROM deletion
  --sqlite INDEXED BY deletion_floored
  WHERE status IN ('pending', 'processing') AND floor_until IS NOT NULL AND floor_until > $1
    AND NOT (organization_id >= '${restrictedId("")}' AND organization_id < 'restricted0')
    AND organization_id NOT IN (${closedOrganizations})`;

/** Returns the id of the pending or processing deletion of this record. */
export function* findOpenDeletion(key: RecordKey) {
  return yield* scalar<string>(findOpen, keyRows([key]));
}

export function* cancelDeletion(deletionRequestId: string, act: Act): Statements<CancelOutcome> {
  const deletion = yield* findDeletion(deletionRequestId);
  if (deletion === undefined) return "no_such_deletion";
  if ((yield* run(setCancelled, deletionRequestId)) === 0) return "not_pending";
  yield* auditDeletion(deletion, { action: "cancel", detail: {}, act });
  return yield* readExistingDeletion(deletionRequestId);
}

/**
 * After a failure, which for a pending deletion is that of its plan. If a claimant is given, does nothing if another
 * process has claimed the deletion since.
 */
export function* postponeDeletion(
  deletionRequestId: string,
  why: string,
  nextAttemptAt: number,
  { claimant }: { readonly claimant?: string } = {},
): Statements<void> {
  yield* run(setPostponed, why, nextAttemptAt, deletionRequestId, claimant ?? null);
}

/** Finds a deletion of an organization; of any organization if none is named, for operators and the worker. */
export function* findDeletion(
  deletionRequestId: string,
  organizationId?: string,
): Statements<Deletion | undefined> {
  const { sql, values } = matching({ organization_id: organizationId }, 2);
  return yield* find(toDeletion, findOne(sql), deletionRequestId, ...values);
}

export function* readExistingDeletion(deletionRequestId: string): Statements<Deletion> {
  const deletion = yield* findDeletion(deletionRequestId);
  if (deletion === undefined) throw new TypeError(`there is no deletion ${deletionRequestId}`);
  return deletion;
}

/** Finds deletions of all organizations; unknown ids are skipped. */
export function* findDeletions(deletionRequestIds: readonly string[]) {
  return yield* list(
    toDeletion,
    `SELECT * FROM deletion WHERE ${inNamedIds("deletion_request_id")}`,
    deletionRequestIds,
  );
}

/** Returns the deletions of these rows, in the order of the ids. */
export function inOrderOf(
  ids: readonly string[],
  rows: readonly DeletionRow[],
): readonly Deletion[] {
  const byId = new Map(rows.map((row) => [row.deletion_request_id, toDeletion(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Lists the deletions of all organizations, in the order of ids. */
export function* listDeletionsById(afterId: string, limit: number) {
  return yield* list(toDeletion, listById, afterId, limit);
}

export function* listDeletions(filter: DeletionFilter): Statements<readonly Deletion[]> {
  const { organizationId, record, limit, before = theEnd, awaitsApproval = false } = filter;
  const place = [before.requestedAt, before.deletionRequestId, limit] as const;
  const status = awaitsApproval || record !== undefined ? undefined : filter.status;
  const wanted = {
    status,
    organization_id: organizationId,
    resource_type: record?.resourceType,
    resource_id: record?.resourceId,
  };
  const { sql, values } = matching(wanted, 4);
  const filtered = sql + (awaitsApproval ? ` AND ${awaitingApproval}` : inLists);
  const text = listNewest(filtered, status && "status, ");
  return yield* list(toDeletion, text, ...place, ...values);
}

const toCompleted = reader<CompletedRow>({ erased: "json", kept: "json" });
const completedColumns = `
  deletion_request_id, organization_id, resource_type, requested_at, completed_at, erased, kept`;

/** In the same order. */
export function listCompleted({
  organizationId,
  before = theEnd,
  limit,
}: Pick<DeletionFilter, "organizationId" | "before" | "limit">): Statements<
  readonly CompletedRow[]
> {
  const { sql, values } = matching({ status: "completed", organization_id: organizationId }, 4);
  const text = listNewest(sql + inLists, "status, ", completedColumns);
  return list(toCompleted, text, before.requestedAt, before.deletionRequestId, limit, ...values);
}

interface StatusCount {
  readonly status: DeletionStatus;
  readonly deletions: number;
}

export function* deletionFigures(now: number): Statements<DeletionFigures> {
  const counts = yield* all<StatusCount>(countByStatus);
  const byStatus = { pending: 0, processing: 0, completed: 0, cancelled: 0 };
  for (const { status, deletions } of counts) byStatus[status] = deletions;
  const reports = yield* all<StatusCount & { readonly floored: number }>(countReports, now);
  const [sets, closed] = [
    yield* all<StatusCount>(countSets),
    yield* all<StatusCount>(countOfClosed),
  ];
  for (const { status, deletions } of [...reports, ...sets, ...closed]) {
    byStatus[status] -= deletions;
  }
  const row = yield* get<{ held: number; oldest: number | null }>(readWaiting, now);
  const floored = (yield* scalar<number>(countUnderFloor, now)) ?? 0;
  return {
    byStatus,
    held: row?.held ?? 0,
    underFloor: reports.reduce((left, one) => left - one.floored, floored),
    oldestDueAt: row?.oldest ?? undefined,
    oldestStartedAt: (yield* listProcessing(now, 1))[0]?.startedAt,
  };
}

const toProcessing = reader<ProcessingDeletion>({});

/** Deletions that have been processing since before this time; none of confidential records, as in the figures. */
export function listProcessing(
  startedBefore: number,
  limit: number,
): Statements<readonly ProcessingDeletion[]> {
  return list(toProcessing, findProcessing, startedBefore, limit);
}

/** The deletion itself names the record, so the audit trail does not need its id. */
export function* auditDeletion(
  deletion: { readonly organizationId: string; readonly deletionRequestId: string },
  event: {
    readonly action: DeletionEvent;
    readonly detail: Readonly<Record<string, unknown>>;
    readonly act: Act;
  },
): Statements<void> {
  yield* auditAct(noteOfDeletion(deletion, event.action, event.detail), event.act);
}

type DeletionEvent = "start" | "complete" | "cancel" | "reopen" | "approve";

export function noteOfDeletion(
  {
    organizationId,
    deletionRequestId: subject,
  }: Pick<Deletion, "organizationId" | "deletionRequestId">,
  action: DeletionEvent,
  detail: AuditNote["detail"],
): AuditNote {
  return { action: `deletion.${action}`, organizationId, subject, detail };
}
