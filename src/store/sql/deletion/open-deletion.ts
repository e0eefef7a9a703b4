// Opens the deletions that a group of requests asks for, in a few statements for all of them. Erases nothing.

import { byRecord } from "../statement/index-conditions.ts";
import {
  evaluateRequests,
  type KnownDeletions,
  type RequestAct,
} from "../../group/evaluate-requests.ts";
import { namesOf, RepliesOfGroup } from "../../group/group-replies.ts";
import type { Result } from "../../group/packed-outcome.ts";
import type { Act } from "../../interface/act.ts";
import type { DeletionRequest } from "../../interface/deletion.ts";
import type { AuditNote } from "../../interface/trail.ts";
import { digestOfRequest } from "../../row/audit-row.ts";
import { approvalColumns } from "../../row/deletion-row.ts";
import { type KeyRow, rowKeyText, keyValues } from "../../shared/record-key.ts";
import { addReplies, findReplies } from "../access/idempotency.ts";
import { columnsIn, existingRecords, inNamedIds, keyRows, named } from "../statement/named.ts";
import { allTogether, Collision, Rows, run, type Statements } from "../statement/statements.ts";
import { auditActs } from "../trail/audit.ts";
import { keyText } from "../../../domain/record/record-write.ts";
import { findOpen } from "./closed-records.ts";

const findExisting = `
  SELECT record.organization_id, record.resource_type, record.resource_id
  FROM ${existingRecords}
  --citus WHERE record.resource_id = ANY ($3::text[])
  `;

const findRules = `
  SELECT organization_id, closed_at, deletion_approval FROM organization
  WHERE ${inNamedIds("organization_id")}`;

const requested =
  "deletion_request_id, organization_id, resource_type, resource_id, reason, requested_by, " +
  "requested_at bigint, due_at bigint, waiting_for, next_attempt_at bigint, approval_requester, basis, requester";
const columns = columnsIn(requested);

const insertRows = `
  INSERT INTO deletion (status, ${columns.join(", ")})
  SELECT 'pending', ${columns.join(", ")}
  FROM ${named(requested)}
  WHERE true
  ON CONFLICT (organization_id, resource_type, resource_id)
    WHERE status IN ('pending', 'processing') ${byRecord} DO NOTHING`;

/** Returns the results in the order of the requests. */
export function* openDeletions(
  requests: readonly RequestAct[],
): Statements<readonly Result<string | undefined>[]> {
  const { known, approving } = yield* readKnown(requests.map(({ request }) => request));
  const { results, opening } = evaluateRequests(requests, known);
  yield* insertDeletions(opening, approving);
  const { added } = known.replies;
  if ((yield* addReplies(added)) < added.length) {
    throw new Collision("another process has stored the reply");
  }
  // The audit trail comes last, because the lock on its head has to be the last one.
  const acts = opening.map(({ request, act }) => {
    return { ...act, note: noteOfRequest(request, { act, approving }) };
  });
  if (acts.length > 0) yield* auditActs(acts);
  return results;
}

interface RuleRow {
  readonly organization_id: string;
  readonly closed_at: number | null;
  readonly deletion_approval: boolean | 0 | 1;
}

/** `approving`: the organizations that require an approval of deletions. */
function* readKnown(requests: readonly DeletionRequest[]): Statements<{
  readonly known: KnownDeletions;
  readonly approving: ReadonlySet<string>;
}> {
  const keys = new Map(requests.map((request) => [keyText(request), request]));
  const records = keyRows([...keys.values()]);
  const organizations = new Set(requests.map(({ organizationId }) => organizationId));
  const replies = yield* findReplies(namesOf(requests));
  const [open, existing, rules] = yield* allTogether<
    [(KeyRow & { deletion_request_id: string })[], KeyRow[], RuleRow[]]
  >([findOpen, records], [findExisting, records], [findRules, [...organizations]]);
  const known = {
    open: new Map(open.map((row) => [rowKeyText(row), row.deletion_request_id])),
    records: new Set(existing.map(rowKeyText)),
    closedOrganizations: idsOf(rules.filter(({ closed_at }) => closed_at !== null)),
    replies: new RepliesOfGroup(replies),
  };
  return { known, approving: idsOf(rules.filter((row) => Boolean(row.deletion_approval))) };
}

function idsOf(rows: readonly RuleRow[]): ReadonlySet<string> {
  return new Set(rows.map(({ organization_id }) => organization_id));
}

/** Inserts in the order of the keys, so that two processes can't deadlock. */
export function* insertDeletions(
  opening: readonly RequestAct[],
  approving: ReadonlySet<string>,
): Statements<void> {
  if (opening.length === 0) return;
  const rows = opening
    .map((one) => ({ ...one, text: keyText(one.request) }))
    .toSorted((one, other) => (one.text < other.text ? -1 : 1))
    .map(({ request, act }) => {
      const { deletionRequestId, reason, requestedBy = act.actor, dueAt, basis = null } = request;
      const needed = needsApproval(request, approving);
      const approval = approvalColumns(needed ? act.actor : undefined);
      const requester = requestedBy === act.actor ? null : act.actor;
      const row = [deletionRequestId, ...keyValues(request), reason, requestedBy];
      return [...row, act.now, dueAt, ...approval, basis, requester];
    });
  if ((yield* run(insertRows, new Rows(rows, columns.length))) < rows.length) {
    throw new Collision("another process has opened a deletion of the record");
  }
}

function needsApproval(
  { organizationId, isAutomatic = false }: DeletionRequest,
  approving: ReadonlySet<string>,
): boolean {
  return !isAutomatic && approving.has(organizationId);
}

/** Returns the audit note of a requested deletion. Its actor must not approve it. */
export function noteOfRequest(
  request: DeletionRequest,
  { act, approving }: { readonly act: Act; readonly approving: ReadonlySet<string> },
): AuditNote {
  const { organizationId, resourceType, deletionRequestId, dueAt } = request;
  const { requestedBy = act.actor } = request;
  const digest = digestOfRequest({ ...request, requestedBy, requestedAt: act.now });
  const approval = needsApproval(request, approving) ? { needsApproval: true } : {};
  const detail = { resourceType, dueAt, request: digest, ...approval };
  return { action: "deletion.request", organizationId, subject: deletionRequestId, detail };
}
