// Writes plans target by target: those of several deletions at once, or more targets for one that has a plan already. Decides
// nothing.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { parseNodeKey } from "../../../domain/deletion/erasure.ts";
import type { TargetRow } from "./erasure.ts";
import type { PlanTarget } from "./plan.ts";
import { noteReferences } from "./restricted-reference.ts";
import {
  all,
  get,
  insert,
  type Insertion,
  rest,
  Rows,
  run,
  type Statements,
} from "../statement/statements.ts";
import { among, named } from "../statement/named.ts";

/** Targets of one statement. */
const targetsAtOnce = 500;

const columns = [
  "id",
  "owner",
  "position bigint",
  "action",
  "type",
  "resource",
  "to_type",
  "to_id",
  "restricted boolean",
  "record_no bigint",
];

/**
 * On SQLite with the number of the record: by it, verification finds changes that should have been erased. Those of a record that
 * is moved stay. `record_no` is the number that an earlier target of a record had which is gone by now.
 */
const insertTargets = `
  INSERT INTO deletion_target
    (deletion_request_id, organization_id, position, action, resource_type, resource_id, to_type, to_id, restricted
    --sqlite , record_no
    )
  SELECT id, owner, position, action, type, resource, to_type, to_id, restricted
    --sqlite , CASE WHEN action <> 'erase' OR (restricted = 1 AND found IS NOT NULL) THEN NULL
    --sqlite   ELSE coalesce(found, record_no) END
  FROM
    --sqlite (SELECT *, (
    --sqlite   SELECT record.record_no FROM record
    --sqlite   WHERE organization_id = owner AND resource_type = type AND resource_id = resource) AS found FROM
    ${named(...columns)}
    --sqlite )
    `;

const insertion: Insertion = {
  into: `
    INSERT INTO deletion_target
      (deletion_request_id, organization_id, position, action, resource_type, resource_id, to_type,
       to_id, restricted)
    VALUES`,
  row: "(?, ?, ?, ?, ?, ?, ?, ?, ?)",
  end: "",
};

const findSame = `
  SELECT target.position, target.action, target.resource_type, target.resource_id, target.to_type,
    target.to_id, target.restricted
    --sqlite , target.record_no
  FROM ${named("action", "resource_type", "resource_id", "to_type", "to_id")}
    --sqlite CROSS
    JOIN deletion_target AS target ON target.organization_id = $6
      AND target.resource_type = named.resource_type AND target.resource_id = named.resource_id
      AND target.action = named.action
  WHERE target.deletion_request_id = $7
    AND target.to_type IS NOT DISTINCT FROM named.to_type
    AND target.to_id IS NOT DISTINCT FROM named.to_id
    --citus AND target.resource_id = ANY ($3::text[])
  `;

const removeTargets = `
  DELETE FROM deletion_target
  ${among("USING", "deletion_target", ["deletion_request_id", "position bigint"])}`;

const readEnd = `SELECT plan_end FROM deletion WHERE deletion_request_id = $1`;

const setEnd = `UPDATE deletion SET plan_end = $2 WHERE deletion_request_id = $1`;

type Owner = Pick<Deletion, "deletionRequestId" | "organizationId">;

export interface Planned {
  readonly deletion: Deletion;
  readonly targets: readonly PlanTarget[];
}

/** For deletions that have no plan. */
export function* writePlans(planned: readonly Planned[]): Statements<void> {
  const rows = planned.flatMap(({ deletion, targets }) =>
    targets.map((target, index) => toRow(deletion, index + 1, target)),
  );
  yield* insertRows(rows);
  for (const { deletion, targets } of planned) yield* noteReferences(deletion, targets);
}

function* insertRows(rows: readonly TargetValues[]): Statements<void> {
  for (let at = 0; at < rows.length; at += targetsAtOnce) {
    const part = rows.slice(at, at + targetsAtOnce);
    yield* insert(insertTargets, new Rows(part, columns.length), insertion);
    if (rows.length > targetsAtOnce) yield* rest();
  }
}

type TargetValues = ReturnType<typeof toRow>;

function toRow(
  { deletionRequestId, organizationId }: Owner,
  position: number,
  target: PlanTarget & { readonly recordNo?: number | null },
) {
  const key = keyOf(target);
  const { restricted, recordNo = null } = target;
  return [deletionRequestId, organizationId, position, ...key, restricted, recordNo] as const;
}

function keyOf({ record, reference }: PlanTarget) {
  const { type, id } = parseNodeKey(record);
  const to = reference === undefined ? undefined : parseNodeKey(reference);
  const action = to === undefined ? "erase" : "redact";
  return [action, type, id, to?.type ?? null, to?.id ?? null] as const;
}

type SameRow = Omit<TargetRow, "deletion_request_id" | "organization_id">;

/**
 * Adds targets to the plan of a deletion, after the existing ones. A target that the plan contains already moves to the end and is
 * processed again. Once its record was moved, nobody may write it again before the deletion is completed.
 */
export function* extendPlan(deletion: Owner, targets: readonly PlanTarget[]): Statements<void> {
  const { deletionRequestId: id } = deletion;
  let end = (yield* get<{ plan_end: number }>(readEnd, id))?.plan_end ?? 0;
  yield* noteReferences(deletion, targets);
  for (let at = 0; at < targets.length; at += targetsAtOnce) {
    const part = targets.slice(at, at + targetsAtOnce);
    const same = end === 0 ? new Map<string, SameRow>() : yield* takeSame(deletion, part);
    const from = end;
    const rows = part.map((target, index) => {
      const before = same.get(JSON.stringify(keyOf(target)));
      const restricted = target.restricted || Boolean(before?.restricted);
      const recordNo = before?.record_no ?? null;
      return toRow(deletion, from + index + 1, { ...target, restricted, recordNo });
    });
    yield* insertRows(rows);
    end += part.length;
    yield* rest();
  }
  yield* run(setEnd, id, end);
}

/** Removes the targets that are the same as these, and returns them. */
function* takeSame(
  { deletionRequestId, organizationId }: Owner,
  targets: readonly PlanTarget[],
): Statements<ReadonlyMap<string, SameRow>> {
  const keys = new Rows(targets.map(keyOf), 5);
  const found = yield* all<SameRow>(findSame, keys, organizationId, deletionRequestId);
  if (found.length === 0) return new Map();
  const places = found.map(({ position }) => [deletionRequestId, position]);
  yield* run(removeTargets, new Rows(places, 2));
  return new Map(found.map((row) => [textOf(row), row]));
}

function textOf({ action, resource_type, resource_id, to_type, to_id }: SameRow): string {
  return JSON.stringify([action, resource_type, resource_id, to_type, to_id]);
}
