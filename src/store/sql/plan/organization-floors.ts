// The latest end of the retention floors of everything that belongs to a closed organization. Reads its records in
// bounded steps, in the order of their keys: there may be millions. Nothing is written to a closed organization, so the
// steps need no common transaction; if a rule changes, the search begins again. Erases nothing.

import { isDeepStrictEqual } from "node:util";
import { floorEnd, type RetentionFloor } from "../../../domain/retention/floor.ts";
import { listFloors } from "../retention/floor.ts";
import { latestFloor, readOrigins, type RecordFloor } from "../retention/floor-origin.ts";
import type { NormalisedTimestamp } from "../../../domain/timestamp.ts";
import { keyText } from "../../shared/record-key.ts";
import type { Planning } from "./plan.ts";
import { all, type Statements } from "../statement/statements.ts";

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

const readPage = `
  SELECT resource_id, last_seen FROM record
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id > $3
  ORDER BY resource_id LIMIT $4`;

interface SeenRow {
  readonly resource_id: string;
  readonly last_seen: NormalisedTimestamp;
}

export function isComplete({ floors, done }: FloorScan): boolean {
  return done === floors.length;
}

/** Whether this scan used these rules, so that its result is valid. */
export function isScanOf(scan: FloorScan | undefined, floors: readonly RetentionFloor[]): boolean {
  return scan !== undefined && isComplete(scan) && isDeepStrictEqual(scan.floors, floors);
}

/**
 * Lists the rules for the records of an organization. A restricted set has the rules of the organization that its
 * records come from.
 */
export function* listFloorsOf({
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
  { rowsMax, historiesMax }: ScanBounds,
): Statements<FloorScan> {
  const floors = yield* listFloorsOf(planning);
  const from = continued(scan, floors);
  const floor = floors[from.done];
  if (floor === undefined) return from;
  const { organizationId, requestedAt } = planning;
  const { resourceType } = floor;
  const rows = yield* all<SeenRow>(readPage, organizationId, resourceType, from.after, rowsMax);
  const candidates = rows.filter((row) => mayEndLater(floor, row, { ...from, planning }));
  const isSeen = floor.countedFrom === "last_seen";
  const some = isSeen ? candidates : candidates.slice(0, historiesMax);
  const records = some.map((row) => ({
    organizationId,
    resourceType,
    resourceId: row.resource_id,
  }));
  const search = { floors: [floor], records };
  const origins = isSeen
    ? new Map(records.map((record, index) => [keyText(record), some[index]?.last_seen]))
    : yield* readOrigins(search);
  const found = latestFloor({ ...search, origins, requestedAt });
  const latest =
    found !== undefined && found.until > (from.latest?.until ?? 0) ? found : from.latest;
  const last = some.length < candidates.length ? some.at(-1) : rows.at(-1);
  if (last === undefined || (last === rows.at(-1) && rows.length < rowsMax)) {
    return { floors, done: from.done + 1, after: "", latest };
  }
  return { ...from, after: last.resource_id, latest };
}

function continued(scan: FloorScan | undefined, floors: readonly RetentionFloor[]): FloorScan {
  if (scan !== undefined && isDeepStrictEqual(scan.floors, floors)) return scan;
  return { floors, done: 0, after: "", latest: undefined };
}

/**
 * A record is never closed after it was last seen, but may be filed later; a record without such a time counts from the
 * request.
 */
function mayEndLater(
  floor: RetentionFloor,
  { last_seen }: SeenRow,
  { latest, planning }: Pick<FloorScan, "latest"> & { readonly planning: Planning },
): boolean {
  const until = latest?.until ?? 0;
  const { requestedAt } = planning;
  if (floor.countedFrom === "report_filed_at") return true;
  if (floorEnd(floor, last_seen, requestedAt) > until) return true;
  return floor.countedFrom === "closed" && floorEnd(floor, undefined, requestedAt) > until;
}
