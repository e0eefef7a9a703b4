// Plans the deletion of an organization: the plan is one target, everything that belongs to it. Finds what prevents its
// start: a hold, an unfinished deletion of a single record, or a retention floor. The latest end of the floors is found
// in bounded steps, in the order of the keys: there may be millions of records. Nothing is written to a closed
// organization, so the steps need no common transaction; if a rule changes, the search begins again. Nothing is erased
// while any obstacle remains.

import { byRecord } from "../statement/index-conditions.ts";
import type { PlanSubject } from "../../../domain/deletion/deletion.ts";
import { type ErasurePlan, nodeKey } from "../../../domain/deletion/erasure.ts";
import { organizationType } from "../../../domain/deletion/organization-deletion.ts";
import { limits } from "../../../domain/limits.ts";
import { floorEnd, laterFloor, type RetentionFloor } from "../../../domain/retention/floor.ts";
import {
  laterObstacle,
  type Obstacle,
  obstacleOfFloor,
  type Planning,
  planningOf,
  obstacleOfHold,
  isObstacle,
} from "./plan.ts";
import { findSetObstacle } from "./restricted-set.ts";
import { all, pause, type Statements, find, scalar, column } from "../statement/statements.ts";
import { isDeepStrictEqual } from "node:util";
import { listFloors } from "../retention/floor.ts";
import {
  latestFloor,
  readOrigins,
  type RecordFloor,
  type SeenRow,
} from "../retention/floor-origin.ts";
import { type KeyInOrganization, keyText } from "../../../domain/record/record-write.ts";
import { reader } from "../../row/reader.ts";
import { postpone, storeCursor } from "./claim.ts";
import type { Processing } from "./erasure.ts";
import type { KeptQuery } from "../../interface/retention.ts";
import { readConfidentialTypes } from "../access/organization.ts";

const findAnyHold = `
  SELECT resource_type, resource_id FROM hold WHERE organization_id = $1
  ORDER BY placed_at, hold_id LIMIT 1`;

const findProcessing = `
  SELECT deletion_request_id FROM deletion
  --sqlite INDEXED BY deletion_open
  WHERE organization_id = $1 AND status IN ('pending', 'processing') AND status = 'processing'
    AND resource_type <> $2 ${byRecord}
  LIMIT 1`;

const toKeyInOrganization = reader<KeyInOrganization>({});

/** Shown to operators as the reason while the scan runs. */
export const readingFloors = "the retention floors of all records, which are being read";

/** Returns the plan or its obstacle; `floors` if the floors of the records have to be read first. */
export function* planOrganization(
  planning: Planning,
  scan: FloorScan | undefined,
): Statements<ErasurePlan | Obstacle | "floors"> {
  const { organizationId } = planning;
  const obstacle = yield* findObstacleOfAll(planning, scan);
  return obstacle ?? { erase: [nodeKey(organizationType, organizationId)], redact: [] };
}

function* findObstacleOfAll(
  planning: Planning,
  scan: FloorScan | undefined,
): Statements<Obstacle | "floors" | undefined> {
  const { organizationId, now, isReplay } = planning;
  const obstacle = (yield* findHold(organizationId)) ?? (yield* findUnfinished(organizationId));
  if (obstacle !== undefined) return obstacle;
  const ofSet = yield* findSetObstacle(planning);
  if (isReplay || (ofSet !== undefined && ofSet.floorUntil === undefined)) return ofSet;
  const floors = yield* listFloorsOf(planning);
  if (floors.length === 0) return ofSet;
  if (!isScanOf(scan, floors)) return "floors";
  return laterObstacle(ofSet, obstacleOfFloor(scan?.latest, now));
}

const stepsMax = 20;

/**
 * Finds that of an organization or a restricted set. Stores nothing. `unknown`: there are more records than one call
 * reads.
 */
export function* findObstacleNow(
  deletion: PlanSubject,
  now: number,
): Statements<Obstacle | "unknown" | undefined> {
  const planning = planningOf(deletion, now, new Set());
  let scan: FloorScan | undefined;
  for (let step = 0; step <= stepsMax; step += 1) {
    const obstacle = yield* findObstacleOfAll(planning, scan);
    if (obstacle !== "floors") return obstacle;
    scan = yield* scanFloors(planning, scan, scanBounds);
    yield* pause();
  }
  return "unknown";
}

function* findHold(organizationId: string): Statements<Obstacle | undefined> {
  const hold = yield* find(toKeyInOrganization, findAnyHold, organizationId);
  return hold && obstacleOfHold(hold);
}

function* findUnfinished(organizationId: string): Statements<Obstacle | undefined> {
  const id = yield* scalar<string>(findProcessing, organizationId, organizationType);
  if (id === undefined) return undefined;
  return { waitingFor: `the deletion ${id}, which is processing`, held: false };
}

/** The position up to which the records were read, and the rules that were used. */
export interface FloorScan {
  readonly floors: readonly RetentionFloor[];
  /** For how many floors all records were read. */
  readonly done: number;
  /** The id of the last record that was read for the next floor. */
  readonly after: string;
  /** The floor that ends last, among the records read so far. */
  readonly latest: RecordFloor | undefined;
}

export interface ScanBounds {
  readonly rowsMax: number;
  /** For how many records one step may read the history. */
  readonly historiesMax: number;
}

export const scanBounds: ScanBounds = {
  rowsMax: limits.floorScanRowsMax,
  historiesMax: limits.floorScanHistoriesMax,
};

const readPage = `
  SELECT resource_id, last_seen FROM record
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id > $3
  ORDER BY resource_id LIMIT $4`;

