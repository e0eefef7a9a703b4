// Previews what the deletions of expired records would erase besides these, and which of them would wait for a hold or
// a floor on it: level by level, for many records at once. Counts each record once, whatever part of the records is
// previewed. Leaves out confidential types, which delay no deletion. Memory is bounded: if too much belongs to an
// expired record, only a part is previewed. Changes nothing.

import { type NodeKey, nodeKey, parseNodeKey } from "../../../domain/deletion/erasure.ts";
import type { ResourceType } from "../../../domain/record-type.ts";
import type { DueRecord, ErasedPreview, ErasedQuery } from "../../interface/retention.ts";
import { floorEnd } from "../../../domain/retention/floor.ts";
import { isPartyType } from "../../../domain/deletion/party.ts";
import { dateOf } from "../../../domain/retention/hold-end.ts";
import { keyText } from "../../shared/record-key.ts";
import { readConfidentialTypes } from "../access/organization.ts";
import { readOrigins } from "../retention/floor-origin.ts";
import { findHeldKeys } from "../retention/hold.ts";
import { findHeldNamings } from "../party/held-namings.ts";
import { rest, type Statements } from "../statement/statements.ts";
import { filterPassed } from "./expired.ts";
import { toKey } from "./plan.ts";
import { eachPage, type RelationRow } from "./relations.ts";

/** For each record: the expired records with which it is erased. */
type Roots = Map<NodeKey, ReadonlySet<NodeKey>>;

interface Cascade {
  readonly erased: Roots;
  /** Records that also belong to others. */
  readonly shared: Roots;
  /** What would be erased or lose a reference, with what it belongs to or mentions. */
  readonly owners: Owners;
  /** Records that the deletions of others count, because they have reached a ceiling themselves. */
  readonly uncounted: ReadonlySet<NodeKey>;
  readonly isComplete: boolean;
}

/** What a cascade may keep in memory: relations and roots, and bytes of ids. */
class Room {
  #entries: number;
  #bytes: number;

  constructor({ entriesMax, bytesMax }: ErasedQuery) {
    this.#entries = entriesMax;
    this.#bytes = bytesMax;
  }

  get isLeft(): boolean {
    return this.#entries >= 0 && this.#bytes >= 0;
  }

  /** Whether there are more records after these. */
  take(rows: readonly RelationRow[]): boolean {
    this.#entries -= rows.length;
    for (const { from_id, to_id } of rows) this.#bytes -= 2 * (from_id.length + to_id.length);
    return this.isLeft;
  }

  takeRoots({ size }: ReadonlySet<NodeKey>): void {
    this.#entries -= size;
  }
}

function nodeOf({ resourceType, resourceId }: DueRecord): NodeKey {
  return nodeKey(resourceType, resourceId);
}

/** If there is too much for all records, fewer are previewed at a time, with the same result. */
export function* previewErased(query: ErasedQuery): Statements<ErasedPreview> {
  const { due } = query;
  const cascade = yield* collectCascade(query);
  if (cascade.isComplete || due.length <= 1) return yield* evaluateCascade(query, cascade);
  const half = Math.ceil(due.length / 2);
  const first = yield* previewErased({ ...query, due: due.slice(0, half) });
  const second = yield* previewErased({ ...query, due: due.slice(half) });
  return {
    waiting: [...first.waiting, ...second.waiting],
    erasedWith: addCounts(first.erasedWith, second.erasedWith),
    shared: addCounts(first.shared, second.shared),
    inPart: first.inPart + second.inPart,
  };
}

type Counts = ErasedPreview["shared"];

function addCounts(one: Counts, other: Counts): Counts {
  const types = Object.keys({ ...one, ...other });
  return Object.fromEntries(types.map((type) => [type, (one[type] ?? 0) + (other[type] ?? 0)]));
}

function* evaluateCascade(query: ErasedQuery, cascade: Cascade): Statements<ErasedPreview> {
  const waits = yield* findWaits(query, cascade);
  const isErased = (roots: ReadonlySet<NodeKey>) => !roots.values().some((root) => waits.has(root));
  const count = (nodes: Roots) => {
    const counts: Record<string, number> = {};
    for (const [node, roots] of nodes) {
      const { type } = parseNodeKey(node);
      if (!roots.has(node) && isErased(roots)) counts[type] = (counts[type] ?? 0) + 1;
    }
    return counts;
  };
  const waiting = [...waits].map(([root, expiry]) => {
    return { key: toKey(query.organizationId, root), expiry };
  });
  return {
    waiting,
    erasedWith: count(cascade.erased),
    shared: count(cascade.shared),
    inPart: cascade.isComplete ? 0 : query.due.length,
  };
}

function* collectCascade(query: ErasedQuery): Statements<Cascade> {
  const { organizationId, due } = query;
  const confidential = yield* readConfidentialTypes(organizationId);
  const shared: Roots = new Map();
  const owners: Owners = new Map();
  const uncounted = new Set<NodeKey>();
  const room = new Room(query);
  const nodes = due.map(nodeOf);
  const erased: Roots = new Map(nodes.map((node) => [node, new Set([node])]));
  for (let level = nodes; level.length > 0;) {
    const here = new Set(level);
    const reached = yield* findReferring(query, { level, confidential, room, owners });
    // Of some it is not known to what else they belong.
    if (!room.isLeft) break;
    const expiring = yield* findExpiring(query, reached);
    level = [];
    for (const node of reached) {
      if (erased.has(node) || uncounted.has(node)) continue;
      const belonging = belongingOf(owners, node);
      // A record of several owners is counted with the last of them only, and one that expires by itself not here.
      const last = belonging.reduce((one, other) => (one > other ? one : other));
      if (expiring.has(node) || uncounted.has(last)) {
        uncounted.add(node);
        level.push(node);
        continue;
      }
      if (!here.has(last)) continue;
      const known = belonging.map((owner) => erased.get(owner));
      const [only, ...others] = known;
      // Most have one owner, and very many may have the same one.
      const roots =
        only !== undefined && others.length === 0
          ? only
          : new Set(known.flatMap((some) => [...(some ?? [])]));
      if (roots !== only) room.takeRoots(roots);
      if (!room.isLeft) break;
      if (known.includes(undefined)) shared.set(node, roots);
      else {
        erased.set(node, roots);
        level.push(node);
      }
    }
  }
  return { erased, shared, owners, uncounted, isComplete: room.isLeft };
}

