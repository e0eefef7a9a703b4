// Which confidential reports of a plan have to be kept: those under a legal hold or a retention floor. They do not delay the
// deletion; what has to be kept moves to the restricted store. Moves nothing.

import {
  type Edge,
  type ErasurePlan,
  type NodeKey,
  nodeKey,
  parseNodeKey,
} from "../../../domain/deletion/erasure.ts";
import { restrictedId } from "../../../domain/deletion/restricted-set.ts";
import { planRestriction } from "../../../domain/deletion/restriction.ts";
import { findFiledAt } from "../../../domain/retention/filed-at.ts";
import { floorEnd, type RetentionFloor } from "../../../domain/retention/floor.ts";
import { findEndByHistory, idsUnder, listFloors } from "./floor.ts";
import { findHoldsOf } from "./hold.ts";
import { isKeptSilently, type Planning, toKey } from "./plan.ts";
import { all, type Statements } from "../statement/statements.ts";

/** Records of one statement. */
const recordsAtOnce = 500;
const changesAtOnce = 500;

/** CROSS JOIN makes SQLite begin with the ids. */
const findSeen = `
  SELECT resource_id, last_seen FROM
    --sqlite json_each($3) AS named CROSS JOIN record ON resource_id = named.value
    --postgres unnest($3::text[]) AS named (value) JOIN record ON resource_id = named.value
  WHERE organization_id = $1 AND resource_type = $2
    --citus AND record.resource_id = ANY ($3::text[])
  `;

/** Reports that a deletion which is processing erases, without keeping them. */
const findErasing = `
  SELECT resource_id FROM
    --sqlite json_each($3) AS named CROSS JOIN deletion_target AS target ON resource_id = named.value
    --postgres unnest($3::text[]) AS named (value) JOIN deletion_target AS target ON resource_id = named.value
  WHERE organization_id = $1 AND resource_type = $2
    --citus AND target.resource_id = ANY ($3::text[])
    AND deletion_request_id <> $4 AND action = 'erase'
    --sqlite AND restricted = 0 AND EXISTS (
    --sqlite   SELECT 1 FROM deletion
    --sqlite   WHERE deletion_request_id = target.deletion_request_id AND status = 'processing')
    --postgres AND NOT restricted
  `;

const findChanges = `
  SELECT resource_id, change_no, payload FROM
    --sqlite json_each($3) AS named CROSS JOIN record ON resource_id = named.value
    --sqlite   JOIN change USING (record_no)
    --postgres unnest($3::text[]) AS named (value) JOIN change ON resource_id = named.value
  WHERE organization_id = $1 AND resource_type = $2
    --citus AND change.resource_id = ANY ($3::text[])
  ORDER BY resource_id, change_no LIMIT $4`;

/**
 * Of these records of the plan, the reports that must not be erased or changed. As many statements are run whether or not there is
 * a report, up to `recordsAtOnce` of them: on PostgreSQL the time would disclose one.
 */
export function* findObliged(
  nodes: readonly NodeKey[],
  planning: Planning,
): Statements<ReadonlySet<NodeKey>> {
  const reports = [...new Set(nodes.filter((node) => isKeptSilently(node, planning)))];
  const floors = yield* listFloors(planning.organizationId);
  let obliged: ReadonlySet<NodeKey> = new Set();
  for (const part of partsOf(reports)) {
    const held = yield* findHeld(part, planning);
    const floored = yield* findFloored(part, floors, planning);
    const found = new Set([...held, ...floored]);
    obliged = obliged.union(found.difference(yield* findGoing(found, planning)));
  }
  return obliged;
}

/** At least one, which may be empty. */
function partsOf(nodes: readonly NodeKey[]): readonly (readonly NodeKey[])[] {
  const count = Math.max(1, Math.ceil(nodes.length / recordsAtOnce));
  return Array.from({ length: count }, (_, index) =>
    nodes.slice(index * recordsAtOnce, (index + 1) * recordsAtOnce),
  );
}

