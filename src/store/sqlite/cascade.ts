// Collects from the relations what an erasure of one record takes along, and writes the plan down target by target.
// Erases nothing.

import type { Deletion } from "../../domain/deletion.ts";
import {
  type Edge,
  type ErasurePlan,
  type NodeKey,
  nodeKey,
  parseNodeKey,
  planErasure,
} from "../../domain/erasure.ts";
import { limits } from "../../domain/limits.ts";
import type { RelationKind } from "../../domain/record-type.ts";
import type { RecordKey } from "../../domain/record-write.ts";
import type { Connection } from "./connection.ts";
import { findFirstHeld } from "./hold.ts";
import { readRecordNo } from "./record.ts";

/** What keeps a plan from being carried out, said to operators. */
export interface Obstacle {
  readonly waitingFor: string;
  readonly held: boolean;
}

const findReferrers = `
  SELECT from_type AS type, from_id AS id, kind FROM relation
  WHERE organization_id = ? AND to_type = ? AND to_id = ?`;

/** What is going already keeps nothing: two erasures side by side come to the same as one after the other. */
const findHolders = `
  SELECT to_type AS type, to_id AS id, kind FROM relation
  WHERE organization_id = ? AND from_type = ? AND from_id = ? AND kind = 'belongs'
    AND NOT EXISTS (
      SELECT 1 FROM deletion_target AS going
      WHERE going.organization_id = relation.organization_id AND going.action = 'erase'
        AND going.resource_type = relation.to_type AND going.resource_id = relation.to_id)`;

const findEnd = `
  SELECT coalesce(max(position), 0) AS position FROM deletion_target WHERE deletion_request_id = ?`;

const insertTarget = `
  INSERT INTO deletion_target
    (deletion_request_id, position, organization_id, action, resource_type, resource_id,
     record_no, to_type, to_id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const removeSameTarget = `
  DELETE FROM deletion_target
  WHERE deletion_request_id = ? AND organization_id = ? AND action = ?
    AND resource_type = ? AND resource_id = ? AND to_type IS ? AND to_id IS ?
  RETURNING record_no`;

interface RelatedRow {
  readonly type: string;
  readonly id: string;
  readonly kind: RelationKind;
}

/** The plan, or what is in its way. */
export function planFrom(connection: Connection, root: RecordKey): ErasurePlan | Obstacle {
  const { organizationId } = root;
  const rootNode = nodeKey(root.resourceType, root.resourceId);
  const edges = collectEdges(connection, organizationId, rootNode);
  if (edges === undefined) {
    const waitingFor = `a cascade of more than ${limits.cascadeRecordsMax} records`;
    return { waitingFor, held: false };
  }
  const plan = planErasure(rootNode, edges);
  const touched = [...plan.erase, ...plan.redact.map(({ record }) => record)].map(toRecord);
  const hold = findFirstHeld(connection, organizationId, touched);
  if (hold === undefined) return plan;
  return { waitingFor: `a hold on ${hold.resourceType} ${hold.resourceId}`, held: true };
}

export function isObstacle(planned: ErasurePlan | Obstacle): planned is Obstacle {
  return "waitingFor" in planned;
}

/** Follows the relations backwards to any depth; undefined if there is no end to it within limits. */
function collectEdges(
  connection: Connection,
  organizationId: string,
  root: NodeKey,
): Edge[] | undefined {
  const edges: Edge[] = [];
  const reached = new Set([root]);
  // A set goes through what is added while it is gone through.
  for (const to of reached) {
    if (edges.length > limits.cascadeRecordsMax) return undefined;
    const target = parseNodeKey(to);
    for (const row of connection.all<RelatedRow>(
      findReferrers,
      organizationId,
      target.type,
      target.id,
    )) {
      const from = nodeKey(row.type, row.id);
      edges.push({ from, to, kind: row.kind });
      if (row.kind === "mentions" || reached.has(from)) continue;
      reached.add(from);
      for (const holder of connection.all<RelatedRow>(
        findHolders,
        organizationId,
        row.type,
        row.id,
      )) {
        edges.push({ from, to: nodeKey(holder.type, holder.id), kind: holder.kind });
      }
    }
  }
  return edges;
}

/** Adds a plan to what a deletion has to do: references are taken out first, and the root is erased last. */
export function writePlan(connection: Connection, deletion: Deletion, plan: ErasurePlan): void {
  let position =
    connection.get<{ position: number }>(findEnd, deletion.deletionRequestId)?.position ?? 0;
  const redact = [...plan.redact].sort((one, other) => (one.record < other.record ? -1 : 1));
  for (const { record, reference } of redact) {
    position += 1;
    writeTarget(connection, deletion, { position, record, reference });
  }
  for (const record of plan.erase) {
    position += 1;
    writeTarget(connection, deletion, { position, record, reference: undefined });
  }
}

/** A target that is there already moves to the end and is done again. */
function writeTarget(
  connection: Connection,
  { deletionRequestId, organizationId }: Deletion,
  target: {
    readonly position: number;
    readonly record: NodeKey;
    readonly reference: NodeKey | undefined;
  },
): void {
  const record = toRecord(target.record);
  const reference = target.reference === undefined ? undefined : parseNodeKey(target.reference);
  const action = reference === undefined ? "erase" : "redact";
  const same = [organizationId, action, record.resourceType, record.resourceId] as const;
  const to = [reference?.type ?? null, reference?.id ?? null] as const;
  const before = connection.get<{ record_no: number | null }>(
    removeSameTarget,
    deletionRequestId,
    ...same,
    ...to,
  );
  const recordNo = readRecordNo(connection, { organizationId, ...record }) ?? before?.record_no;
  connection.run(
    insertTarget,
    deletionRequestId,
    target.position,
    ...same,
    action === "erase" ? (recordNo ?? null) : null,
    ...to,
  );
}

function toRecord(key: NodeKey): Pick<RecordKey, "resourceType" | "resourceId"> {
  const { type, id } = parseNodeKey(key);
  return { resourceType: type, resourceId: id };
}
