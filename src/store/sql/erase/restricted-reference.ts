// References that remain in reports which have to be kept, although what they lead to is erased or in a restricted set. By them a
// set knows the reports that keep it; when it ends, they are redacted.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { type Node, parseNodeKey } from "../../../domain/deletion/erasure.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import type { PlanTarget } from "./plan.ts";
import { named as namedRows } from "../statement/named.ts";
import { get, Rows, run, runTogether, type Statements } from "../statement/statements.ts";

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

const reports = namedRows("owner", "type", "id");

const followReports = `
  UPDATE restricted_reference SET from_set = named.mover
  FROM ${namedRows("owner", "type", "id", "mover")}
  WHERE organization_id = named.owner AND from_type = named.type AND from_id = named.id AND from_set = ''`;

/**
 * Zero is in the past, so what waits for these reports is evaluated again. An array on PostgreSQL, which would otherwise compare all
 * open deletions with all of these reports.
 */
const wakeSets = `
  UPDATE deletion SET next_attempt_at = 0
  WHERE status IN ('pending', 'processing') AND deletion_request_id
    --sqlite IN (
    --postgres = ANY (ARRAY (
    SELECT 'restricted/' || restricted_reference.deletion_request_id
    FROM ${reports}
      JOIN restricted_reference ON restricted_reference.organization_id = named.owner
        AND from_type = named.type AND from_id = named.id AND from_set = ''
    --postgres )
    )`;

const forgetReports = `
  DELETE FROM restricted_reference
  WHERE from_set = '' AND (organization_id, from_type, from_id) IN (
    SELECT named.owner, named.type, named.id FROM ${reports})`;

/**
 * In the transaction that writes the targets, so that no report leaves its organization without being followed. A report that
 * another deletion is about to move is known by that deletion from the beginning.
 */
export function* noteReferences(
  { deletionRequestId, organizationId }: LeavingReports["deletion"],
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
  /** The deletion that erases or moves them. */
  readonly deletion: Pick<Deletion, "deletionRequestId" | "organizationId">;
  readonly erased: readonly RecordKey[];
  readonly moved: readonly RecordKey[];
}

/** Records that leave their organization: reports that are moved are followed, those that are erased keep nothing any more. */
export function* updateReferencesOf(leaving: readonly LeavingReports[]): Statements<void> {
  const moved = leaving.flatMap(({ deletion, moved: keys }) =>
    keys.map((key) => [...reportOf(key), deletion.deletionRequestId]),
  );
  const erased = leaving.flatMap(({ erased: keys }) => keys.map(reportOf));
  // All of them, whether or not there is such a report, so that the time does not tell.
  yield* runTogether(
    [followReports, new Rows(moved, 4)],
    [wakeSets, new Rows(erased, 3)],
    [forgetReports, new Rows(erased, 3)],
  );
}

function reportOf({ organizationId, resourceType, resourceId }: RecordKey) {
  return [organizationId, resourceType, resourceId] as const;
}
