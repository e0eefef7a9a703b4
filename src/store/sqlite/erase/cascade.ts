// Collects from the relations what an erasure of one record cascades to, and writes the plan down target by target.
// Erases nothing.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import {
  BoundedEdges,
  type Edge,
  type ErasurePlan,
  type NodeKey,
  nodeKey,
  parseNodeKey,
  planErasure,
} from "../../../domain/deletion/erasure.ts";
import type { RelationKind } from "../../../domain/record-type.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import {
  findObstacle,
  findPlanEnd,
  type Obstacle,
  type Planning,
  type PlanTarget,
  toKey,
} from "../../sql/plan.ts";
import { readConfidentialTypes } from "../../sql/organization.ts";
import { restrictPlan } from "../../sql/obligation.ts";
import { noteReferences } from "../../sql/restricted-reference.ts";
import type { Connection } from "../connection.ts";
import { readRecordNo } from "../commit/record.ts";

/** Whether the record of these columns of a relation is erased by a deletion that is being processed. */
function isBeingErased(type: string, id: string): string {
  return `EXISTS (
      SELECT 1 FROM deletion_target AS going JOIN deletion USING (deletion_request_id)
      WHERE going.organization_id = relation.organization_id AND going.action = 'erase'
        AND going.resource_type = relation.${type} AND going.resource_id = relation.${id}
        AND deletion.status = 'processing')`;
}

// Concurrent erasures have the same result as consecutive ones. So a record that is being erased is not followed, as if
// it only mentioned what it belongs to, and keeps nothing that belongs to it.

const findReferrers = `
  SELECT from_type AS type, from_id AS id,
    CASE WHEN kind = 'belongs' AND ${isBeingErased("from_type", "from_id")}
      THEN 'mentions' ELSE kind END AS kind
  FROM relation
  WHERE organization_id = ? AND to_type = ? AND to_id = ?`;

const findHolders = `
  SELECT to_type AS type, to_id AS id, kind FROM relation
  WHERE organization_id = ? AND from_type = ? AND from_id = ? AND kind = 'belongs'
    AND NOT ${isBeingErased("to_type", "to_id")}`;

const insertTarget = `
  INSERT INTO deletion_target
    (deletion_request_id, position, organization_id, action, resource_type, resource_id,
     record_no, to_type, to_id, restricted)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const removeSameTarget = `
  DELETE FROM deletion_target
  WHERE deletion_request_id = ? AND organization_id = ? AND action = ?
    AND resource_type = ? AND resource_id = ? AND to_type IS ? AND to_id IS ?
  RETURNING record_no, restricted`;

interface RelatedRow {
  readonly type: string;
  readonly id: string;
  readonly kind: RelationKind;
}

export interface PlanBounds {
  readonly relationsMax: number;
  /** Whether a long history is too much. */
  readonly bounded: boolean;
}

/** The plan or its obstacle; undefined if more would have to be read than the bounds allow. */
export function planFrom(
  connection: Connection,
  root: Omit<RecordKey, "organizationId">,
  planning: Planning,
  { relationsMax, bounded }: PlanBounds,
): ErasurePlan | Obstacle | undefined {
  const { organizationId } = planning;
  const rootNode = nodeKey(root.resourceType, root.resourceId);
  const confidential = connection.perform(readConfidentialTypes, organizationId);
  const edges = collectEdges(connection, {
    organizationId,
    root: rootNode,
    bounded: new BoundedEdges(relationsMax, confidential),
  });
  if (edges === undefined) return undefined;
  const plan = planErasure(rootNode, edges);
  const known = { ...planning, confidential };
  const obstacle = connection.perform(findObstacle, plan, known, { bounded });
  if (obstacle === "too_long") return undefined;
  return obstacle ?? connection.perform(restrictPlan, plan, edges, known);
}

/** Follows the relations backwards to any depth; undefined if there are more than `edgesMax`. */
function collectEdges(
  connection: Connection,
  {
    organizationId,
    root,
    bounded,
  }: {
    readonly organizationId: string;
    readonly root: NodeKey;
    readonly bounded: BoundedEdges;
  },
): readonly Edge[] | undefined {
  const reached = new Set([root]);
  // Iterating over a set includes the elements that are added meanwhile.
  for (const to of reached) {
    const target = parseNodeKey(to);
    const key = [organizationId, target.type, target.id] as const;
    for (const row of connection.each<RelatedRow>(findReferrers, ...key)) {
      const from = nodeKey(row.type, row.id);
      bounded.add({ from, to, kind: row.kind });
      if (bounded.isExceeded) return undefined;
      if (row.kind === "mentions" || reached.has(from)) continue;
      reached.add(from);
      for (const holder of connection.all<RelatedRow>(
        findHolders,
        organizationId,
        row.type,
        row.id,
      )) {
        bounded.add({ from, to: nodeKey(holder.type, holder.id), kind: holder.kind });
      }
    }
  }
  return bounded.edges;
}

/** Adds targets to the plan of a deletion, after the existing ones. */
export function writePlan(
  connection: Connection,
  deletion: Pick<Deletion, "deletionRequestId" | "organizationId">,
  targets: readonly PlanTarget[],
): void {
  const { deletionRequestId, organizationId } = deletion;
  let position = connection.perform(findPlanEnd, deletionRequestId);
  connection.perform(noteReferences, deletionRequestId, organizationId, targets);
  for (const target of targets) {
    position += 1;
    writeTarget(connection, deletion, { position, ...target });
  }
}

/** A target that the plan contains already moves to the end and is processed again. */
function writeTarget(
  connection: Connection,
  { deletionRequestId, organizationId }: Pick<Deletion, "deletionRequestId" | "organizationId">,
  target: PlanTarget & { readonly position: number },
): void {
  const record = toKey(organizationId, target.record);
  const reference = target.reference === undefined ? undefined : parseNodeKey(target.reference);
  const action = reference === undefined ? "erase" : "redact";
  const same = [organizationId, action, record.resourceType, record.resourceId] as const;
  const to = [reference?.type ?? null, reference?.id ?? null] as const;
  const before = connection.get<{ record_no: number | null; restricted: number }>(
    removeSameTarget,
    deletionRequestId,
    ...same,
    ...to,
  );
  // Once it was moved, nobody may write it again before the deletion is completed.
  const restricted = target.restricted || before?.restricted === 1;
  // By its number, verification finds changes that should have been erased; those of a record that is moved stay.
  const current = readRecordNo(connection, record);
  const recordNo = restricted && current !== undefined ? null : (current ?? before?.record_no);
  connection.run(
    insertTarget,
    deletionRequestId,
    target.position,
    ...same,
    action === "erase" ? (recordNo ?? null) : null,
    ...to,
    Number(restricted),
  );
}
