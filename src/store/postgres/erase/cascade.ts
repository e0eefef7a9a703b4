// Collects from the relations what an erasure of one record cascades to, level by level, and writes the plan target by
// target. Erases nothing.

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
import type { RecordKey } from "../../../domain/record/record-write.ts";
import {
  findPlanEnd,
  type Obstacle,
  obeyHolds,
  type PlanTarget,
  targetsOf,
  toKey,
  tooLarge,
} from "../../sql/plan.ts";
import { commitInTwoPhases } from "../citus.ts";
import { findPlanned } from "./closed-record.ts";
import { keyText } from "../record-key.ts";
import { findRelationsFrom, findRelationsTo, type RelationRow } from "./relation.ts";
import type { RowInsertion } from "../commit/row-insertion.ts";
import type { Transaction } from "../transaction.ts";

const insertTargets = `
  INSERT INTO deletion_target
    (deletion_request_id, position, organization_id, action, resource_type, resource_id, to_type, to_id)
  SELECT $1, position, $2, action, resource_type, resource_id, to_type, to_id
  FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
    AS planned (position, action, resource_type, resource_id, to_type, to_id)`;

const insertTargetsOnCitus: RowInsertion = {
  into: `
    INSERT INTO deletion_target
      (deletion_request_id, organization_id, position, action, resource_type, resource_id, to_type, to_id)
    VALUES`,
  row: "(?, ?, ?, ?, ?, ?, ?, ?)",
  end: "",
};

const removeSameTargets = `
  DELETE FROM deletion_target AS target
  USING unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
    AS planned (action, resource_type, resource_id, to_type, to_id)
  WHERE target.deletion_request_id = $1 AND target.organization_id = $2
    AND target.action = planned.action
    AND target.resource_type = planned.resource_type AND target.resource_id = planned.resource_id
    AND target.to_type IS NOT DISTINCT FROM planned.to_type
    AND target.to_id IS NOT DISTINCT FROM planned.to_id
    --citus AND target.resource_id = ANY ($5::text[])
  `;

/** The plan or its obstacle. */
export async function planFrom(
  transaction: Transaction,
  root: RecordKey,
): Promise<ErasurePlan | Obstacle> {
  const { organizationId } = root;
  const rootNode = nodeKey(root.resourceType, root.resourceId);
  const edges = await collectEdges(transaction, organizationId, rootNode);
  if (edges === undefined) return tooLarge;
  return transaction.perform(obeyHolds, organizationId, planErasure(rootNode, edges));
}

/** Follows the relations backwards to any depth; undefined if there are more than the limit. */
async function collectEdges(
  transaction: Transaction,
  organizationId: string,
  root: NodeKey,
): Promise<Edge[] | undefined> {
  const edges: Edge[] = [];
  const reached = new Set([root]);
  let level = [root];
  while (level.length > 0) {
    const keys = level.map((node) => toKey(organizationId, node));
    const next = new Set<NodeKey>();
    for (const row of await findRelationsTo(transaction, keys)) {
      const edge = toEdge(row);
      edges.push(edge);
      if (edge.kind === "belongs" && !reached.has(edge.from)) next.add(edge.from);
    }
    for (const node of next) reached.add(node);
    level = [...next];
    edges.push(...(await findHolders(transaction, organizationId, level)));
    if (edges.length > limits.cascadeRecordsMax) return undefined;
  }
  return edges;
}

/** A record that is being erased keeps nothing: concurrent erasures have the same result as consecutive ones. */
async function findHolders(
  transaction: Transaction,
  organizationId: string,
  nodes: readonly NodeKey[],
): Promise<Edge[]> {
  if (nodes.length === 0) return [];
  const keys = nodes.map((node) => toKey(organizationId, node));
  const rows = (await findRelationsFrom(transaction, keys)).filter(
    ({ kind }) => kind === "belongs",
  );
  const holders = new Map(rows.map((row) => [keyText(holderOf(row)), holderOf(row)] as const));
  const going = await findPlanned(transaction, [...holders.values()]);
  return rows.filter((row) => !going.has(keyText(holderOf(row)))).map(toEdge);
}

function holderOf(row: RelationRow): RecordKey {
  const { organization_id: organizationId, to_type: resourceType, to_id: resourceId } = row;
  return { organizationId, resourceType, resourceId };
}

function toEdge(row: RelationRow): Edge {
  const { from_type, from_id, to_type, to_id, kind } = row;
  return { from: nodeKey(from_type, from_id), to: nodeKey(to_type, to_id), kind };
}

/**
 * Adds targets to the plan of a deletion. One that the plan contains already moves to the end and is processed again.
 */
export async function writePlan(
  transaction: Transaction,
  { deletionRequestId, organizationId }: Deletion,
  plan: ErasurePlan,
): Promise<void> {
  const targets = targetsOf(plan);
  const columns = targetColumns(targets);
  const position = await transaction.perform(findPlanEnd, deletionRequestId);
  if (position > 0) {
    await transaction.run(removeSameTargets, deletionRequestId, organizationId, ...columns);
  }
  const positions = targets.map((_, index) => position + index + 1);
  if (transaction.distributed) {
    await commitInTwoPhases(transaction);
    await transaction.insertEach(insertTargetsOnCitus, [
      targets.map(() => deletionRequestId),
      targets.map(() => organizationId),
      positions,
      ...columns,
    ]);
  } else {
    await transaction.run(insertTargets, deletionRequestId, organizationId, positions, ...columns);
  }
}

function targetColumns(targets: readonly PlanTarget[]): (string | null)[][] {
  const records = targets.map(({ record }) => parseNodeKey(record));
  const references = targets.map(({ reference }) =>
    reference === undefined ? undefined : parseNodeKey(reference),
  );
  return [
    references.map((reference) => (reference === undefined ? "erase" : "redact")),
    records.map(({ type }) => type),
    records.map(({ id }) => id),
    references.map((reference) => reference?.type ?? null),
    references.map((reference) => reference?.id ?? null),
  ];
}
