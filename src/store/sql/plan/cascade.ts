// Collects the relations that the cascades of several deletions depend on, level by level, and makes their plans one
// after another as if each had begun before the next. Erases nothing.

import {
  BoundedEdges,
  type Edge,
  type ErasurePlan,
  type NodeKey,
  nodeKey,
  parseNodeKey,
  planErasureInParts,
} from "../../../domain/deletion/erasure.ts";
import type { ResourceType } from "../../../domain/record-type.ts";
import { recordTypes } from "../../../domain/record-types.ts";
import { pause, type Statements } from "../statement/statements.ts";
import { eachPage, findErasing, findKept, type RelationRow } from "./relations.ts";

/** How many edges are processed between two pauses. */
const edgesAtOnce = 5_000;

/** The relations of an organization, as far as they were read. */
export class RelationGraph {
  /** For each record whose relations were all read: the records that belong to it or mention it. */
  readonly referrers = new Map<NodeKey, Edge[]>();
  /** For each record: the records that it belongs to. */
  readonly holders = new Map<NodeKey, Edge[]>();
  /** The records that a deletion in progress erases. */
  readonly erasing = new Set<NodeKey>();
  /** The records whose holders were all read. */
  readonly owned = new Set<NodeKey>();
  /** Records that no plan erases, because they belong to something that remains. Nothing more of them was read. */
  readonly kept = new Set<NodeKey>();
  /** What was read of the level at which the bound was exceeded. */
  cut: ReadonlyMap<NodeKey, readonly Edge[]> | undefined;

  /** Every record that a plan based on this graph can erase or change. */
  nodes(): ReadonlySet<NodeKey> {
    const nodes = new Set<NodeKey>();
    for (const read of [this.referrers, this.cut ?? new Map<NodeKey, readonly Edge[]>()]) {
      for (const [node, edges] of read) {
        nodes.add(node);
        for (const { from } of edges) nodes.add(from);
      }
    }
    return nodes;
  }
}

export interface Collecting {
  readonly organizationId: string;
  readonly roots: readonly NodeKey[];
  readonly bounded: BoundedEdges;
  /** The types of records that are read; undefined for all. */
  readonly types?: readonly ResourceType[] | undefined;
  /** The roots of all plans that this one may follow. Without them, all holders of each record are read. */
  readonly planned?: readonly NodeKey[] | undefined;
}

/**
 * Follows the relations backwards to any depth, or until the bound is exceeded. After the last records that are not
 * confidential, the same number of levels is read whether or not there are reports: on PostgreSQL the time would
 * disclose them. If types are selected, there are none that the person may not know of.
 */
export function* collectGraph({
  organizationId,
  roots,
  bounded,
  types,
  planned,
  confidential,
}: Collecting & {
  readonly confidential: ReadonlySet<ResourceType>;
}): Statements<RelationGraph> {
  const graph = new RelationGraph();
  const depth = types === undefined ? depthOf(confidential) : 0;
  let spare = depth;
  // A root may belong to another root; then it is erased with that one only if it belongs to nothing else.
  const owned = roots.length > 1 ? roots : [];
  const reading = { organizationId, bounded, types, planned };
  if (!(yield* collectHolders(graph, { ...reading, roots: owned }))) {
    graph.cut = new Map();
    return graph;
  }
  for (let level = [...new Set(roots)]; level.length > 0 || spare >= 0;) {
    const read = new Map<NodeKey, Edge[]>(level.map((node) => [node, []]));
    const next = new Set<NodeKey>();
    const rowsMax = types && bounded.edgesMax + 1;
    const query = { organizationId, nodes: level, end: "to", types, rowsMax } as const;
    const isRead = yield* eachPage(query, function* (rows) {
      const edges = rows.map(toEdge);
      bounded.add(...edges);
      const belonging = edges.filter(({ kind }) => kind === "belongs").map(({ from }) => from);
      for (const { node } of yield* findErasing(organizationId, belonging)) graph.erasing.add(node);
      for (const edge of edges) read.get(edge.to)?.push(edge);
      for (const from of belonging) if (!graph.erasing.has(from)) next.add(from);
      return !bounded.isExceeded;
    });
    graph.cut = read;
    if (!isRead) return graph;
    const isKnown = (node: NodeKey) => graph.referrers.has(node) || read.has(node);
    const fresh = [...next].filter((node) => !isKnown(node) && !graph.kept.has(node));
    if (!(yield* collectHolders(graph, { ...reading, roots: fresh }))) return graph;
    graph.cut = undefined;
    for (const [node, edges] of read) graph.referrers.set(node, edges);
    level = fresh.filter((node) => !graph.kept.has(node));
    const isOpen = level.some((node) => !confidential.has(parseNodeKey(node).type));
    spare = isOpen ? depth : spare - 1;
  }
  return graph;
}

