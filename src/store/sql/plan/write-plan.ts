// Writes plans target by target: the plans of several deletions at once, or further targets for a deletion that already
// has a plan. Decides nothing.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { parseNodeKey } from "../../../domain/deletion/erasure.ts";
import { type TargetRow, readPlanEnds, removeTargets } from "./erasure.ts";
import { type PlanTarget, toKey } from "./plan.ts";
import { noteReferences, type RemainingReference } from "./restricted-reference.ts";
import {
  all,
  insert,
  type Insertion,
  pause,
  Rows,
  run,
  type Statements,
} from "../statement/statements.ts";
import { columnsIn, joinTargets, named, namedDeletion } from "../statement/named.ts";

const targetsAtOnce = 500;

const columns =
  "id, owner, position bigint, action, type, resource, to_type, to_id, restricted boolean, record_no bigint";

/**
 * On SQLite a target has the number of its record, which verification uses to find changes that should have been
 * erased. A record that is moved keeps its changes. If the record is already gone, `record_no` comes from an earlier
 * target.
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
    ${named(columns)}
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
  SELECT target.deletion_request_id, target.position, target.action, target.resource_type,
    target.resource_id, target.to_type, target.to_id, target.restricted
    --sqlite , target.record_no
  FROM ${named("action", "resource_type", "resource_id", "to_type", "to_id", "id", "organization_id")}
    ${joinTargets}
  WHERE target.action = named.action AND target.deletion_request_id = named.id
    AND target.to_type IS NOT DISTINCT FROM named.to_type
    AND target.to_id IS NOT DISTINCT FROM named.to_id
    --citus AND target.resource_id = ANY ($3::text[])
  `;

const setEnds = `
  UPDATE deletion SET plan_end = named.plan_end FROM ${named("id", "plan_end bigint")}
  WHERE ${namedDeletion}`;

type Owner = Pick<Deletion, "deletionRequestId" | "organizationId">;

export interface Planned {
  readonly deletion: Deletion;
  readonly targets: readonly PlanTarget[];
}

/** Writes the plans of deletions that have none. */
export function* writePlans(planned: readonly Planned[]): Statements<void> {
  const rows = planned.flatMap(({ deletion, targets }) =>
    targets.map((target, index) => toRow(deletion, index + 1, target)),
  );
  yield* insertRows(rows);
  // This runs whether or not there is a reference, because the time must not disclose it.
  if (planned.length > 0) yield* noteReferences(planned.flatMap(remainingIn));
}

function remainingIn({ deletion, targets }: Planned): readonly RemainingReference[] {
  const { deletionRequestId, organizationId } = deletion;
  return targets.flatMap(({ record, reference, restricted }) => {
    if (!restricted || reference === undefined) return [];
    const report = toKey(organizationId, record);
    return [{ deletionRequestId, report, to: parseNodeKey(reference) }];
  });
}

function* insertRows(rows: readonly TargetValues[]): Statements<void> {
  for (let at = 0; at < rows.length; at += targetsAtOnce) {
    const part = rows.slice(at, at + targetsAtOnce);
    yield* insert(insertTargets, new Rows(part, columnsIn(columns).length), insertion);
    if (rows.length > targetsAtOnce) yield* pause();
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

type SameRow = Omit<TargetRow, "organization_id">;

/** After the existing targets. One that a plan has moves to the end, and stays restricted until the completion. */
export function* extendPlans(planned: readonly Planned[]): Statements<void> {
  if (planned.length === 0) return;
  yield* noteReferences(planned.flatMap(remainingIn));
  const ids = planned.map(({ deletion }) => deletion.deletionRequestId);
  const ends = yield* readPlanEnds(ids);
  const added = planned.flatMap(({ deletion, targets }) =>
    targets.map((target) => ({ deletion, target })),
  );
  for (let at = 0; at < added.length; at += targetsAtOnce) {
    const part = added.slice(at, at + targetsAtOnce);
    const same = yield* takeSame(part);
    const extended = part.map(({ deletion, target }) => {
      const { deletionRequestId: id } = deletion;
      const position = (ends.get(id) ?? 0) + 1;
      ends.set(id, position);
      const before = same.get(JSON.stringify([id, ...keyOf(target)]));
      const restricted = target.restricted || Boolean(before?.restricted);
      const recordNo = before?.record_no ?? null;
      return toRow(deletion, position, { ...target, restricted, recordNo });
    });
    yield* insertRows(extended);
    yield* pause();
  }
  yield* run(setEnds, new Rows([...ends], 2));
}

function* takeSame(
  added: readonly { readonly deletion: Owner; readonly target: PlanTarget }[],
): Statements<ReadonlyMap<string, SameRow>> {
  const keys = added.map(({ deletion, target }) => {
    return [...keyOf(target), deletion.deletionRequestId, deletion.organizationId];
  });
  const rows = yield* all<SameRow>(findSame, new Rows(keys, 7));
  if (rows.length > 0) yield* removeTargets(rows);
  return new Map(rows.map((row) => [textOf(row), row]));
}

function textOf(row: SameRow): string {
  const { deletion_request_id: id, action, resource_type, resource_id, to_type, to_id } = row;
  return JSON.stringify([id, action, resource_type, resource_id, to_type, to_id]);
}