/** Also where a deletion that is repeated has moved them to. */
function* findHeld(
  reports: readonly NodeKey[],
  { deletionRequestId, organizationId }: Planning,
): Statements<readonly NodeKey[]> {
  const owners = [organizationId, restrictedId(deletionRequestId)];
  const keys = owners.flatMap((owner) => reports.map((node) => toKey(owner, node)));
  const holds = yield* findHoldsOf(keys);
  return holds.map((hold) => nodeKey(hold.resourceType, hold.resourceId));
}

function* findFloored(
  reports: readonly NodeKey[],
  floors: readonly RetentionFloor[],
  planning: Planning,
): Statements<readonly NodeKey[]> {
  const records = reports.map((node) => toKey(planning.organizationId, node));
  let floored: readonly NodeKey[] = [];
  for (const floor of floors) {
    if (!planning.confidential.has(floor.resourceType)) continue;
    const ids = idsUnder(floor, records);
    const kept =
      floor.countedFrom === "last_seen"
        ? yield* findKeptSince(floor, ids, planning.now)
        : yield* findKeptByHistory(floor, ids, planning);
    floored = [...floored, ...kept.map((id) => nodeKey(floor.resourceType, id))];
  }
  return floored;
}

interface SeenRow {
  readonly resource_id: string;
  readonly last_seen: string;
}

function* findKeptSince(
  floor: RetentionFloor,
  ids: readonly string[],
  now: number,
): Statements<readonly string[]> {
  const { organizationId, resourceType } = floor;
  const rows = yield* all<SeenRow>(findSeen, organizationId, resourceType, ids);
  const under = rows.filter(({ last_seen }) => floorEnd(floor, last_seen, now) > now);
  return under.map(({ resource_id }) => resource_id);
}

interface ChangeRow {
  readonly resource_id: string;
  readonly change_no: number;
  readonly payload: string;
}

/** Longer histories are read record by record. */
function* findKeptByHistory(
  floor: RetentionFloor,
  ids: readonly string[],
  { now, requestedAt }: Planning,
): Statements<readonly string[]> {
  const { organizationId, resourceType } = floor;
  const rows = yield* all<ChangeRow>(
    findChanges,
    organizationId,
    resourceType,
    ids,
    changesAtOnce + 1,
  );
  const byRecord = Map.groupBy(rows, ({ resource_id }) => resource_id);
  let kept: readonly string[] = [];
  for (const id of ids) {
    const changes = byRecord.get(id) ?? [];
    const until =
      rows.length > changesAtOnce
        ? yield* findEndByHistory(floor, id, requestedAt)
        : endOf(floor, changes, requestedAt);
    if (until !== undefined && until > now) kept = [...kept, id];
  }
  return kept;
}

/** Undefined for a record that does not exist. */
function endOf(
  floor: RetentionFloor,
  rows: readonly ChangeRow[],
  requestedAt: number,
): number | undefined {
  if (rows.length === 0) return undefined;
  const changes = rows.map(({ change_no: changeNo, payload }) => ({ changeNo, payload }));
  return floorEnd(floor, findFiledAt(changes), requestedAt);
}

/** Those that another deletion erases, which is processing. */
function* findGoing(
  reports: ReadonlySet<NodeKey>,
  { deletionRequestId, organizationId, confidential }: Planning,
): Statements<ReadonlySet<NodeKey>> {
  let going: ReadonlySet<NodeKey> = new Set();
  for (const type of confidential) {
    const ids = [...reports].map(parseNodeKey).filter((node) => node.type === type);
    const rows = yield* all<{ resource_id: string }>(
      findErasing,
      organizationId,
      type,
      ids.map(({ id }) => id),
      deletionRequestId,
    );
    going = going.union(new Set(rows.map(({ resource_id: id }) => nodeKey(type, id))));
  }
  return going;
}

/** The plan without what has to be kept: that is moved to the restricted store, or stays as it is. */
export function* restrictPlan(
  plan: ErasurePlan,
  edges: Iterable<Edge>,
  planning: Planning,
): Statements<ErasurePlan> {
  const nodes = [...plan.erase, ...plan.redact.map(({ record }) => record)];
  const obliged = yield* findObliged(nodes, planning);
  return obliged.size === 0
    ? plan
    : { ...plan, restriction: planRestriction(plan, edges, obliged) };
}
