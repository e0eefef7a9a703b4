// Collects from the relations what an erasure of one record cascades to, and writes the plan down target by target.
// Erases nothing.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import {
  type Edge,
  type ErasurePlan,
  type NodeKey,
  nodeKey,
  parseNodeKey,
  planErasure,
} from "../../../domain/deletion/erasure.ts";
import { limits } from "../../../domain/limits.ts";
import type { RelationKind } from "../../../domain/record-type.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import type { Connection } from "../connection.ts";
import { findFirstHeld } from "../hold.ts";
import { readRecordNo } from "../commit/record.ts";

/** What keeps a plan from being processed, said to operators. */
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
      SELECT 1 FROM deletion_target AS going JOIN deletion USING (deletion_request_id)
      WHERE going.organization_id = relation.organization_id AND going.action = 'erase'
        AND going.resource_type = relation.to_type AND going.resource_id = relation.to_id
        AND deletion.status = 'processing')`;

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

/** A target of a plan: a record to be erased or, with a reference, one from which that reference is to be removed. */
export interface PlanTarget {
  readonly record: NodeKey;
  readonly reference: NodeKey | undefined;
}

export const tooLarge: Obstacle = {
  waitingFor: `a cascade of more than ${limits.cascadeRecordsMax} records`,
  held: false,
};

/** The plan, or what is in its way; undefined if there are more relations than `relationsMax`. */
export function planFrom(
  connection: Connection,
  root: RecordKey,
  relationsMax: number,
): ErasurePlan | Obstacle | undefined {
  const { organizationId } = root;
  const rootNode = nodeKey(root.resourceType, root.resourceId);
  const edges = collectEdges(connection, {
    organizationId,
    root: rootNode,
    edgesMax: relationsMax,
  });
  if (edges === undefined) return undefined;
  const plan = planErasure(rootNode, edges);
  const touched = [...plan.erase, ...plan.redact.map(({ record }) => record)].map(toRecord);
  const hold = findFirstHeld(connection, organizationId, touched);
  if (hold === undefined) return plan;
  return { waitingFor: `a hold on ${hold.resourceType} ${hold.resourceId}`, held: true };
}

export function isObstacle(planned: object): planned is Obstacle {
  return "waitingFor" in planned;
}

/** References are removed first, and the root is erased last. */
export function targetsOf(plan: ErasurePlan): readonly PlanTarget[] {
  const redact = [...plan.redact].sort((one, other) => (one.record < other.record ? -1 : 1));
  return [...redact, ...plan.erase.map((record) => ({ record, reference: undefined }))];
}

/** Follows the relations backwards to any depth; undefined if there are more than `edgesMax`. */
function collectEdges(
  connection: Connection,
  {
    organizationId,
    root,
    edgesMax,
  }: { readonly organizationId: string; readonly root: NodeKey; readonly edgesMax: number },
): Edge[] | undefined {
  const edges: Edge[] = [];
  const reached = new Set([root]);
  // A set goes through what is added while it is gone through.
  for (const to of reached) {
    const target = parseNodeKey(to);
    const key = [organizationId, target.type, target.id] as const;
    for (const row of connection.each<RelatedRow>(findReferrers, ...key)) {
      if (edges.length >= edgesMax) return undefined;
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

/** Adds targets to what a deletion has to do, after those that are there. */
export function writePlan(
  connection: Connection,
  deletion: Pick<Deletion, "deletionRequestId" | "organizationId">,
  targets: readonly PlanTarget[],
): void {
  let position =
    connection.get<{ position: number }>(findEnd, deletion.deletionRequestId)?.position ?? 0;
  for (const { record, reference } of targets) {
    position += 1;
    writeTarget(connection, deletion, { position, record, reference });
  }
}

/** A target that is there already moves to the end and is done again. */
function writeTarget(
  connection: Connection,
  { deletionRequestId, organizationId }: Pick<Deletion, "deletionRequestId" | "organizationId">,
  target: PlanTarget & { readonly position: number },
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

export function toRecord(key: NodeKey): Pick<RecordKey, "resourceType" | "resourceId"> {
  const { type, id } = parseNodeKey(key);
  return { resourceType: type, resourceId: id };
}
