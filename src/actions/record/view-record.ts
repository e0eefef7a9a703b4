// Shows one record to people: that it exists, what keeps it or will erase it, its relations and its history. Shows the
// content only with a permission (reveal-record.ts).

import type { Hold } from "../../domain/access.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import type { RecordType } from "../../domain/record-type.ts";
import type { Change, RecordKey } from "../../domain/record/record-write.ts";
import { ClosedSince } from "../../domain/retention/closed-since.ts";
import { FiledAt } from "../../domain/retention/filed-at.ts";
import { floorEnd, type RetentionFloor } from "../../domain/retention/floor.ts";
import type { App } from "../app.ts";
import { findDeletion, findType } from "./find-named-record.ts";
import { type FoundRecord, findRecord } from "./find-records.ts";
import { type HistoryQuery, readHistory, type ShownHistory } from "./record-history.ts";
import { readRelations, type Relations } from "./relations.ts";

/** The floor of the type of a record. */
export interface FloorView {
  readonly floor: RetentionFloor;
  /** Unix milliseconds; undefined if determining it would need a long history. */
  readonly until: number | undefined;
  /** The period has not begun: it begins with a deletion request. */
  readonly isOpen: boolean;
}

export interface RecordView {
  readonly record: FoundRecord;
  readonly holds: readonly Hold[];
  /** Undefined if there is no floor for its type. */
  readonly floor: FloorView | undefined;
  /** The open deletion of the record. */
  readonly deletion: Deletion | undefined;
  readonly relations: Relations;
  readonly history: ShownHistory;
}

/** Records of each type that refer to it, and records that it refers to. */
const relationBounds = { referrersMax: 10, referencesMax: 20 };

/** Throws OperatorError not_permitted, invalid, no_such_type, no_such_organization and no_such_record. */
export async function viewRecord(
  app: App,
  key: RecordKey,
  query: HistoryQuery,
): Promise<RecordView> {
  const record = await findRecord(app, key);
  const { all, ...history } = await readHistory(app, key, query);
  const [holds, floors, open, relations] = await Promise.all([
    app.store.holds.ofRecords([key]),
    app.store.retention.listFloors(key.organizationId),
    app.store.overview.findOpenDeletion(key),
    readRelations(app, key, relationBounds),
  ]);
  const floor = floors.find(({ resourceType }) => resourceType === key.resourceType);
  return {
    record,
    holds,
    floor: floor && describeFloor(app, { floor, record, changes: all }),
    deletion: open === undefined ? undefined : await findDeletion(app, open),
    relations,
    history,
  };
}

interface FlooredRecord {
  readonly floor: RetentionFloor;
  readonly record: FoundRecord;
  readonly changes: readonly Change[] | undefined;
}

function describeFloor(app: App, { floor, record, changes }: FlooredRecord): FloorView {
  if (floor.countedFrom === "last_seen") {
    return { floor, until: floorEnd(floor, record.lastSeen, app.now()), isOpen: false };
  }
  if (changes === undefined) return { floor, until: undefined, isOpen: false };
  const origin = originOf(floor, findType(record.resourceType));
  origin.addAll(changes);
  const from = origin.end();
  const isOpen = from === undefined;
  return { floor, until: isOpen ? undefined : floorEnd(floor, from, app.now()), isOpen };
}

function originOf({ countedFrom }: RetentionFloor, type: RecordType): FiledAt | ClosedSince {
  return countedFrom === "report_filed_at" ? new FiledAt() : new ClosedSince(type);
}
