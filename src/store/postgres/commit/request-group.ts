// Opens the deletions that a group of requests asks for, in a few multi-row statements: each request is evaluated in order,
// as if it had its own transaction. Erases nothing.

import { organizationClosed } from "../../../domain/deletion/organization-deletion.ts";
import { AppError } from "../../../domain/error.ts";
import {
  RepliesOfGroup,
  repeatedOutcome,
  replyText,
  type StoredReply,
} from "../../group/group-replies.ts";
import { auditActs } from "../../sql/trail/audit.ts";
import { approvalColumns } from "../../row/deletion-row.ts";
import { noteOfRequest } from "../../sql/erase/deletion.ts";
import { Collision } from "../../sql/statement/statements.ts";
import { joinOpenDeletion } from "../erase/closed-record.ts";
import { keyColumns, type KeyRow, keyText, rowKeyText } from "../../shared/record-key.ts";
import type { Transaction } from "../transaction.ts";
import { findClosedOrganizations, organizationsOf } from "./closed-organizations.ts";
import { addReplies, findReplies } from "./idempotency.ts";
import { inSequence } from "./settle-all.ts";
import type { JobResult, RequestJob } from "./job.ts";
import { findRecords } from "./record.ts";

const findOpen = `
  SELECT deletion_request_id, named.organization_id, named.resource_type, named.resource_id
  FROM unnest($1::text[], $2::text[], $3::text[]) AS named (organization_id, resource_type, resource_id)
    ${joinOpenDeletion}`;

const insertDeletions = `
  INSERT INTO deletion
    (deletion_request_id, organization_id, resource_type, resource_id, reason, status,
     requested_by, requested_at, due_at, waiting_for, next_attempt_at, approval_requester)
  SELECT deletion_request_id, organization_id, resource_type, resource_id, reason, 'pending',
    requested_by, requested_at, due_at, waiting_for, next_attempt_at, approval_requester
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[],
      $9::text[], $10::bigint[], $11::text[])
    AS requested (deletion_request_id, organization_id, resource_type, resource_id, reason,
      requested_by, requested_at, due_at, waiting_for, next_attempt_at, approval_requester)
  ON CONFLICT (organization_id, resource_type, resource_id)
    WHERE status IN ('pending', 'processing') DO NOTHING`;

const findApproving = `
  SELECT organization_id FROM organization
  WHERE organization_id = ANY ($1::text[]) AND deletion_approval`;

/** What is stored, and what the requests of the group add. */
interface Known {
  /** The open deletion, by the key of its record. */
  readonly open: Map<string, string>;
  readonly records: ReadonlyMap<string, unknown>;
  readonly closedOrganizations: ReadonlySet<string>;
  /** Organizations that require an approval of deletions. */
  readonly approving: ReadonlySet<string>;
  readonly replies: RepliesOfGroup;
  /** The deletions to store. */
  readonly opened: RequestJob[];
}

/** Returns the results in the order of the jobs. */
export async function openDeletions(
  transaction: Transaction,
  jobs: readonly RequestJob[],
): Promise<readonly JobResult[]> {
  const known = await readKnown(transaction, jobs);
  const results = jobs.map((job) => evaluateOnce(job, known));
  await storeOpened(transaction, known);
  const { added } = known.replies;
  if ((await addReplies(transaction, added)) < added.length) {
    throw new Collision("another process has stored the reply");
  }
  // The lock on the head of the audit trail is the last one.
  const acts = known.opened.map(({ request, act }) => ({
    ...act,
    note: noteOfRequest(request, act),
  }));
  if (acts.length > 0) await transaction.perform(auditActs, acts);
  return results;
}