/** For each record what it refers to, and whether it belongs to that. */
type Owners = Map<NodeKey, Map<NodeKey, boolean>>;

function belongingOf(owners: Owners, node: NodeKey): readonly NodeKey[] {
  return [...(owners.get(node) ?? [])].flatMap(([owner, belongs]) => (belongs ? [owner] : []));
}

interface Level {
  readonly level: readonly NodeKey[];
  readonly confidential: ReadonlySet<ResourceType>;
  readonly room: Room;
  readonly owners: Owners;
}

/** Adds what refers to any of these records, with everything that it belongs to; returns what belongs to them. */
function* findReferring(
  { organizationId }: ErasedQuery,
  { level, confidential, room, owners }: Level,
): Statements<readonly NodeKey[]> {
  const reached = new Set<NodeKey>();
  const addOwner = ({ kind, from_type, from_id, to_type, to_id }: RelationRow) => {
    const from = nodeKey(from_type, from_id);
    const known = owners.get(from) ?? new Map<NodeKey, boolean>();
    owners.set(from, known.set(nodeKey(to_type, to_id), kind === "belongs"));
    return from;
  };
  yield* eachPage({ organizationId, nodes: level, end: "to" }, function* (rows) {
    for (const row of rows.filter(({ from_type }) => !confidential.has(from_type))) {
      const from = addOwner(row);
      if (row.kind === "belongs") reached.add(from);
    }
    yield* rest();
    return room.take(rows);
  });
  const nodes = [...reached];
  yield* eachPage({ organizationId, nodes, end: "from" }, function* (rows) {
    for (const row of rows.filter(({ kind }) => kind === "belongs")) reached.add(addOwner(row));
    yield* rest();
    return room.take(rows);
  });
  return nodes;
}

/** Those of these records that have reached a ceiling themselves. */
function* findExpiring(
  { organizationId, ceilings, now }: ErasedQuery,
  nodes: readonly NodeKey[],
): Statements<ReadonlySet<NodeKey>> {
  const byType = new Map(ceilings.map((ceiling) => [ceiling.resourceType, ceiling]));
  const candidates = nodes.flatMap((node) => {
    const ceiling = byType.get(parseNodeKey(node).type);
    return ceiling === undefined ? [] : [{ key: toKey(organizationId, node), ceiling, node }];
  });
  return new Set((yield* filterPassed(candidates, now)).map(({ node }) => node));
}

type Wait = "held" | "floor";

/**
 * Why expired records have to wait: for what would be erased with them or would lose a reference, or for a record under
 * a hold that names one of them.
 */
function* findWaits(query: ErasedQuery, cascade: Cascade): Statements<ReadonlyMap<NodeKey, Wait>> {
  const { organizationId, due, floors, now } = query;
  const { owners } = cascade;
  const affected = [...owners.keys()];
  const keys = affected.map((node) => toKey(organizationId, node));
  const held = yield* findHeldKeys(keys, now);
  const origins = yield* readOrigins({ floors, records: keys });
  const roots = due.map(nodeOf);
  const parties = roots.filter((node) => isPartyType(parseNodeKey(node).type));
  const named = yield* findHeldNamings(organizationId, parties, dateOf(now));
  const isHeld = (node: NodeKey) => held.has(keyText(toKey(organizationId, node)));
  const waiting = ancestorsOf(affected.filter(isHeld), owners);
  const waits = new Map<NodeKey, Wait>();
  for (const root of roots) if (waiting.has(root) || named.has(root)) waits.set(root, "held");
  const requestedAt = new Map(due.map((one) => [nodeOf(one), one.requestedAt]));
  for (const floor of floors) {
    const kept = affected.filter((node) => {
      const isRedacted = !cascade.erased.has(node) && !cascade.uncounted.has(node);
      return parseNodeKey(node).type === floor.resourceType && !(floor.redactable && isRedacted);
    });
    const originOf = (node: NodeKey) => origins.get(keyText(toKey(organizationId, node)));
    const open = ancestorsOf(
      kept.filter((node) => floorEnd(floor, originOf(node), now) > now && originOf(node)),
      owners,
    );
    // Without a time to count from, a floor counts from the request.
    const unending = ancestorsOf(
      kept.filter((node) => originOf(node) === undefined),
      owners,
    );
    for (const root of roots) {
      const from = requestedAt.get(root) ?? now;
      const isKept =
        open.has(root) || (unending.has(root) && floorEnd(floor, undefined, from) > now);
      if (isKept && !waits.has(root)) waits.set(root, "floor");
    }
  }
  return waits;
}

/** Everything that any of these records refers to, at any depth; what is mentioned is not followed. */
function ancestorsOf(nodes: readonly NodeKey[], owners: Owners): ReadonlySet<NodeKey> {
  const found = new Set(nodes.flatMap((node) => [...(owners.get(node)?.keys() ?? [])]));
  // Iterating over a set includes the elements that are added meanwhile.
  for (const one of found) for (const owner of belongingOf(owners, one)) found.add(owner);
  return found;
}
