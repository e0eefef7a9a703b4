// Reads the times from which the retention floors of many records count, and finds the floor that ends last. Changes
// nothing.

import { recordTypeByName } from "../../../domain/record-types.ts";
import { keyText, type RecordKey } from "../../../domain/record/record-write.ts";
import { ClosedSince, FiledAt } from "../../../domain/retention/floor-origin.ts";
import { floorEnd, laterFloor, type RetentionFloor } from "../../../domain/retention/floor.ts";
import type { NormalisedTimestamp } from "../../../domain/timestamp.ts";
import { type KeyRow, rowKeyText, toKey } from "../../shared/record-key.ts";
import { changeAfter, readChangesAfter, ReadBudget } from "../record/changes.ts";
import { changesOfRecords, existingRecords, keyRows } from "../statement/named.ts";
import { all, type Statements } from "../statement/statements.ts";

/** How many changes one statement reads; a history with more is a long one. */
const changesAtOnce = 500;

const findSeen = `
  SELECT named.organization_id, named.resource_type, named.resource_id, last_seen FROM ${existingRecords}
  --citus WHERE record.resource_id = ANY ($3::text[])
  `;

const findChanges = `
  SELECT named.organization_id, named.resource_type, named.resource_id, change_no, payload
  FROM ${changesOfRecords}
  --citus WHERE change.resource_id = ANY ($3::text[])
  LIMIT $4`;

const findLong = `
  SELECT named.organization_id, named.resource_type, named.resource_id FROM ${existingRecords}
  WHERE EXISTS (${changeAfter} ${changesAtOnce})
    --citus AND record.resource_id = ANY ($3::text[])
  `;

/** The keys are the texts of record keys. Records that do not exist, or have no floor, are missing. */
export type FloorOrigins = ReadonlyMap<string, NormalisedTimestamp | undefined>;

/** The floor of a record, and when it ends. */
export interface RecordFloor extends RetentionFloor {
  readonly resourceId: string;
  readonly until: number;
}

/** What a floor or a ceiling of a type counts from. */
type Counted = Pick<RetentionFloor, "resourceType" | "countedFrom">;

export interface FloorSearch {
  readonly floors: readonly Counted[];
  readonly records: readonly RecordKey[];
}

/**
 * Reads what floors count from. The number of statements depends on the floors, whether or not there are records under
 * them: on PostgreSQL the time would disclose a report. Only long histories take more statements.
 */
export function* readOrigins(search: FloorSearch): Statements<FloorOrigins> {
  const { floors, records } = search;
  const bySeen = floors.filter(({ countedFrom }) => countedFrom === "last_seen");
  const byHistory = floors.filter(({ countedFrom }) => countedFrom !== "last_seen");
  const seen = bySeen.length === 0 ? [] : yield* readSeen(under(bySeen, records));
  if (byHistory.length === 0) return new Map(seen);
  const read = yield* readHistories(byHistory, under(byHistory, records));
  return new Map([...seen, ...read]);
}

/** Selects the records that have one of these floors. */
export function under<Key extends Pick<RecordKey, "resourceType">>(
  floors: readonly Counted[],
  records: readonly Key[],
): readonly Key[] {
  const types = new Set(floors.map(({ resourceType }) => resourceType));
  return records.filter(({ resourceType }) => types.has(resourceType));
}

/** A row of `record`, of which the organization and the type are known. */
export interface SeenRow {
  readonly resource_id: string;
  readonly last_seen: NormalisedTimestamp;
}

/** When these records were last seen, by the texts of their keys. */
export function* readSeen(
  records: readonly RecordKey[],
): Statements<ReadonlyMap<string, NormalisedTimestamp>> {
  const rows = yield* all<KeyRow & { readonly last_seen: NormalisedTimestamp }>(
    findSeen,
    keyRows(records),
  );
  return new Map(rows.map((row) => [rowKeyText(row), row.last_seen]));
}

interface ChangeRow {
  readonly change_no: number;
  readonly payload: string;
}

/** All at once, or else half of the records at a time, or else one history page by page. */
function* readHistories(
  floors: readonly Counted[],
  records: readonly RecordKey[],
): Statements<FloorOrigins> {
  const key = keyRows(records);
  const rows = yield* all<KeyRow & ChangeRow>(findChanges, key, changesAtOnce + 1);
  if (rows.length > changesAtOnce) {
    const [first] = records;
    if (records.length === 1 && first !== undefined) {
      return new Map([[keyText(first), yield* readLongHistory(floors, first)]]);
    }
    const half = Math.ceil(records.length / 2);
    const one = yield* readHistories(floors, records.slice(0, half));
    return new Map([...one, ...(yield* readHistories(floors, records.slice(half)))]);
  }
  const origins = new Map<string, NormalisedTimestamp | undefined>();
  for (const [text, changes] of Map.groupBy(rows, rowKeyText)) {
    const origin = originFor(floors, changes[0]?.resource_type ?? "");
    origin.addAll(changes.map(toChange));
    origins.set(text, origin.end());
  }
  return origins;
}

function* readLongHistory(
  floors: readonly Counted[],
  record: RecordKey,
): Statements<NormalisedTimestamp | undefined> {
  const origin = originFor(floors, record.resourceType);
  for (let last = 0; ;) {
    const { changes, isLast } = yield* readChangesAfter(record, last, new ReadBudget());
    origin.addAll(changes.map(toChange));
    last = changes.at(-1)?.change_no ?? last;
    if (isLast) return origin.end();
  }
}

function originFor(floors: readonly Counted[], resourceType: string): ClosedSince | FiledAt {
  const floor = floors.find((one) => one.resourceType === resourceType);
  return floor?.countedFrom === "report_filed_at"
    ? new FiledAt()
    : new ClosedSince(recordTypeByName(resourceType) ?? {});
}

function toChange({ change_no: changeNo, payload }: ChangeRow) {
  return { changeNo, payload };
}

/** Finds the records whose floor depends on a long history. */
export function* findLongHistories({
  floors,
  records,
}: FloorSearch): Statements<readonly RecordKey[]> {
  const byHistory = floors.filter(({ countedFrom }) => countedFrom !== "last_seen");
  if (byHistory.length === 0) return [];
  return (yield* all<KeyRow>(findLong, keyRows(under(byHistory, records)))).map(toKey);
}

export interface ReadFloors extends FloorSearch {
  readonly floors: readonly RetentionFloor[];
  readonly origins: FloorOrigins;
  /** Floors without a value to count from count from this time. */
  readonly requestedAt: number;
}

/** Finds the floor of these records that ends last; undefined if none of them has a floor. */
export function latestFloor(read: ReadFloors): RecordFloor | undefined {
  let latest: RecordFloor | undefined;
  for (const floor of latestFloors(read).values()) latest = laterFloor(latest, floor);
  return latest;
}

/** For each type of these records the floor that ends last. */
export function latestFloors({
  floors,
  records,
  origins,
  requestedAt,
}: ReadFloors): ReadonlyMap<string, RecordFloor> {
  const byType = new Map(floors.map((floor) => [floor.resourceType, floor]));
  const latest = new Map<string, RecordFloor>();
  for (const record of records) {
    const { resourceType, resourceId } = record;
    const floor = byType.get(resourceType);
    const text = keyText(record);
    if (floor === undefined || !origins.has(text)) continue;
    const until = floorEnd(floor, origins.get(text), requestedAt);
    const known = latest.get(resourceType)?.until ?? 0;
    if (until > known) latest.set(resourceType, { ...floor, resourceId, until });
  }
  return latest;
}