export function isComplete({ floors, done }: FloorScan): boolean {
  return done === floors.length;
}

function isScanOf(scan: FloorScan | undefined, floors: readonly RetentionFloor[]): boolean {
  return scan !== undefined && isComplete(scan) && isDeepStrictEqual(scan.floors, floors);
}

/** The rules for a restricted set are those of the organization that its records come from. */
function* listFloorsOf({
  organizationId,
  restrictedOf,
}: Planning): Statements<readonly RetentionFloor[]> {
  const rules = yield* listFloors(restrictedOf ?? organizationId);
  return rules.map((rule) => ({ ...rule, organizationId }));
}

/** Takes the next step of a scan, or the first one if there is none. */
export function* scanFloors(
  planning: Planning,
  scan: FloorScan | undefined,
  bounds: ScanBounds,
): Statements<FloorScan> {
  const floors = yield* listFloorsOf(planning);
  const from = continued(scan, floors);
  const floor = floors[from.done];
  if (floor === undefined) return from;
  const { latest, last } = yield* scanRecords(floor, { ...from, planning }, bounds);
  if (last === undefined) return { floors, done: from.done + 1, after: "", latest };
  return { ...from, after: last, latest };
}

interface Scanning extends Pick<FloorScan, "after" | "latest"> {
  readonly planning: Pick<Planning, "organizationId" | "requestedAt">;
}

/** Reads the next records under a floor. `last`: the last one that was read; undefined if none follows. */
function* scanRecords(
  floor: RetentionFloor,
  scanning: Scanning,
  { rowsMax, historiesMax }: ScanBounds,
): Statements<Pick<FloorScan, "latest"> & { readonly last: string | undefined }> {
  const { after, planning } = scanning;
  const { organizationId, requestedAt } = planning;
  const { resourceType } = floor;
  const rows = yield* all<SeenRow>(readPage, organizationId, resourceType, after, rowsMax);
  const candidates = rows.filter((row) => mayEndLater(floor, row, scanning));
  const isSeen = floor.countedFrom === "last_seen";
  const some = isSeen ? candidates : candidates.slice(0, historiesMax);
  const records = some.map(({ resource_id: resourceId }) => {
    return { organizationId, resourceType, resourceId };
  });
  const search = { floors: [floor], records };
  const origins = isSeen
    ? new Map(records.map((record, index) => [keyText(record), some[index]?.last_seen]))
    : yield* readOrigins(search);
  const latestOfPage = latestFloor({ ...search, origins, requestedAt });
  const latest = laterFloor(scanning.latest, latestOfPage);
  const last = some.length < candidates.length ? some.at(-1) : rows.at(-1);
  const isEnd = last === rows.at(-1) && rows.length < rowsMax;
  return { latest, last: isEnd ? undefined : last?.resource_id };
}

function continued(scan: FloorScan | undefined, floors: readonly RetentionFloor[]): FloorScan {
  if (scan !== undefined && isDeepStrictEqual(scan.floors, floors)) return scan;
  return { floors, done: 0, after: "", latest: undefined };
}

/** A record may be filed after it was last seen, but never closed; without such a time it counts from the request. */
function mayEndLater(
  floor: RetentionFloor,
  { last_seen }: SeenRow,
  { latest, planning }: Scanning,
): boolean {
  const until = latest?.until ?? 0;
  const { requestedAt } = planning;
  if (floor.countedFrom === "report_filed_at") return true;
  if (floorEnd(floor, last_seen, requestedAt) > until) return true;
  return floor.countedFrom === "closed" && floorEnd(floor, undefined, requestedAt) > until;
}

/** Plans the deletion of an organization. Undefined if there is an obstacle, or if floors have yet to be read. */
export function* planAll(
  { deletion, cursor }: Pick<Processing, "deletion" | "cursor">,
  now: number,
  bounds: ScanBounds,
): Statements<ErasurePlan | undefined> {
  // Everybody who may know of this deletion may know of everything that it waits for.
  const planning = planningOf(deletion, now, new Set());
  const scan = cursor === null ? undefined : (JSON.parse(cursor) as FloorScan);
  const plan = yield* planOrganization(planning, scan);
  if (plan === "floors") {
    const next = yield* scanFloors(planning, scan, bounds);
    yield* storeCursor(deletion, JSON.stringify(next));
    // The deletion becomes due now, after those that were due before.
    yield* postpone(deletion, { waitingFor: readingFloors, held: false, retryAt: now }, now);
    return undefined;
  }
  if (!isObstacle(plan)) return plan;
  yield* storeCursor(deletion, null);
  yield* postpone(deletion, plan, now);
  return undefined;
}

const findHeldTypes = `
  SELECT DISTINCT resource_type FROM hold WHERE organization_id = $1 AND placed_at < $2`;

/** A later hold says nothing: it could be placed only because something had kept the records until then. */
export function* keepsOrganization(query: KeptQuery): Statements<boolean> {
  const { organizationId, closedAt, until } = query;
  const confidential = yield* readConfidentialTypes(organizationId);
  const heldTypes = new Set(yield* column<string>(findHeldTypes, organizationId, closedAt));
  if (heldTypes.difference(confidential).size > 0) return true;
  // The deletion was requested after the closing, so a floor that counts from the request ends later still.
  const planning = { organizationId, requestedAt: closedAt };
  for (const floor of yield* listFloors(organizationId)) {
    if (confidential.has(floor.resourceType)) continue;
    const scanning = { planning, after: "", latest: undefined };
    const { latest } = yield* scanRecords(floor, scanning, scanBounds);
    if ((latest?.until ?? 0) > until) return true;
  }
  return false;
}
