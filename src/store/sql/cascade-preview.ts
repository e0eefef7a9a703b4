// What a deletion would erase and change if it were processed now: the relations that its plan depends on, up to a bound.
// Writes nothing, and locks nothing; the plan of a deletion is made by each engine.

import { type Edge, type NodeKey, nodeKey, parseNodeKey } from "../../domain/deletion/erasure.ts";
import type { RelationKind } from "../../domain/record-type.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { CascadePreview } from "../overview.ts";
import { all, type Statements } from "./statements.ts";

const findReferrers = `
  SELECT from_type AS type, from_id AS id, kind FROM relation
  WHERE organization_id = $1 AND to_type = $2 AND to_id = $3 LIMIT $4`;

const findHolders = `
  SELECT to_type AS type, to_id AS id, kind FROM relation
  WHERE organization_id = $1 AND from_type = $2 AND from_id = $3 AND kind = 'belongs' LIMIT $4`;

interface RelatedRow {
  readonly type: string;
  readonly id: string;
  readonly kind: RelationKind;
}

/** Records whose relations are read, each by two statements. */
const recordsMax = 200;
/** Relations that are read of each. */
const relationsMax = 500;

export function* previewCascade(root: RecordKey): Statements<CascadePreview> {
  const { organizationId } = root;
  const edges: Edge[] = [];
  const reached = new Set([nodeKey(root.resourceType, root.resourceId)]);
  let isComplete = true;
  let read = 0;
  // The iteration of a Set includes what is added meanwhile.
  for (const to of reached) {
    read += 1;
    if (read > recordsMax) return { edges, isComplete: false };
    const rows = yield* readRelations(findReferrers, organizationId, to);
    isComplete &&= rows.length < relationsMax;
    for (const { type, id, kind } of rows) {
      const from = nodeKey(type, id);
      edges.push({ from, to, kind });
      if (kind !== "belongs" || reached.has(from)) continue;
      reached.add(from);
      const held = yield* readRelations(findHolders, organizationId, from);
      isComplete &&= held.length < relationsMax;
      for (const holder of held) edges.push({ from, to: nodeKey(holder.type, holder.id), kind });
    }
  }
  return { edges, isComplete };
}

function* readRelations(
  sql: string,
  organizationId: string,
  node: NodeKey,
): Statements<readonly RelatedRow[]> {
  const { type, id } = parseNodeKey(node);
  return yield* all<RelatedRow>(sql, organizationId, type, id, relationsMax);
}
