// Finds until when retention floors keep the records that a deletion would erase or change, for its preview. Reads
// records as they are now, and changes nothing.

import type { RecordKey } from "../../domain/record/record-write.ts";
import { recordTypeByName } from "../../domain/record-types.ts";
import { ClosedSince } from "../../domain/retention/closed-since.ts";
import { FiledAt } from "../../domain/retention/filed-at.ts";
import { floorEnd, type RetentionFloor } from "../../domain/retention/floor.ts";
import type { NormalisedTimestamp } from "../../domain/timestamp.ts";
import { limits } from "../../domain/limits.ts";
import type { App } from "../app.ts";
import { historyPages } from "../pages.ts";

/** A floor that keeps a record. */
export interface AffectedFloor extends RetentionFloor {
  /** When it ends for the last of the records; undefined if they were not all read. */
  readonly until: number | undefined;
}

export interface AffectedRecords {
  readonly erased: readonly RecordKey[];
  /** Those that stay, without a reference or with a pseudonym. */
  readonly changed: readonly RecordKey[];
  /** False if there may be more records. */
  readonly isComplete: boolean;
  /** Where a record has no time to count from, its floor counts from here. */
  readonly requestedAt: number;
}

/** How many records are read at the same time. */
const readAtOnce = 16;

/** Leaves out floors that have ended for all of their records. */
export async function findAffectedFloors(
  app: App,
  floors: readonly RetentionFloor[],
  { erased, changed, isComplete, requestedAt }: AffectedRecords,
): Promise<readonly AffectedFloor[]> {
  const found: AffectedFloor[] = [];
  for (const floor of floors) {
    const records = (floor.redactable ? erased : [...erased, ...changed]).filter(
      ({ resourceType }) => resourceType === floor.resourceType,
    );
    const ends = await findEnds(app, floor, { records, requestedAt });
    const isRead = isComplete && ends.length === records.length;
    const until = isRead ? Math.max(0, ...ends) : undefined;
    if (until === undefined || until > app.now()) found.push({ ...floor, until });
  }
  return found;
}

/** The ends for the records, or for the first ones if the histories of very many would have to be read. */
async function findEnds(
  app: App,
  floor: RetentionFloor,
  {
    records,
    requestedAt,
  }: Pick<AffectedRecords, "requestedAt"> & { readonly records: readonly RecordKey[] },
): Promise<readonly number[]> {
  const isSeen = floor.countedFrom === "last_seen";
  const some = isSeen ? records : records.slice(0, limits.floorScanHistoriesMax);
  const ends: number[] = [];
  for (let at = 0; at < some.length; at += readAtOnce) {
    const part = some.slice(at, at + readAtOnce);
    const origins = await Promise.all(
      part.map(async (key) =>
        isSeen ? (await app.store.findRecord(key))?.lastSeen : await readOrigin(app, floor, key),
      ),
    );
    ends.push(...origins.map((from) => floorEnd(floor, from, requestedAt)));
  }
  return ends;
}

async function readOrigin(
  app: App,
  { countedFrom }: RetentionFloor,
  key: RecordKey,
): Promise<NormalisedTimestamp | undefined> {
  const type = recordTypeByName(key.resourceType) ?? {};
  const origin = countedFrom === "closed" ? new ClosedSince(type) : new FiledAt();
  for await (const changes of historyPages(app, key)) origin.addAll(changes);
  return origin.end();
}
