// Which records of an organization were last seen before the time for which it keeps them, a bounded part at a time, in
// the order of their keys, and why an expired record must be retained. Deletes nothing.

import { type NodeKey, nodeKey } from "../../../domain/deletion/erasure.ts";
import type { ResourceType } from "../../../domain/record-type.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import type { ExpiredPart, Expiry, ExpiryQuery } from "../../interface/retention.ts";
import { type KeyRow, keyText, rowKeyText } from "../../shared/record-key.ts";
import { readConfidentialTypes } from "../access/organization.ts";
import { listFloors } from "../retention/floor.ts";
import { latestFloor, readOrigins, readSeen } from "../retention/floor-origin.ts";
import { findHoldsOf } from "../retention/hold.ts";
import { findOpen } from "../deletion/open-deletion.ts";
import { toKey } from "./plan.ts";
import { eachPage, findErasing } from "./relations.ts";
import { keyRows } from "../statement/named.ts";
import { all, type Statements } from "../statement/statements.ts";

const readPage = `
  SELECT resource_type, resource_id, last_seen FROM record
  WHERE organization_id = $1 AND (resource_type, resource_id) > ($2, $3)
  ORDER BY resource_type, resource_id LIMIT $4`;

interface SeenRow {
  readonly resource_type: string;
  readonly resource_id: string;
  readonly last_seen: string;
}

export function* findExpired(query: ExpiryQuery): Statements<ExpiredPart> {
  const { organizationId, before, after, scannedMax } = query;
  const from = [after?.resourceType ?? "", after?.resourceId ?? ""] as const;
  const rows = yield* all<SeenRow>(readPage, organizationId, ...from, scannedMax);
  const keyOf = ({ resource_type: resourceType, resource_id: resourceId }: SeenRow) => {
    return { organizationId, resourceType, resourceId };
  };
  const last = rows.length < scannedMax ? undefined : rows.at(-1);
  const keys = rows.filter(({ last_seen }) => last_seen < before).map(keyOf);
  const expired = keys.length === 0 ? [] : yield* decideExpiries(query, keys);
  return { expired, next: last && keyOf(last) };
}

/** A record that is otherwise due may be under a retention floor; the ceiling does not request its deletion then. */
function* decideExpiries(
  { organizationId, before, now }: ExpiryQuery,
  keys: readonly RecordKey[],
): Statements<ExpiredPart["expired"]> {
  const held = new Set((yield* findHoldsOf(keys)).map(keyText));
  const open = new Set((yield* all<KeyRow>(findOpen, keyRows(keys))).map(rowKeyText));
  const nodes = keys.map(toNode);
  for (const { node } of yield* findErasing(organizationId, nodes)) {
    open.add(keyText(toKey(organizationId, node)));
  }
  const needed = yield* findNeeded(organizationId, nodes, before);
  const expired = keys.map((key) => {
    const isNeeded = needed.has(toNode(key));
    const keepers = { held: held.has(keyText(key)), open: open.has(keyText(key)), isNeeded };
    return { key, expiry: decideExpiry(keepers) };
  });
  const records = expired.filter(({ expiry }) => expiry === "due").map(({ key }) => key);
  const floors = records.length === 0 ? [] : yield* listFloors(organizationId);
  const origins = yield* readOrigins({ floors, records });
  return expired.map(({ key, expiry }) => {
    // The floor is that of a deletion which is requested now.
    const floor = latestFloor({ floors, origins, records: [key], requestedAt: now });
    return { key, expiry: (floor?.until ?? 0) > now ? "floor" : expiry };
  });
}

/** What keeps a record that has expired. */
interface Keepers {
  readonly held: boolean;
  readonly open: boolean;
  /** Something that belongs to it was seen later. */
  readonly isNeeded: boolean;
}

function decideExpiry({ held, open, isNeeded }: Keepers): Expiry {
  if (held) return "held";
  if (open) return "open";
  return isNeeded ? "needed" : "due";
}

function toNode({ resourceType, resourceId }: RecordKey): NodeKey {
  return nodeKey(resourceType, resourceId);
}

/** The records to which something belongs, at any depth, that was seen later. Follows the relations level by level. */
function* findNeeded(
  organizationId: string,
  nodes: readonly NodeKey[],
  before: string,
): Statements<ReadonlySet<NodeKey>> {
  const confidential: ReadonlySet<ResourceType> = yield* readConfidentialTypes(organizationId);
  const holders = new Map<NodeKey, NodeKey[]>();
  const needed = new Set<NodeKey>();
  const reached = new Set(nodes);
  for (let level = nodes; level.length > 0;) {
    const next = new Set<NodeKey>();
    yield* eachPage({ organizationId, nodes: level, end: "to" }, function* (rows) {
      // A report must not disclose that it exists by keeping what it belongs to.
      const belonging = rows.filter(
        ({ kind, from_type }) => kind === "belongs" && !confidential.has(from_type),
      );
      const found = new Set<NodeKey>();
      for (const { from_type, from_id, to_type, to_id } of belonging) {
        const from = nodeKey(from_type, from_id);
        holders.set(from, [...(holders.get(from) ?? []), nodeKey(to_type, to_id)]);
        if (!reached.has(from)) found.add(from);
        reached.add(from);
      }
      const seen = yield* readSeen([...found].map((node) => toKey(organizationId, node)));
      for (const node of found) {
        next.add(node);
        if ((seen.get(keyText(toKey(organizationId, node))) ?? "") >= before) needed.add(node);
      }
      return true;
    });
    level = [...next];
  }
  // Iterating over a set includes the elements that are added meanwhile.
  for (const node of needed) for (const holder of holders.get(node) ?? []) needed.add(holder);
  return needed;
}
