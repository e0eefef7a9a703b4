// Which records of an organization have reached the retention ceiling of their type, a bounded part at a time, in the
// order of their keys, and why an expired record must be retained. Deletes nothing.

import { type NodeKey, nodeKey } from "../../../domain/deletion/erasure.ts";
import { limits } from "../../../domain/limits.ts";
import type { ResourceType } from "../../../domain/record-type.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import { type Ceiling, hasPassed } from "../../../domain/retention/ceiling.ts";
import { dayMs } from "../../../domain/retention/floor.ts";
import { hasEnded } from "../../../domain/retention/hold-end.ts";
import { normaliseTimestamp, type NormalisedTimestamp } from "../../../domain/timestamp.ts";
import type { Expired, ExpiredPart, Expiry, ExpiryQuery } from "../../interface/retention.ts";
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
  SELECT resource_id, first_seen, last_seen FROM record
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id > $3
  ORDER BY resource_id LIMIT $4`;

interface SeenRow {
  readonly resource_id: string;
  readonly first_seen: NormalisedTimestamp;
  readonly last_seen: NormalisedTimestamp;
}

interface Candidate {
  readonly key: RecordKey;
  readonly ceiling: Ceiling;
}

export function* findExpired(query: ExpiryQuery): Statements<ExpiredPart> {
  const { candidates, next } = yield* readCandidates(query);
  const expired = yield* filterByHistory(query, candidates);
  return { expired: yield* decideExpiries(query, expired), next };
}

interface CandidatePart {
  readonly candidates: readonly Candidate[];
  readonly next: RecordKey | undefined;
}

/** Reads the next records of the types with a ceiling, and selects those that may have reached it. */
function* readCandidates(query: ExpiryQuery): Statements<CandidatePart> {
  const { organizationId, ceilings, after, scannedMax, now } = query;
  const candidates: Candidate[] = [];
  let [scanned, histories] = [0, 0];
  for (const ceiling of ceilings) {
    const { resourceType } = ceiling;
    if (resourceType < (after?.resourceType ?? "")) continue;
    let last = resourceType === after?.resourceType ? after.resourceId : "";
    const limit = scannedMax - scanned;
    const rows = yield* all<SeenRow>(readPage, organizationId, resourceType, last, limit);
    const keyOf = (resourceId: string) => ({ organizationId, resourceType, resourceId });
    for (const row of rows) {
      const earliest = earliestBeginning(ceiling, row);
      const mayHaveExpired = earliest === undefined || hasPassed(ceiling, earliest, now);
      if (mayHaveExpired && isByHistory(ceiling)) {
        if (histories === limits.floorScanHistoriesMax) return { candidates, next: keyOf(last) };
        histories += 1;
      }
      last = row.resource_id;
      if (mayHaveExpired) candidates.push({ key: keyOf(last), ceiling });
    }
    scanned += rows.length;
    if (rows.length === limit) return { candidates, next: keyOf(last) };
  }
  return { candidates, next: undefined };
}

/** The earliest time from which the ceiling may count; undefined if it can be any time. */
function earliestBeginning({ countedFrom }: Ceiling, { first_seen, last_seen }: SeenRow) {
  if (countedFrom === "last_seen") return last_seen;
  return countedFrom === "closed" ? first_seen : undefined;
}

function isByHistory({ countedFrom }: Ceiling): boolean {
  return countedFrom !== "last_seen";
}

/** A record without the time that its ceiling counts from, such as an open account, has not expired. */
function* filterByHistory(
  { now }: ExpiryQuery,
  candidates: readonly Candidate[],
): Statements<readonly Candidate[]> {
  const uncertain = candidates.filter(({ ceiling }) => isByHistory(ceiling));
  if (uncertain.length === 0) return candidates;
  const ceilings = [...new Set(uncertain.map(({ ceiling }) => ceiling))];
  const records = uncertain.map(({ key }) => key);
  const origins = yield* readOrigins({ floors: ceilings, records });
  return candidates.filter(({ key, ceiling }) => {
    const from = origins.get(keyText(key));
    return !isByHistory(ceiling) || (from !== undefined && hasPassed(ceiling, from, now));
  });
}

/** A record that is otherwise due may be under a retention floor; the ceiling does not request its deletion then. */
function* decideExpiries(
  { organizationId, ceilings, now }: ExpiryQuery,
  candidates: readonly Candidate[],
): Statements<readonly Expired[]> {
  if (candidates.length === 0) return [];
  const keys = candidates.map(({ key }) => key);
  const holds = (yield* findHoldsOf(keys)).filter((hold) => !hasEnded(hold, now));
  const held = new Set(holds.map(keyText));
  const open = new Set((yield* all<KeyRow>(findOpen, keyRows(keys))).map(rowKeyText));
  for (const { node } of yield* findErasing(organizationId, keys.map(toNode))) {
    open.add(keyText(toKey(organizationId, node)));
  }
  const common = ceilings.find(({ isOwn }) => !isOwn);
  const nodes = candidates.filter(({ ceiling }) => !ceiling.isOwn).map(({ key }) => toNode(key));
  const before = timeBefore(now, common?.days ?? 0);
  const needed = yield* findNeeded(organizationId, nodes, before);
  const expired = candidates.map(({ key, ceiling }) => {
    const isNeeded = !ceiling.isOwn && needed.has(toNode(key));
    const keepers = { held: held.has(keyText(key)), open: open.has(keyText(key)), isNeeded };
    return { key, ceiling, expiry: decideExpiry(keepers) };
  });
  const records = expired.filter(({ expiry }) => expiry === "due").map(({ key }) => key);
  const floors = records.length === 0 ? [] : yield* listFloors(organizationId);
  const origins = yield* readOrigins({ floors, records });
  return expired.map((one) => {
    // The floor is that of a deletion which is requested now.
    const floor = latestFloor({ floors, origins, records: [one.key], requestedAt: now });
    return (floor?.until ?? 0) > now ? { ...one, expiry: "floor" } : one;
  });
}

function timeBefore(now: number, days: number): NormalisedTimestamp {
  const before = normaliseTimestamp(new Date(now - days * dayMs).toISOString());
  if (before === undefined) throw new TypeError("the clock returned an invalid time");
  return before;
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
  if (nodes.length === 0) return new Set();
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
