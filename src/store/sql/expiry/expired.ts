// Finds the records of an organization that have reached the retention ceiling of their type, a bounded part at a time,
// in the order of their keys, and why an expired record must be retained. Deletes nothing.

import { type NodeKey, nodeKey, nodeKeyOf } from "../../../domain/deletion/erasure.ts";
import { limits } from "../../../domain/limits.ts";
import type { ResourceType } from "../../../domain/record-type.ts";
import { keyText, type RecordKey } from "../../../domain/record/record-write.ts";
import { type Ceiling, ceilingEnd, hasPassed, isPast } from "../../../domain/retention/ceiling.ts";
import type { NormalisedTimestamp } from "../../../domain/timestamp.ts";
import type { Expired, ExpiredPart, Expiry, ExpiryQuery } from "../../interface/retention.ts";
import { type KeyRow, lastId, rowKeyText } from "../../shared/record-key.ts";
import { readConfidentialTypes } from "../access/organization.ts";
import { latestFloor, readOrigins, readSeen } from "../retention/floor-origin.ts";
import { findHeldKeys } from "../retention/hold.ts";
import { findOpen } from "../deletion/closed-records.ts";
import { toKey } from "../plan/plan.ts";
import { eachPage, findErasing } from "../plan/relations.ts";
import { changesOfRecords, keyRows } from "../statement/named.ts";
import { all, get, type Statements } from "../statement/statements.ts";

const readPage = `
  SELECT resource_id, first_seen, last_seen FROM record
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id > $3 AND resource_id <= $4
  ORDER BY resource_id LIMIT $5`;

/** The earliest times of a page, from which it can be said that no record of it has reached its ceiling. */
const summarise = `
  SELECT count(*) AS records, max(resource_id) AS resource_id,
    min(first_seen) AS first_seen, min(last_seen) AS last_seen
  FROM (${readPage}) AS page`;
/** So many records are summarised in the time in which one is read. */
const summarisedTimes = 10;

const recentMs = 24 * 60 * 60_000;

/** Those of the records ($1 to $3) of which a change arrived after a time ($4). */
const findRecent = `
  SELECT DISTINCT named.organization_id, named.resource_type, named.resource_id
  FROM ${changesOfRecords}
  WHERE received_at > $4
    --citus AND change.resource_id = ANY ($3::text[])
  `;

interface SeenRow {
  readonly resource_id: string;
  readonly first_seen: NormalisedTimestamp;
  readonly last_seen: NormalisedTimestamp;
}

interface SummaryRow extends SeenRow {
  readonly records: number;
}

/** A record that may have reached its ceiling. */
export interface Candidate {
  readonly key: RecordKey;
  readonly ceiling: Ceiling;
}

type Passed = Omit<Expired, "expiry" | "isRecent">;

export function* findExpired(query: ExpiryQuery): Statements<ExpiredPart> {
  const { candidates, next, dueFrom, isEmpty } = yield* readCandidates(query);
  const uncertain = candidates.filter(({ ceiling }) => isByHistory(ceiling));
  const ends = yield* readEnds(uncertain);
  const passed: Passed[] = [];
  let laterFrom = dueFrom;
  for (const { key, ceiling, lastSeen } of candidates) {
    const end = isByHistory(ceiling) ? ends.get(keyText(key)) : ceilingEnd(ceiling, lastSeen);
    if (end !== undefined && isPast(ceiling, end, query.now))
      passed.push({ key, ceiling, passedAt: end });
    else laterFrom = Math.min(laterFrom, end ?? Infinity);
  }
  const expired = yield* decideExpiries(query, passed);
  return { expired, next, dueFrom: laterFrom, isEmpty };
}

interface SeenCandidate extends Candidate {
  readonly lastSeen: NormalisedTimestamp;
}

interface CandidatePart extends Omit<ExpiredPart, "expired"> {
  readonly candidates: readonly SeenCandidate[];
}

