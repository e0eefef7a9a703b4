// Collects from the relations what an erasure of one record cascades to, level by level, and writes the plan target by
// target. A large cascade is planned in parts, with rests, so that nobody else waits for it. Erases nothing.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import {
  BoundedEdges,
  type Edge,
  type ErasurePlan,
  type NodeKey,
  nodeKey,
  parseNodeKey,
  planErasureInParts,
} from "../../../domain/deletion/erasure.ts";
import { limits } from "../../../domain/limits.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import {
  findPlanEnd,
  type Obstacle,
  type Planning,
  type PlanTarget,
  targetsOf,
  toKey,
  tooLarge,
} from "../../sql/plan.ts";
import { readConfidentialTypes } from "../../sql/organization.ts";
import { restrictPlan } from "../../sql/obligation.ts";
import { noteReferences } from "../../sql/restricted-reference.ts";
import { commitInTwoPhases } from "../citus.ts";
import { findPlanned } from "./closed-record.ts";
import { findObstacle } from "./obstacle.ts";
import { Pace, partsOf } from "../pace.ts";
import { keyText } from "../record-key.ts";
import { partsOfRelationsFrom, partsOfRelationsTo, type RelationRow } from "./relation.ts";
import type { RowInsertion } from "../commit/row-insertion.ts";
import type { Transaction } from "../transaction.ts";

const insertTargets = `
  INSERT INTO deletion_target
    (deletion_request_id, position, organization_id, action, resource_type, resource_id, to_type,
     to_id, restricted)
  SELECT $1, position, $2, action, resource_type, resource_id, to_type, to_id, restricted
  FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::boolean[])
    AS planned (position, action, resource_type, resource_id, to_type, to_id, restricted)`;

const insertTargetsOnCitus: RowInsertion = {
  into: `
    INSERT INTO deletion_target
      (deletion_request_id, organization_id, position, action, resource_type, resource_id, to_type,
       to_id, restricted)
    VALUES`,
  row: "(?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
  root: Omit<RecordKey, "organizationId">,
  planning: Planning,
): Promise<ErasurePlan | Obstacle> {
  const { organizationId } = planning;
  const rootNode = nodeKey(root.resourceType, root.resourceId);
  const confidential = await transaction.perform(readConfidentialTypes, organizationId);
  const bounded = new BoundedEdges(limits.cascadeRecordsMax, confidential);
  const collector = new EdgeCollector(transaction, { organizationId, bounded });
  if (!(await collector.collect(rootNode))) return tooLarge;
  const parts = planErasureInParts(rootNode, bounded.edges);
  let part = parts.next();
  for (; part.done !== true; part = parts.next()) await collector.pace.rest();
  const known = { ...planning, confidential };
  const obstacle = await findObstacle(transaction, part.value, known);
  return obstacle ?? transaction.perform(restrictPlan, part.value, bounded.edges, known);
}

class EdgeCollector {
  readonly pace = new Pace();
  readonly #transaction: Transaction;
  readonly #organizationId: string;
  readonly #bounded: BoundedEdges;

  constructor(
    transaction: Transaction,
    { organizationId, bounded }: { organizationId: string; bounded: BoundedEdges },
  ) {
    this.#transaction = transaction;
    this.#organizationId = organizationId;
    this.#bounded = bounded;
  }

  /** Follows the relations backwards to any depth; false if there are more than the limit. */
  async collect(root: NodeKey): Promise<boolean> {
    const reached = new Set([root]);
    for (let level: readonly NodeKey[] = [root]; level.length > 0;) {
      const next = new Set<NodeKey>();
      for (const nodes of partsOf(level)) {
        for await (const edges of this.#addReferrers(nodes)) {
          if (this.#bounded.isExceeded) return false;
          for (const { from, kind } of edges) {
            if (kind === "belongs" && !reached.has(from)) next.add(from);
          }
        }
      }
      level = [...next];
      for (const nodes of partsOf(level)) {
        await this.#addHolders(nodes, reached);
        if (this.#bounded.isExceeded) return false;
      }
      for (const node of next) reached.add(node);
    }
    return true;
  }

  /** A record that is being erased is not followed, as if it only mentioned what it belongs to. */
  async *#addReferrers(nodes: readonly NodeKey[]): AsyncGenerator<readonly Edge[]> {
    for await (const rows of partsOfRelationsTo(this.#transaction, this.#keysOf(nodes))) {
      const belonging = rows.filter(({ kind }) => kind === "belongs").map(referrerOf);
      const going = await findPlanned(this.#transaction, belonging);
      const edges = rows.map((row) =>
        toEdge(going.has(keyText(referrerOf(row))) ? { ...row, kind: "mentions" } : row),
      );
      this.#bounded.add(...edges);
      yield edges;
      await this.pace.rest();
    }
  }

  /**
   * Relations to `reached` records are known already. A record that is being erased keeps nothing: concurrent erasures
   * have the same result as consecutive ones.
   */
  async #addHolders(nodes: readonly NodeKey[], reached: ReadonlySet<NodeKey>): Promise<void> {
    for await (const found of partsOfRelationsFrom(this.#transaction, this.#keysOf(nodes))) {
      const rows = found.filter(
        ({ kind, to_type, to_id }) => kind === "belongs" && !reached.has(nodeKey(to_type, to_id)),
      );
      const holders = new Map(rows.map((row) => [keyText(holderOf(row)), holderOf(row)] as const));
      const going = await findPlanned(this.#transaction, [...holders.values()]);
      this.#bounded.add(...rows.filter((row) => !going.has(keyText(holderOf(row)))).map(toEdge));
      await this.pace.rest();
    }
  }

  #keysOf(nodes: readonly NodeKey[]): readonly RecordKey[] {
    return nodes.map((node) => toKey(this.#organizationId, node));
  }
}

function referrerOf(row: RelationRow): RecordKey {
  const { organization_id: organizationId, from_type: resourceType, from_id: resourceId } = row;
  return { organizationId, resourceType, resourceId };
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
  const pace = new Pace();
  let position = await transaction.perform(findPlanEnd, deletionRequestId);
  const mayRepeat = position > 0;
  for (const targets of partsOf(targetsOf(plan))) {
    const columns = targetColumns(targets);
    if (mayRepeat) {
      await transaction.run(removeSameTargets, deletionRequestId, organizationId, ...columns);
    }
    const first = position + 1;
    const positions = targets.map((_, index) => first + index);
    const restricted = targets.map((target) => target.restricted);
    const rows = [positions, ...columns, restricted];
    await insertInto(transaction, { deletionRequestId, organizationId }, rows);
    await transaction.perform(noteReferences, deletionRequestId, organizationId, targets);
    position += targets.length;
    await pace.rest();
  }
}

async function insertInto(
  transaction: Transaction,
  { deletionRequestId, organizationId }: Pick<Deletion, "deletionRequestId" | "organizationId">,
  columns: readonly (readonly (boolean | number | string | null)[])[],
): Promise<void> {
  if (!transaction.distributed) {
    await transaction.run(insertTargets, deletionRequestId, organizationId, ...columns);
    return;
  }
  await commitInTwoPhases(transaction);
  const rows = columns[0] ?? [];
  await transaction.insertEach(insertTargetsOnCitus, [
    rows.map(() => deletionRequestId),
    rows.map(() => organizationId),
    ...columns,
  ]);
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
