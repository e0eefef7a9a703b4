// What goes with what: which records an erasure takes along, and from which it takes references out. Plans only, on a
// graph that the store collects; removes nothing itself.
//
// A record goes when everything that it belongs to goes, however far along. One that also belongs to something that
// stays is kept without its references to what goes, and so is one that only mentions it.

import type { Payload, RecordType, RelationKind, ResourceType } from "../record-type.ts";

/** A record within one organization, as text, made by `nodeKey`. Types hold no slash, so the id may hold any. */
export type NodeKey = `${ResourceType}/${string}`;

export interface Node {
  readonly type: ResourceType;
  readonly id: string;
}

/** By the union of all changes of the record `from`: what any of them said still holds. */
export interface Edge {
  readonly from: NodeKey;
  readonly to: NodeKey;
  readonly kind: RelationKind;
}

export interface Redaction {
  readonly record: NodeKey;
  /** What goes, and is to be taken out of every change of `record`. */
  readonly reference: NodeKey;
}

export interface ErasurePlan {
  /** Dependents before what they belong to; the root comes last. */
  readonly erase: readonly NodeKey[];
  readonly redact: readonly Redaction[];
}

export function nodeKey(type: ResourceType, id: string): NodeKey {
  return `${type}/${id}`;
}

export function parseNodeKey(key: NodeKey): Node {
  const slash = key.indexOf("/");
  return { type: key.slice(0, slash), id: key.slice(slash + 1) };
}

/**
 * Plans the erasure of the root. `edges` has to hold every edge, of either kind, that leads into a record that goes, and
 * every belongs edge of the records those come from; more does no harm. Takes time in proportion to the edges.
 */
export function planErasure(root: NodeKey, edges: Iterable<Edge>): ErasurePlan {
  const { referrers, holders } = readEdges(edges);
  const erased = new Set([root]);
  // A set goes through what is added while it is gone through: each record that goes may take others along.
  for (const gone of erased) {
    for (const record of referrers.get(gone) ?? []) {
      const held = holders.get(record);
      if (held?.delete(gone) === true && held.size === 0) erased.add(record);
    }
  }
  const redact: Redaction[] = [];
  for (const gone of erased) {
    for (const record of referrers.get(gone) ?? []) {
      if (!erased.has(record)) redact.push({ record, reference: gone });
    }
  }
  return { erase: [...erased].toReversed(), redact };
}

interface Graph {
  /** By record: what belongs to it or mentions it. */
  readonly referrers: ReadonlyMap<NodeKey, ReadonlySet<NodeKey>>;
  /** By record: what it belongs to. */
  readonly holders: ReadonlyMap<NodeKey, Set<NodeKey>>;
}

function readEdges(edges: Iterable<Edge>): Graph {
  const referrers = new Map<NodeKey, Set<NodeKey>>();
  const holders = new Map<NodeKey, Set<NodeKey>>();
  for (const { from, to, kind } of edges) {
    // What a record says of itself neither keeps it nor has to be taken out of it.
    if (from === to) continue;
    entry(referrers, to).add(from);
    if (kind === "belongs") entry(holders, from).add(to);
  }
  return { referrers, holders };
}

function entry(map: Map<NodeKey, Set<NodeKey>>, key: NodeKey): Set<NodeKey> {
  let set = map.get(key);
  if (set === undefined) {
    set = new Set();
    map.set(key, set);
  }
  return set;
}

/** The payload without its references to records that go: taken out of lists, and single ones left out. */
export function withoutReferences(
  type: RecordType,
  payload: Payload,
  erased: (to: ResourceType, id: string) => boolean,
): Payload {
  const left: Record<string, unknown> = { ...payload };
  for (const { field, to } of type.relations) {
    const goes = (id: unknown) => typeof id === "string" && erased(to, id);
    const value = left[field];
    if (Array.isArray(value)) left[field] = value.filter((id) => !goes(id));
    else if (goes(value)) delete left[field];
  }
  return left;
}