/** Reads the next records of the types with a ceiling, and selects those that may have reached it. */
function* readCandidates(query: ExpiryQuery): Statements<CandidatePart> {
  const { organizationId, ceilings, after, upTo, scannedMax, now } = query;
  const candidates: SeenCandidate[] = [];
  let [scanned, histories, dueFrom, isEmpty] = [0, 0, Infinity, true];
  const endAt = (next: RecordKey | undefined) => ({ candidates, next, dueFrom, isEmpty });
  for (const ceiling of ceilings) {
    const { resourceType } = ceiling;
    if (resourceType < (after?.resourceType ?? "")) continue;
    if (upTo !== undefined && resourceType > upTo.resourceType) break;
    let last = resourceType === after?.resourceType ? after.resourceId : "";
    const limit = scannedMax - scanned;
    const upToId = upTo?.resourceType === resourceType ? upTo.resourceId : lastId;
    const range = [organizationId, resourceType, last, upToId] as const;
    const keyOf = (resourceId: string) => ({ organizationId, resourceType, resourceId });
    const early = yield* readEarly(ceiling, range, { limit, now });
    if (early !== undefined) {
      isEmpty &&= early.records === 0;
      scanned += Math.floor(early.records / early.times);
      dueFrom = Math.min(dueFrom, early.dueFrom);
      if (early.isCut) return endAt(keyOf(early.last));
      continue;
    }
    const rows = yield* all<SeenRow>(readPage, ...range, limit);
    for (const row of rows) {
      const earliest = earliestBeginning(ceiling, row);
      const mayHaveExpired = earliest === undefined || hasPassed(ceiling, earliest, now);
      if (mayHaveExpired && isByHistory(ceiling)) {
        if (histories === limits.floorScanHistoriesMax) return endAt(keyOf(last));
        histories += 1;
      }
      last = row.resource_id;
      isEmpty = false;
      scanned += 1;
      if (mayHaveExpired) candidates.push({ key: keyOf(last), ceiling, lastSeen: row.last_seen });
      else dueFrom = Math.min(dueFrom, ceilingEnd(ceiling, earliest));
    }
    if (rows.length === limit && last !== upToId) return endAt(keyOf(last));
  }
  return endAt(undefined);
}

type Range = readonly [organizationId: string, resourceType: string, after: string, upTo: string];

interface Early {
  readonly records: number;
  /** How many of these records count as one that was scanned. */
  readonly times: number;
  readonly dueFrom: number;
  readonly last: string;
  readonly isCut: boolean;
}

/** Reads the next records of a type together; undefined if one of them may have reached its ceiling. */
function* readEarly(
  ceiling: Ceiling,
  range: Range,
  { limit: rowsMax, now }: { readonly limit: number; readonly now: number },
): Statements<Early | undefined> {
  // A part of records whose histories have to be read is short.
  const times = isByHistory(ceiling) ? 1 : summarisedTimes;
  const limit = rowsMax * times;
  const row = yield* get<SummaryRow>(summarise, ...range, limit);
  if (row === undefined || row.records === 0)
    return { records: 0, times, dueFrom: Infinity, last: "", isCut: false };
  const earliest = earliestBeginning(ceiling, row);
  if (earliest === undefined || hasPassed(ceiling, earliest, now)) return undefined;
  const { records, resource_id: last } = row;
  const isCut = records === limit && last !== range[3];
  return { records, times, dueFrom: ceilingEnd(ceiling, earliest), last, isCut };
}

/** The earliest time from which the ceiling may count; undefined if it can be any time. */
function earliestBeginning({ countedFrom }: Ceiling, { first_seen, last_seen }: SeenRow) {
  if (countedFrom === "last_seen") return last_seen;
  return countedFrom === "closed" ? first_seen : undefined;
}

function isByHistory({ countedFrom }: Ceiling): boolean {
  return countedFrom !== "last_seen";
}

/**
 * When each of these records reaches its ceiling, by the text of its key. A record without the time that the ceiling
 * counts from, such as an open account, is missing.
 */
function* readEnds(candidates: readonly Candidate[]): Statements<ReadonlyMap<string, number>> {
  if (candidates.length === 0) return new Map();
  const ceilings = [...new Set(candidates.map(({ ceiling }) => ceiling))];
  const records = candidates.map(({ key }) => key);
  const origins = yield* readOrigins({ floors: ceilings, records });
  const ends = candidates.flatMap(({ key, ceiling }) => {
    const from = origins.get(keyText(key));
    return from === undefined ? [] : [[keyText(key), ceilingEnd(ceiling, from)] as const];
  });
  return new Map(ends);
}