/** How long a chain of confidential records can be in which each belongs to the one before. */
function depthOf(confidential: ReadonlySet<ResourceType>): number {
  const below = (to: ResourceType): number => {
    const types = recordTypes.filter(
      ({ resourceType, relations }) =>
        confidential.has(resourceType) &&
        relations.some((one) => one.to === to && one.kind === "belongs"),
    );
    return Math.max(0, ...types.map(({ resourceType }) => 1 + below(resourceType)));
  };
  return Math.max(0, ...[...confidential].map((type) => 1 + below(type)));
}

/** What belongs to something that certainly remains may belong to very many records, which decide nothing. */
function* collectHolders(
  graph: RelationGraph,
  { organizationId, roots, bounded, types, planned }: Collecting,
): Statements<boolean> {
  if (planned !== undefined) {
    const kept = yield* findKept({ organizationId, nodes: roots, types, planned });
    for (const node of kept) graph.kept.add(node);
  }
  const nodes = roots.filter((node) => !graph.kept.has(node));
  const isRead = yield* eachPage({ organizationId, nodes, end: "from", types }, function* (rows) {
    const edges = rows.filter(({ kind }) => kind === "belongs").map(toEdge);
    bounded.add(...edges);
    const holding = edges.map(({ to }) => to);
    for (const { node } of yield* findErasing(organizationId, holding)) graph.erasing.add(node);
    for (const edge of edges) {
      const ownHolders = graph.holders.get(edge.from);
      if (ownHolders === undefined) graph.holders.set(edge.from, [edge]);
      else ownHolders.push(edge);
    }
    return !bounded.isExceeded;
  });
  if (isRead) for (const node of nodes) graph.owned.add(node);
  return isRead;
}

function toEdge({ from_type, from_id, to_type, to_id, kind }: RelationRow): Edge {
  return { from: nodeKey(from_type, from_id), to: nodeKey(to_type, to_id), kind };
}

export interface Cascade {
  readonly plan: ErasurePlan;
  readonly edges: readonly Edge[];
  /** True if there are more relations than were read: then the plan has only what is certain without them. */
  readonly isCut: boolean;
}

/**
 * The result is that of consecutive erasures: what is being erased is not followed, and keeps nothing that belongs to
 * it.
 */
export function* cascadeOf(
  root: NodeKey,
  graph: RelationGraph,
  planned: ReadonlySet<NodeKey>,
): Statements<Cascade> {
  const edges: Edge[] = [];
  const isGoing = (node: NodeKey) => graph.erasing.has(node) || planned.has(node);
  const reached = new Set([root]);
  let restAt = edgesAtOnce;
  let isCut = false;
  // Iterating over a set includes the elements that are added meanwhile.
  for (const to of reached) {
    const referrers = graph.referrers.get(to);
    isCut ||= referrers === undefined;
    for (const edge of referrers ?? graph.cut?.get(to) ?? []) {
      const { from } = edge;
      const follows = edge.kind === "belongs" && !isGoing(from) && !graph.kept.has(from);
      // Whether it is erased depends on holders that were not read.
      if (follows && !graph.owned.has(from) && from !== root) continue;
      edges.push(follows ? edge : { ...edge, kind: "mentions" });
      if (!follows || reached.has(from)) continue;
      reached.add(from);
      for (const held of graph.holders.get(from) ?? []) if (!isGoing(held.to)) edges.push(held);
    }
    if (edges.length < restAt) continue;
    restAt = edges.length + edgesAtOnce;
    yield* pause();
  }
  const parts = planErasureInParts(root, edges);
  let part = parts.next();
  for (; part.done !== true; part = parts.next()) yield* pause();
  return { plan: part.value, edges, isCut };
}
