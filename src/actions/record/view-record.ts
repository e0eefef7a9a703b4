// Shows one record to people: that it exists, what keeps it or will erase it, its relations and its history. Shows the
// content only with a permission: the audit trail has the reason before anything can be read, and a permission is used
// once, so reloading the page hides the content again.

import type { Hold } from "../../domain/access.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { isPartyType, partiesOf } from "../../domain/deletion/party.ts";
import type { Payload, RecordType } from "../../domain/record-type.ts";
import type { Change, RecordKey } from "../../domain/record/record-write.ts";
import { ClosedSince, FiledAt } from "../../domain/retention/floor-origin.ts";
import { floorEnd, type RetentionFloor } from "../../domain/retention/floor.ts";
import type { App } from "../app.ts";
import { findDeletion, findType } from "./find-named-record.ts";
import { type FoundRecord, findRecord } from "./find-records.ts";
import { type HistoryQuery, readHistory, readState, type ShownHistory } from "./record-history.ts";
import { readNamings, readRelations, type Relations } from "./relations.ts";
import type { Operator } from "../../domain/operator.ts";
import { textOfRecord } from "../../domain/trail-action.ts";
import { auditAccess } from "../trail/audit-access.ts";
import {
  type ChallengeUse,
  isChallenge,
  makeChallenge,
  useChallenge,
} from "../operator/challenge.ts";
import { hasRight, requireRight } from "../operator/viewer.ts";
import { requireReason } from "../operator/operator-error.ts";

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
  readonly floor: FloorView | undefined;
  readonly deletion: Deletion | undefined;
  readonly relations: Relations;
  readonly history: ShownHistory;
  /** The first transactions that name a revealed person or company. */
  readonly namings: readonly NamingView[];
}

export interface NamingView {
  readonly key: RecordKey;
  /** Empty for a long history. */
  readonly state: Payload;
  /** The ids of the other parties. */
  readonly others: readonly string[];
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
    namings: query.isRevealed && isPartyType(key.resourceType) ? await viewNamings(app, key) : [],
  };
}

const namingsShownMax = 20;

/** One after another, so that the content of only one history is in memory. */
async function viewNamings(app: App, key: RecordKey): Promise<readonly NamingView[]> {
  const { organizationId, resourceId: party } = key;
  const { records } = await readNamings(app, key);
  const views: NamingView[] = [];
  for (const record of records.slice(0, namingsShownMax)) {
    const naming = { organizationId, ...record };
    const state = (await readState(app, naming)) ?? {};
    const parties = partiesOf(findType(record.resourceType), state);
    views.push({ key: naming, state, others: parties.filter((id) => id !== party) });
  }
  return views;
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

/** Long enough for the redirect that follows. */
const lifetimeMs = 60_000;

/**
 * Writes to the audit trail, also how many transactions of a party can be read with it, and returns a secret with which
 * this person reads this record once. Throws OperatorError not_permitted, invalid, no_such_type, no_such_organization
 * and no_such_record.
 */
export async function permitReading(
  app: App,
  key: RecordKey,
  { operator, reason }: { readonly operator: Operator; readonly reason: string },
): Promise<string> {
  requireRight(app, "record.show");
  requireReason(reason);
  await findRecord(app, key);
  const { organizationId, resourceType, resourceId } = key;
  const subject = { organizationId, resourceType, resourceId };
  const detail = { reason, ...(isPartyType(resourceType) && { transactions: namingsShownMax }) };
  await auditAccess(app, "record.show", { organizationId, subject, detail });
  return makeChallenge(app, readingOf(operator, key), lifetimeMs);
}

/** False if the permission was used, has expired, or is for another record or person. */
export async function usePermission(
  app: App,
  key: RecordKey,
  { operator, secret }: { readonly operator: Operator; readonly secret: string },
): Promise<boolean> {
  if (!hasRight(app, "record.show")) return false;
  const reading = readingOf(operator, key);
  if (!(await isChallenge(app, reading, secret))) return false;
  return useChallenge(app, secret, { ...reading, operator });
}

function readingOf({ operatorId }: Operator, key: RecordKey): ChallengeUse {
  return { purpose: "record_reading", boundTo: `${operatorId} ${textOfRecord(key)}` };
}