/** The records that have reached their ceiling. */
export function* filterPassed<One extends Candidate>(
  candidates: readonly One[],
  now: number,
): Statements<readonly One[]> {
  const ends = yield* readEnds(candidates);
  return candidates.filter(({ key, ceiling }) => {
    return isPast(ceiling, ends.get(keyText(key)) ?? Infinity, now);
  });
}

/**
 * Finds what keeps each of them: the first applicable reason in the order of `Expiry`, and a floor only if there is no
 * other reason.
 */
function* decideExpiries(
  { organizationId, floors, ceilings, now }: ExpiryQuery,
  expired: readonly Passed[],
): Statements<readonly Expired[]> {
  if (expired.length === 0) return [];
  const keys = expired.map(({ key }) => key);
  const held = yield* findHeldKeys(keys, now);
  const open = new Set((yield* all<KeyRow>(findOpen, keyRows(keys))).map(rowKeyText));
  for (const { node } of yield* findErasing(organizationId, keys.map(nodeKeyOf))) {
    open.add(keyText(toKey(organizationId, node)));
  }
  const common = ceilings.find(({ isOwn }) => !isOwn);
  const nodes = expired.filter(({ ceiling }) => !ceiling.isOwn).map(({ key }) => nodeKeyOf(key));
  const needed =
    common === undefined ? [] : yield* findNeeded({ organizationId, nodes, common, now });
  const reasons = new Map<string, Expiry>();
  for (const node of needed) reasons.set(keyText(toKey(organizationId, node)), "needed");
  for (const text of open) reasons.set(text, "open");
  for (const text of held) reasons.set(text, "held");
  const records = keys.filter((key) => !reasons.has(keyText(key)));
  const origins = yield* readOrigins({ floors, records });
  for (const key of records) {
    // The floor of a deletion that would be requested now.
    const floor = latestFloor({ floors, origins, records: [key], requestedAt: now });
    if ((floor?.until ?? 0) > now) reasons.set(keyText(key), "floor");
  }
  const since = now - recentMs;
  const recent = new Set((yield* all<KeyRow>(findRecent, keyRows(keys), since)).map(rowKeyText));
  return expired.map((one) => {
    const text = keyText(one.key);
    return { ...one, expiry: reasons.get(text) ?? "due", isRecent: recent.has(text) };
  });
}

/**
 * Those of these records with an owned record, at any depth, that has not reached the ceiling. Follows the relations
 * level by level.
 */
function* findNeeded({
  organizationId,
  nodes,
  common,
  now,
}: Pick<ExpiryQuery, "organizationId" | "now"> & {
  readonly nodes: readonly NodeKey[];
  readonly common: Ceiling;
}): Statements<readonly NodeKey[]> {
  if (nodes.length === 0) return [];
  const confidential: ReadonlySet<ResourceType> = yield* readConfidentialTypes(organizationId);
  const holders = new Map<NodeKey, NodeKey[]>();
  const needed = new Set<NodeKey>();
  const reached = new Set(nodes);
  for (let level = nodes; level.length > 0;) {
    const next: NodeKey[] = [];
    yield* eachPage({ organizationId, nodes: level, end: "to" }, function* (rows) {
      const owned: NodeKey[] = [];
      for (const { kind, from_type, from_id, to_type, to_id } of rows) {
        // A report must not disclose that it exists by keeping the record that it belongs to.
        if (kind !== "belongs" || confidential.has(from_type)) continue;
        const from = nodeKey(from_type, from_id);
        const to = nodeKey(to_type, to_id);
        const ownHolders = holders.get(from);
        if (ownHolders === undefined) holders.set(from, [to]);
        else ownHolders.push(to);
        if (!reached.has(from)) owned.push(from);
        reached.add(from);
      }
      const seen = yield* readSeen(owned.map((node) => toKey(organizationId, node)));
      for (const node of owned) {
        const lastSeen = seen.get(keyText(toKey(organizationId, node)));
        if (lastSeen !== undefined && !hasPassed(common, lastSeen, now)) needed.add(node);
      }
      next.push(...owned);
      return true;
    });
    level = next;
  }
  // Iterating over a set includes the elements that are added meanwhile.
  for (const node of needed) for (const holder of holders.get(node) ?? []) needed.add(holder);
  return nodes.filter((node) => needed.has(node));
}
