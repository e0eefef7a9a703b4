// Plans a cascade: which records an erasure includes, and from which others it removes references. Works on a graph
// that the store collects; erases nothing.
//
// A record is erased when everything that it belongs to is erased, directly or indirectly. A record that also belongs
// to something that remains, or only mentions what is erased, remains without its references to what is erased.

import type { Payload, RecordType, RelationKind, ResourceType } from "../record-type.ts";
import type { KeyInOrganization } from "../record/record-write.ts";

/** A record of one organization as text, made by `nodeKey`. Types contain no slash, so the id may contain any. */
export type NodeKey = `${ResourceType}/${string}`;

export interface Node {
  readonly type: ResourceType;
  readonly id: string;
}

/** A reference from the record `from`. References of all changes of this record count. */
export interface Edge {
  readonly from: NodeKey;
  readonly to: NodeKey;
  readonly kind: RelationKind;
}

/** Confidential edges have their own bound: they must not decide whether a cascade is too large, which all can see. */
export class BoundedEdges {
  readonly edgesMax: number;
  readonly #confidential: ReadonlySet<ResourceType>;
  readonly #left: { open: number; confidential: number };

  constructor(edgesMax: number, confidential: ReadonlySet<ResourceType>) {
    this.edgesMax = edgesMax;
    this.#confidential = confidential;
    this.#left = { open: edgesMax, confidential: edgesMax };
  }

  get isExceeded(): boolean {
    return this.#left.open < 0 || this.#left.confidential < 0;
  }

  add(...edges: readonly Edge[]): void {
    for (const { from } of edges) {
      this.#left[this.#confidential.has(parseNodeKey(from).type) ? "confidential" : "open"] -= 1;
    }
  }
}

export interface Redaction {
  readonly record: NodeKey;
  /** The erased record whose references are removed from every change of `record`. */
  readonly reference: NodeKey;
}

export interface ErasurePlan {
  /** The records to be erased, each before the records that it belongs to; the root is last. */
  readonly erase: readonly NodeKey[];
  readonly redact: readonly Redaction[];
  /** Undefined if nothing has to be kept. */
  readonly restriction?: Restriction;
}

/** What a plan must not erase yet, because a confidential report has to be kept (`planRestriction`). */
interface Restriction {
  /** Records that are moved to the restricted store rather than erased. */
  readonly records: ReadonlySet<NodeKey>;
  /** Reports that stay unchanged: references to what is erased remain in them for now. */
  readonly reports: ReadonlySet<NodeKey>;
}

export function nodeKey(type: ResourceType, id: string): NodeKey {
  return `${type}/${id}`;
}

export function nodeKeyOf({ resourceType, resourceId }: KeyInOrganization): NodeKey {
  return nodeKey(resourceType, resourceId);
}

export function parseNodeKey(key: NodeKey): Node {
  const slash = key.indexOf("/");
  return { type: key.slice(0, slash), id: key.slice(slash + 1) };
}

/** How many edges are handled between two yields. */
const edgesOfPart = 1_000;

/**
 * Plans the erasure of the root. `edges` must contain every edge, of either kind, to a record that is erased, and every
 * belongs edge of the records at its other end; further edges are harmless. Linear in the number of edges. Yields
 * regularly, so that the caller can let other work run.
 */
export function* planErasureInParts(
  root: NodeKey,
  edges: Iterable<Edge>,
): Generator<undefined, ErasurePlan> {
  const { referrers, holders } = yield* readEdges(edges);
  const erased = new Set([root]);
  let handled = 0;
  // The iteration of a Set includes what is added meanwhile: each erased record may include others.
  for (const gone of erased) {
    for (const record of referrers.get(gone) ?? []) {
      const held = holders.get(record);
      if (held?.delete(gone) === true && held.size === 0) erased.add(record);
      handled += 1;
      if (handled % edgesOfPart === 0) yield;
    }
  }
  const redact: Redaction[] = [];
  for (const gone of erased) {
    for (const record of referrers.get(gone) ?? []) {
      if (!erased.has(record)) redact.push({ record, reference: gone });
      handled += 1;
      if (handled % edgesOfPart === 0) yield;
    }
  }
  return { erase: [...erased].toReversed(), redact };
}

interface Graph {
  /** For each record, the records that belong to it or mention it. */
  readonly referrers: ReadonlyMap<NodeKey, ReadonlySet<NodeKey>>;
  /** For each record, the records that it belongs to. */
  readonly holders: ReadonlyMap<NodeKey, Set<NodeKey>>;
}

function* readEdges(edges: Iterable<Edge>): Generator<undefined, Graph> {
  const referrers = new Map<NodeKey, Set<NodeKey>>();
  const holders = new Map<NodeKey, Set<NodeKey>>();
  let handled = 0;
  for (const { from, to, kind } of edges) {
    handled += 1;
    if (handled % edgesOfPart === 0) yield;
    // A reference of a record to itself neither retains the record nor needs to be removed.
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

/** Removed from lists; single ones are omitted. */
export function withoutReferences(
  type: RecordType,
  payload: Payload,
  erased: (to: ResourceType, id: string) => boolean,
): Payload {
  const left: Record<string, unknown> = { ...payload };
  for (const { field, to } of type.relations) {
    const isErased = (id: unknown) => typeof id === "string" && erased(to, id);
    const value = left[field];
    if (Array.isArray(value)) left[field] = value.filter((id) => !isErased(id));
    else if (isErased(value)) delete left[field];
  }
  return left;
}

/** Records of these types support the reports that name them. */
export const supportingTypes: ReadonlySet<ResourceType> = new Set([
  "transaction",
  "transaction_alert",
]);

/**
 * Finds the restricted part of a plan. `obliged`: confidential records of the plan that have to be kept unchanged.
 * `edges`: the edges that the plan was made from; only those from an obliged report, or from what supports one, are
 * read.
 */
export function planRestriction(
  { erase }: Pick<ErasurePlan, "erase">,
  edges: Iterable<Edge>,
  obliged: ReadonlySet<NodeKey>,
): Restriction {
  const erased = new Set(erase);
  const named = namedBy(edges, obliged);
  const records = new Set<NodeKey>();
  const reached = new Set(obliged);
  // The iteration of a Set includes what is added meanwhile: an alert that supports a report has transactions of its
  // own.
  for (const node of reached) {
    if (erased.has(node)) records.add(node);
    for (const to of named.get(node) ?? []) if (erased.has(to)) reached.add(to);
  }
  return { records, reports: new Set([...obliged].filter((report) => !erased.has(report))) };
}

function namedBy(
  edges: Iterable<Edge>,
  obliged: ReadonlySet<NodeKey>,
): ReadonlyMap<NodeKey, readonly NodeKey[]> {
  const named = new Map<NodeKey, NodeKey[]>();
  for (const { from, to } of edges) {
    if (!obliged.has(from) && !isSupporting(from)) continue;
    if (!isSupporting(to)) continue;
    const list = named.get(from);
    if (list === undefined) named.set(from, [to]);
    else list.push(to);
  }
  return named;
}

function isSupporting(node: NodeKey): boolean {
  return supportingTypes.has(parseNodeKey(node).type);
}
