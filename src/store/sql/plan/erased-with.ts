// Previews what the deletions of expired records would erase besides these, and which of them would wait for a hold or
// a floor on it: level by level, for many records at once. Counts each record once, whatever part of the records is
// previewed. Leaves out confidential types, which delay no deletion. Memory is bounded: if too much belongs to an
// expired record, only a part is previewed. Changes nothing.

import { type NodeKey, nodeKey, parseNodeKey } from "../../../domain/deletion/erasure.ts";
import type { ResourceType } from "../../../domain/record-type.ts";
import type { ErasedPreview, ErasedQuery } from "../../interface/retention.ts";
import { keyText } from "../../shared/record-key.ts";
import { readConfidentialTypes } from "../access/organization.ts";
import { listFloors } from "../retention/floor.ts";
import { latestFloor, readOrigins } from "../retention/floor-origin.ts";
import { findHeldKeys } from "../retention/hold.ts";
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
  const room = new Room(query);
  const nodes = due.map(({ resourceType, resourceId }) => nodeKey(resourceType, resourceId));
  const erased: Roots = new Map(nodes.map((node) => [node, new Set([node])]));
  for (let level = nodes; level.length > 0;) {
    const here = new Set(level);
    const belonging = yield* findBelonging(query, { level, confidential, room });
    // For some of them it is not known what else they belong to.
    if (!room.isLeft) break;
    const expiring = yield* findExpiring(query, [...belonging.keys()]);
    level = [];
    for (const [node, owners] of belonging) {
      // A record with several owners is counted only with the last of them; one that expires by itself is not counted
      // here.
      const last = owners.reduce((one, other) => (one > other ? one : other));
      if (!here.has(last) || erased.has(node) || expiring.has(node)) continue;
      const known = owners.map((owner) => erased.get(owner));
      const [only, ...others] = known;
      // Most records have one owner, and very many may share the same one.
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
  return { erased, shared, isComplete: room.isLeft };
}

interface Level {
  readonly level: readonly NodeKey[];
  readonly confidential: ReadonlySet<ResourceType>;
  readonly room: Room;
}

/** Everything that belongs to one of these records, with everything that it belongs to. */
function* findBelonging(
  { organizationId }: ErasedQuery,
  { level, confidential, room }: Level,
): Statements<ReadonlyMap<NodeKey, readonly NodeKey[]>> {
  const owners = new Map<NodeKey, NodeKey[]>();
  yield* eachPage({ organizationId, nodes: level, end: "to" }, function* (rows) {
    for (const { kind, from_type, from_id } of rows) {
      const isCounted = kind === "belongs" && !confidential.has(from_type);
      if (isCounted) owners.set(nodeKey(from_type, from_id), []);
    }
    yield* rest();
    return room.take(rows);
  });
  const nodes = [...owners.keys()];
  yield* eachPage({ organizationId, nodes, end: "from" }, function* (rows) {
    for (const { kind, from_type, from_id, to_type, to_id } of rows) {
      if (kind === "belongs")
        owners.get(nodeKey(from_type, from_id))?.push(nodeKey(to_type, to_id));
    }
    yield* rest();
    return room.take(rows);
  });
  return owners;
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

/** Why expired records have to wait for something that would be erased with them, or would lose a reference. */
function* findWaits(
  { organizationId, now }: ErasedQuery,
  { erased, shared }: Cascade,
): Statements<ReadonlyMap<NodeKey, "held" | "floor">> {
  const affected = [...erased, ...shared].filter(([node, roots]) => !roots.has(node));
  const keys = affected.map(([node]) => toKey(organizationId, node));
  const held = yield* findHeldKeys(keys, now);
  const floors = yield* listFloors(organizationId);
  const origins = yield* readOrigins({ floors, records: keys });
  const waits = new Map<NodeKey, "held" | "floor">();
  for (const [node, roots] of affected) {
    const key = toKey(organizationId, node);
    const floor = latestFloor({ floors, origins, records: [key], requestedAt: now });
    const isFloored = (floor?.until ?? 0) > now && (erased.has(node) || floor?.redactable !== true);
    const isHeld = held.has(keyText(key));
    for (const root of roots) if (isHeld || isFloored) waits.set(root, isHeld ? "held" : "floor");
  }
  return waits;
}
