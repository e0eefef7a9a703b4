// References that remain in reports which have to be kept, although what they lead to is erased or in a restricted set. By them a
// set knows the reports that keep it; when it ends, they are redacted.

import { type Node, parseNodeKey } from "../../domain/deletion/erasure.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { PlanTarget } from "./plan.ts";
import { get, run, runTogether, type Statements } from "./statements.ts";

const findMoving = `
  SELECT deletion_request_id FROM deletion_target AS target
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3 AND action = 'erase'
    --sqlite AND restricted = 1 AND EXISTS (
    --sqlite   SELECT 1 FROM deletion
    --sqlite   WHERE deletion_request_id = target.deletion_request_id AND status = 'processing')
    --postgres AND restricted
  LIMIT 1`;

/** The ids of what is referred to come as one JSON list of types and ids. */
const insertReferences = `
  INSERT INTO restricted_reference
    (deletion_request_id, organization_id, from_type, from_id, from_set, to_type, to_id)
  SELECT $1, $2, $3, $4, $5, named.value ->> 0, named.value ->> 1
  FROM
    --sqlite json_each($6) AS named
    --postgres json_array_elements(CAST($6 AS json)) AS named (value)
  WHERE true
  ON CONFLICT DO NOTHING`;

const removeOfDeletion = `DELETE FROM restricted_reference WHERE deletion_request_id = $1`;

const followReports = `
  UPDATE restricted_reference SET from_set = $2
  WHERE organization_id = $1 AND from_set = '' AND (from_type, from_id) IN (
    SELECT named.value ->> 0, named.value ->> 1 FROM
    --sqlite json_each($3) AS named)
    --postgres json_array_elements(CAST($3 AS json)) AS named (value))
  `;

/** Zero is in the past, so what waits for these reports is evaluated again. */
const wakeSets = `
  UPDATE deletion SET next_attempt_at = 0
  WHERE status IN ('pending', 'processing') AND deletion_request_id IN (
    SELECT 'restricted/' || restricted_reference.deletion_request_id FROM restricted_reference
    WHERE organization_id = $1 AND from_set = '' AND (from_type, from_id) IN (
      SELECT named.value ->> 0, named.value ->> 1 FROM
      --sqlite json_each($2) AS named))
      --postgres json_array_elements(CAST($2 AS json)) AS named (value)))
  `;

const forgetReports = `
  DELETE FROM restricted_reference
  WHERE organization_id = $1 AND from_set = '' AND (from_type, from_id) IN (
    SELECT named.value ->> 0, named.value ->> 1 FROM
    --sqlite json_each($2) AS named)
    --postgres json_array_elements(CAST($2 AS json)) AS named (value))
  `;

/**
 * In the transaction that writes the targets, so that no report leaves its organization without being followed. A report that
 * another deletion is about to move is known by that deletion from the beginning.
 */
export function* noteReferences(
  deletionRequestId: string,
  organizationId: string,
  targets: readonly PlanTarget[],
): Statements<void> {
  const kept = targets.filter(({ reference, restricted }) => restricted && reference !== undefined);
  for (const [report, references] of Map.groupBy(kept, ({ record }) => record)) {
    const { type: resourceType, id: resourceId } = parseNodeKey(report);
    const named = references.flatMap(({ reference }) =>
      reference === undefined ? [] : [parseNodeKey(reference)],
    );
    const key = { organizationId, resourceType, resourceId };
    yield* noteReferencesOf(deletionRequestId, key, named);
  }
}

/** Of one report, which is still in its organization. */
export function* noteReferencesOf(
  deletionRequestId: string,
  report: RecordKey,
  named: readonly Node[],
): Statements<void> {
  const { organizationId, resourceType, resourceId } = report;
  const moving = yield* findMovingDeletion(report);
  yield* run(
    insertReferences,
    deletionRequestId,
    organizationId,
    resourceType,
    resourceId,
    moving ?? "",
    JSON.stringify(named.map(({ type, id }) => [type, id])),
  );
}

/** The deletion that is about to move this report of an organization. */
export function* findMovingDeletion({
  organizationId,
  resourceType,
  resourceId,
}: RecordKey): Statements<string | undefined> {
  const key = [organizationId, resourceType, resourceId] as const;
  return (yield* get<MovingRow>(findMoving, ...key))?.deletion_request_id;
}

interface MovingRow {
  readonly deletion_request_id: string;
}

export function* forgetReferencesOf(deletionRequestId: string): Statements<void> {
  yield* run(removeOfDeletion, deletionRequestId);
}

export interface LeavingReports {
  readonly organizationId: string;
  /** The deletion that erases or moves them. */
  readonly deletionRequestId: string;
  readonly erased: readonly RecordKey[];
  readonly moved: readonly RecordKey[];
}

/** Records that leave their organization: reports that are moved are followed, those that are erased keep nothing any more. */
export function* updateReferences(leaving: LeavingReports): Statements<void> {
  const { organizationId, deletionRequestId } = leaving;
  const erased = reportsOf(leaving.erased);
  const moved = reportsOf(leaving.moved);
  // All of them, whether or not there is such a report, so that the time does not tell.
  yield* runTogether(
    [followReports, organizationId, deletionRequestId, JSON.stringify(moved)],
    [wakeSets, organizationId, JSON.stringify(erased)],
    [forgetReports, organizationId, JSON.stringify(erased)],
  );
}

function reportsOf(keys: readonly RecordKey[]): readonly (readonly [string, string])[] {
  return keys.map(({ resourceType, resourceId }) => [resourceType, resourceId] as const);
}
