// Ends erasures: searches payloads for references that should have been redacted, and completes deletions in the
// transaction of the verification pass that found nothing left.

import { isOfOrganization } from "../../../domain/deletion/organization-deletion.ts";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { nodeKey } from "../../../domain/deletion/erasure.ts";
import type { Act } from "../../interface/act.ts";
import { redactPayload } from "../../shared/redact-payload.ts";
import { describeReceipt } from "../../row/audit-row.ts";
import type { CompletedDeletion } from "../../interface/deletion.ts";
import type { SealedReceipt } from "../../interface/receipt.ts";
import { auditActs } from "../trail/audit.ts";
import type { DeletionRow } from "../../row/deletion-row.ts";
import { inOrderOf, noteOfDeletion } from "../deletion/deletion.ts";
import { among, inNamedIds } from "../statement/named.ts";
import { type Notice, writeNotices } from "./notices.ts";
import { removePseudonyms } from "./pseudonym.ts";
import { storeReceipts } from "../trail/receipt.ts";
import { endSet, openSets } from "../plan/restricted-set.ts";
import { all, Rows, run, type Statements } from "../statement/statements.ts";

/** Searches the payloads themselves, not the relations that the redaction used. */
const findSuspects = `
  SELECT deletion_request_id, position, target.resource_type, to_type, to_id, payload
  FROM deletion_target AS target
    --sqlite JOIN record USING (organization_id, resource_type, resource_id)
    --sqlite JOIN change ON change.record_no = record.record_no
    --postgres JOIN change USING (organization_id, resource_type, resource_id)
  WHERE ${inNamedIds("deletion_request_id")} AND position <= $2 AND action = 'redact'
    --sqlite AND restricted = 0
    --postgres AND NOT restricted
    --sqlite AND instr(payload, json_quote(to_id)) > 0
    --postgres AND strpos(payload, to_json(to_id)::text) > 0
  `;

const doAgain = `
  UPDATE deletion_target SET done = false
  ${among("FROM", "deletion_target", ["deletion_request_id", "position bigint"])}`;

const removeTargets = `DELETE FROM deletion_target WHERE ${inNamedIds("deletion_request_id")}`;

const setCompleted = `
  UPDATE deletion SET
    status = 'completed', completed_at = $2, waiting_for = NULL, held = false, floor_until = NULL,
    next_attempt_at = NULL, lease_until = NULL, claimant = NULL, cursor = NULL, plan_end = 0
  WHERE ${inNamedIds("deletion_request_id")}
  RETURNING *`;

/** The empty text differs from every id. */
const anyPseudonym = "";

interface SuspectRow {
  readonly deletion_request_id: string;
  readonly position: number;
  readonly resource_type: string;
  readonly to_type: string;
  readonly to_id: string;
  readonly payload: string;
}

/**
 * Adds the targets up to this position whose reference is still in a payload to their plans again. Returns the ids of
 * their deletions.
 */
export function* reopenUnredacted(
  ids: readonly string[],
  upTo: number,
): Statements<ReadonlySet<string>> {
  const suspects = ids.length === 0 ? [] : yield* all<SuspectRow>(findSuspects, ids, upTo);
  // A match may be in a field that is not a reference.
  const left = suspects.filter(({ resource_type, to_type, to_id, payload }) => {
    const erased = new Map([[nodeKey(to_type, to_id), anyPseudonym]]);
    return redactPayload(resource_type, payload, erased) !== payload;
  });
  const places = left.map((row) => [row.deletion_request_id, row.position]);
  if (places.length > 0) yield* run(doAgain, new Rows(places, 2));
  return new Set(left.map((row) => row.deletion_request_id));
}

function isOfRecord(deletion: Deletion): boolean {
  return !isOfOrganization(deletion);
}

function noticeOfCompletion(deletion: Deletion): Notice {
  const { resourceType, deletionRequestId } = deletion;
  return { deletion, kind: "completed", resourceType, resourceId: deletionRequestId };
}

/** A verified deletion and its receipt, which is missing only in tests of an engine. */
export interface Completing {
  readonly deletion: Deletion;
  readonly sealed: SealedReceipt | undefined;
}

/**
 * Must run in the transaction of the verification pass that found nothing left. The receipts follow the head of their
 * chain.
 */
export function* finishDeletions(
  completing: readonly Completing[],
  act: Act,
): Statements<readonly CompletedDeletion[]> {
  if (completing.length === 0) return [];
  const deletions = completing.map(({ deletion }) => deletion);
  const ids = deletions.map(({ deletionRequestId }) => deletionRequestId);
  yield* run(removeTargets, ids);
  yield* removePseudonyms(ids);
  const opened = yield* openSets(deletions, act);
  for (const deletion of deletions) yield* endSet(deletion);
  const completed = yield* all<DeletionRow>(setCompleted, ids, act.now);
  const noted = deletions.filter(isOfRecord);
  const notices = noted.map(noticeOfCompletion);
  const written = yield* writeNotices(notices, { deletions: noted, now: act.now });
  yield* storeReceipts(
    completing.flatMap(({ sealed }) => sealed ?? []),
    act,
  );
  // The notes contain no numbers, because readers of the audit trail must not learn that there was a report.
  const notes = completing.map(({ deletion, sealed }) =>
    noteOfDeletion(deletion, "complete", { ...describeReceipt(sealed) }),
  );
  yield* auditActs([...opened, ...notes].map((note) => ({ ...act, note })));
  const told = new Set(written.map(({ resourceId }) => resourceId));
  return inOrderOf(ids, completed).map((deletion) => {
    const isTold = told.has(deletion.deletionRequestId);
    return { result: "completed", deletion, notices: isTold ? 1 : 0 };
  });
}
