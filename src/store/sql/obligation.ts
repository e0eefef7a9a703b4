// Which confidential reports of a plan have to be kept: those under a legal hold or a retention floor. They do not delay the
// deletion; what has to be kept moves to the restricted store. Moves nothing.

import {
  type Edge,
  type ErasurePlan,
  type NodeKey,
  nodeKey,
  parseNodeKey,
} from "../../domain/deletion/erasure.ts";
import { restrictedId } from "../../domain/deletion/restricted-set.ts";
import { planRestriction } from "../../domain/deletion/restriction.ts";
import { floorEnd, type RetentionFloor } from "../../domain/retention/floor.ts";
import { findEndByHistory, idsUnder, listFloors } from "./floor.ts";
import { findHoldsOf, hasHolds } from "./hold.ts";
import { isKeptSilently, type Planning, toKey } from "./plan.ts";
import { all, get, type Statements } from "./statements.ts";

/** Records of one statement. */
const recordsAtOnce = 500;

/** CROSS JOIN makes SQLite begin with the ids. */
const findSeen = `
  SELECT resource_id, last_seen FROM
    --sqlite json_each($3) AS named CROSS JOIN record ON resource_id = named.value
    --postgres unnest($3::text[]) AS named (value) JOIN record ON resource_id = named.value
  WHERE organization_id = $1 AND resource_type = $2
    --citus AND record.resource_id = ANY ($3::text[])
  `;

/** Reports that a deletion which is processing erases, without keeping them. */
const findGoing = `
  SELECT 1 FROM deletion_target AS target
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3
    AND deletion_request_id <> $4 AND action = 'erase'
    --sqlite AND restricted = 0 AND EXISTS (
    --sqlite   SELECT 1 FROM deletion
    --sqlite   WHERE deletion_request_id = target.deletion_request_id AND status = 'processing')
    --postgres AND NOT restricted
  LIMIT 1`;

/** Of these records of the plan, the reports that must not be erased or changed. */
export function* findObliged(
  nodes: readonly NodeKey[],
  planning: Planning,
): Statements<ReadonlySet<NodeKey>> {
  const reports = [...new Set(nodes.filter((node) => isKeptSilently(node, planning)))];
  if (reports.length === 0) return new Set();
  const found = [
    ...(yield* findHeld(reports, planning)),
    ...(yield* findFloored(reports, planning)),
  ];
  const going: NodeKey[] = [];
  for (const node of new Set(found)) if (yield* isGoing(node, planning)) going[going.length] = node;
  return new Set(found).difference(new Set(going));
}

/** A hold that was placed on a record after it was moved is obeyed too, when its deletion is replayed. */
function* findHeld(
  reports: readonly NodeKey[],
  { deletionRequestId, organizationId }: Planning,
): Statements<readonly NodeKey[]> {
  let held: readonly NodeKey[] = [];
  for (const owner of [organizationId, restrictedId(deletionRequestId)]) {
    if (!(yield* hasHolds(owner))) continue;
    for (let at = 0; at < reports.length; at += recordsAtOnce) {
      const keys = reports.slice(at, at + recordsAtOnce).map((node) => toKey(owner, node));
      const holds = yield* findHoldsOf(keys);
      held = [...held, ...holds.map((hold) => nodeKey(hold.resourceType, hold.resourceId))];
    }
  }
  return held;
}

function* findFloored(
  reports: readonly NodeKey[],
  { organizationId, now, requestedAt }: Planning,
): Statements<readonly NodeKey[]> {
  const records = reports.map((node) => toKey(organizationId, node));
  let floored: readonly NodeKey[] = [];
  for (const floor of yield* listFloors(organizationId)) {
    const ids = idsUnder(floor, records);
    const kept =
      floor.countedFrom === "last_seen"
        ? yield* findKeptSince(floor, ids, now)
        : yield* findKeptByHistory(floor, ids, { now, requestedAt });
    floored = [...floored, ...kept.map((id) => nodeKey(floor.resourceType, id))];
  }
  return floored;
}

function* findKeptSince(
  floor: RetentionFloor,
  ids: readonly string[],
  now: number,
): Statements<readonly string[]> {
  let kept: readonly string[] = [];
  const { organizationId, resourceType } = floor;
  for (let at = 0; at < ids.length; at += recordsAtOnce) {
    const part = ids.slice(at, at + recordsAtOnce);
    const rows = yield* all<{ resource_id: string; last_seen: string }>(
      findSeen,
      organizationId,
      resourceType,
      part,
    );
    const under = rows.filter(({ last_seen }) => floorEnd(floor, last_seen, now) > now);
    kept = [...kept, ...under.map(({ resource_id }) => resource_id)];
  }
  return kept;
}

function* findKeptByHistory(
  floor: RetentionFloor,
  ids: readonly string[],
  { now, requestedAt }: Pick<Planning, "now" | "requestedAt">,
): Statements<readonly string[]> {
  const kept: string[] = [];
  for (const id of ids) {
    const until = yield* findEndByHistory(floor, id, requestedAt);
    if (until !== undefined && until > now) kept[kept.length] = id;
  }
  return kept;
}

function* isGoing(
  node: NodeKey,
  { deletionRequestId, organizationId }: Planning,
): Statements<boolean> {
  const { type, id } = parseNodeKey(node);
  return (yield* get(findGoing, organizationId, type, id, deletionRequestId)) !== undefined;
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
