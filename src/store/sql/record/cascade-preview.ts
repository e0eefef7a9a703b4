// Reads what a deletion would erase and change if it were processed now: the relations that its plan depends on, up to
// a bound. Writes and locks nothing.

import {
  type Edge,
  type NodeKey,
  nodeKey,
  parseNodeKey,
} from "../../../domain/deletion/erasure.ts";
import type { RelationKind, ResourceType } from "../../../domain/record-type.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import { all, type Statements } from "../statement/statements.ts";

/** The relations by which the erasure of a record is planned. */
export interface CascadePreview {
  readonly edges: readonly Edge[];
  /** False if there are more relations than a preview reads. */
  readonly isComplete: boolean;
}

const findReferrers = `
  SELECT from_type AS type, from_id AS id, kind FROM relation
  WHERE organization_id = $1 AND to_type = $2 AND to_id = $3
    --sqlite AND from_type IN (SELECT value FROM json_each($4))
    --postgres AND from_type = ANY ($4::text[])
  LIMIT $5`;

const findHolders = `
  SELECT to_type AS type, to_id AS id, kind FROM relation
  WHERE organization_id = $1 AND from_type = $2 AND from_id = $3 AND kind = 'belongs'
    --sqlite AND to_type IN (SELECT value FROM json_each($4))
    --postgres AND to_type = ANY ($4::text[])
  LIMIT $5`;

interface RelatedRow {
  readonly type: string;
  readonly id: string;
  readonly kind: RelationKind;
}

/** For how many records relations are read, each with two statements. */
const recordsMax = 100;
/** How many relations of each record are read. */
const relationsMax = 500;

/** Reads only relations of these types, so that other types affect neither the bounds nor the time. */
export function* previewCascade(
  root: RecordKey,
  types: readonly ResourceType[],
): Statements<CascadePreview> {
  const { organizationId } = root;
  const relations = (sql: string, node: NodeKey) =>
    readRelations(sql, organizationId, { node, types });
  let edges: readonly Edge[] = [];
  let reached: readonly NodeKey[] = [nodeKey(root.resourceType, root.resourceId)];
  let isComplete = true;
  for (let at = 0; at < reached.length; at += 1) {
    const to = reached[at] ?? reached[0];
    if (to === undefined) break;
    const rows = yield* relations(findReferrers, to);
    const referring = rows.map(({ type, id, kind }) => ({ from: nodeKey(type, id), to, kind }));
    const known = new Set(reached);
    const belonging = referring.filter(({ kind, from }) => kind === "belongs" && !known.has(from));
    const fresh = [...new Set(belonging.map(({ from }) => from))];
    const read = new Set(fresh.slice(0, recordsMax - reached.length));
    isComplete &&= rows.length < relationsMax && read.size === fresh.length;
    // If its own relations are not read, it is unknown whether a record would be erased.
    const sure = referring.filter(({ kind, from }) => {
      return kind === "mentions" || known.has(from) || read.has(from);
    });
    edges = [...edges, ...sure];
    for (const from of read) {
      const held = yield* relations(findHolders, from);
      isComplete &&= held.length < relationsMax;
      const holders = held.map(({ type, id, kind }) => ({ from, to: nodeKey(type, id), kind }));
      edges = [...edges, ...holders];
    }
    reached = [...reached, ...read];
  }
  return { edges, isComplete };
}

function* readRelations(
  sql: string,
  organizationId: string,
  { node, types }: { readonly node: NodeKey; readonly types: readonly ResourceType[] },
): Statements<readonly RelatedRow[]> {
  const { type, id } = parseNodeKey(node);
  return yield* all<RelatedRow>(sql, organizationId, type, id, types, relationsMax);
}