async function readKnown(transaction: Transaction, jobs: readonly RequestJob[]): Promise<Known> {
  const keys = distinct(jobs.map(({ request }) => [keyText(request), request] as const));
  const names = distinct(
    jobs.flatMap(({ request: { organizationId, idempotency: mark } }) => {
      if (mark === undefined) return [];
      const name = { organizationId, keyHash: mark.keyHash };
      return [[replyText(organizationId, mark.keyHash), name] as const];
    }),
  );
  const requests = jobs.map(({ request }) => request);
  const [replies, open, records, closedOrganizations, approving] = await inSequence([
    findReplies(transaction, names),
    transaction.all<KeyRow & { deletion_request_id: string }>(findOpen, ...keyColumns(keys)),
    findRecords(transaction, keys),
    findClosedOrganizations(transaction, requests),
    transaction.all<{ organization_id: string }>(findApproving, organizationsOf(requests)),
  ] as const);
  return {
    open: new Map(open.map((row) => [rowKeyText(row), row.deletion_request_id])),
    records,
    closedOrganizations,
    approving: new Set(approving.map(({ organization_id }) => organization_id)),
    replies: new RepliesOfGroup(replies),
    opened: [],
  };
}

/** If the idempotency mark is known, returns the stored outcome. */
function evaluateOnce(job: RequestJob, known: Known): JobResult {
  const { organizationId, idempotency: mark } = job.request;
  if (known.closedOrganizations.has(organizationId)) {
    return { ok: false, error: organizationClosed() };
  }
  if (mark === undefined) return toResult(evaluate(job, known));
  const { keyHash, fingerprint } = mark;
  const { now } = job.act;
  const text = replyText(organizationId, keyHash);
  let repeated: string | undefined;
  try {
    repeated = repeatedOutcome(known.replies.find(text), { fingerprint, now });
  } catch (error) {
    if (error instanceof AppError) return { ok: false, error };
    throw error;
  }
  if (repeated !== undefined) return toResult(JSON.parse(repeated) as string | null);
  const deletionRequestId = evaluate(job, known);
  const outcome = JSON.stringify(deletionRequestId);
  const reply: StoredReply = { organizationId, keyHash, fingerprint, outcome, createdAt: now };
  known.replies.add(text, reply);
  return toResult(deletionRequestId);
}

/**
 * The id of the open deletion, new or not; null if there is no such record. An open deletion is found first: while it is
 * processed the record disappears, but the deletion is still the same.
 */
function evaluate(job: RequestJob, { open, records, opened }: Known): string | null {
  const { request } = job;
  const key = keyText(request);
  const known = open.get(key);
  if (known !== undefined) return known;
  if (!records.has(key)) return null;
  opened.push(job);
  open.set(key, request.deletionRequestId);
  return request.deletionRequestId;
}

function toResult(deletionRequestId: string | null): JobResult {
  return { ok: true, deletionRequestId: deletionRequestId ?? undefined };
}

async function storeOpened(
  transaction: Transaction,
  { opened, approving }: Pick<Known, "opened" | "approving">,
): Promise<void> {
  if (opened.length === 0) return;
  // In the order of the keys, so that two processes can't deadlock.
  const sorted = opened
    .map((job) => ({ ...job, text: keyText(job.request) }))
    .sort((one, other) => (one.text < other.text ? -1 : 1));
  const requests = sorted.map(({ request }) => request);
  const approvals = sorted.map(({ request: { organizationId, isAutomatic }, act: { actor } }) =>
    approvalColumns(isAutomatic !== true && approving.has(organizationId) ? actor : undefined),
  );
  const inserted = await transaction.run(
    insertDeletions,
    requests.map(({ deletionRequestId }) => deletionRequestId),
    ...keyColumns(requests),
    requests.map(({ reason }) => reason),
    sorted.map(({ request, act }) => request.requestedBy ?? act.actor),
    sorted.map(({ act }) => act.now),
    requests.map(({ dueAt }) => dueAt),
    approvals.map(([waitingFor]) => waitingFor),
    approvals.map(([, nextAttemptAt]) => nextAttemptAt),
    approvals.map(([, , requester]) => requester),
  );
  if (inserted < opened.length) {
    throw new Collision("another process has opened a deletion of the record");
  }
}

function distinct<Value>(entries: readonly (readonly [string, Value])[]): readonly Value[] {
  return [...new Map(entries).values()];
}
