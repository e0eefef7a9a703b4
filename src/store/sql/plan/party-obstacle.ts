// Evaluates what a pending deletion of a person or a company waits for because of records that name it, such as
// transactions: a hold on one of them, or a floor that keeps it unredacted. The index of parties finds them. The same
// is read whether or not there is a hold: on PostgreSQL the time would disclose it. Changes nothing.
//
// the party is named by             its obstacle is evaluated
// few records                       in the transaction that plans several deletions
// many                              with its large plan (findPartyObstacle)
// more than is known beyond the     later: the index has to advance first
// index

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { isPartyType, namingTypes, namesParties } from "../../../domain/deletion/party.ts";
import {
  describePartyFloor,
  mergeFloors,
  type RetentionFloor,
  strictFloors,
} from "../../../domain/retention/floor.ts";
import type { FoundNamings, Naming, PartyFloor, Place } from "../../interface/deletion.ts";
import { findNamings } from "../party/find-namings.ts";
import { findHoldsOf } from "../retention/hold.ts";
import { get, rest, type Statements } from "../statement/statements.ts";
import { laterObstacle, type Obstacle, obstacleOfHold } from "./plan.ts";
import { inNamedIds } from "../statement/named.ts";
import { latestFloor, readOrigins } from "../retention/floor-origin.ts";
import { listFloors } from "../retention/floor.ts";

/** How many parties one transaction evaluates, and how many records that name each. */
export const partiesAtOnce = 64;
const recordsOfPartyMax = 100;
/** How many records one page has of a party that many records name. */
const recordsAtOnce = 500;

const findAnyHold = `
  SELECT 1 FROM hold WHERE organization_id = $1 AND ${inNamedIds("resource_type", 2)} LIMIT 1`;

/** Whether any record of a type that names parties is under a hold. */
export function* isAnyNamingHeld(organizationId: string): Statements<boolean> {
  const types = namingTypes.map(({ resourceType }) => resourceType);
  return (yield* get(findAnyHold, organizationId, types)) !== undefined;
}

type Subject = Pick<Deletion, "organizationId" | "resourceType" | "resourceId" | "processedBefore">;

interface Protected {
  /** For each party: a record under a hold that names it. */
  readonly held: ReadonlyMap<string, Place>;
  readonly floors: ReadonlyMap<string, PartyFloor>;
}

export function* readProtected(
  { organizationId, floors }: PartyFloorQuery,
  namings: readonly Naming[],
): Statements<Protected> {
  const holds = yield* findHoldsOf(namings.map((one) => ({ ...one, organizationId })));
  const keys = new Set(holds.map(textOf));
  const held = namings.filter((one) => keys.has(textOf(one)));
  return {
    held: new Map(held.flatMap((one) => one.parties.map((party) => [party, one] as const))),
    floors: yield* latestByParty({ organizationId, floors }, namings),
  };
}

function textOf({ resourceType, resourceId }: Place): string {
  return `${resourceType} ${resourceId}`;
}

/** `large`: evaluated with the large plan. `later`: not now. */
type Elsewhere = "large" | "later";

/** What the deletions of parties among those of one organization that are planned together wait for. */
export interface PartyObstacles {
  /** Whether the index has to advance first. */
  readonly isBehind: boolean;
  /** What a deletion waits for; `other`: a further obstacle. */
  readonly obstacleOf: (
    deletion: Subject,
    other: Obstacle | undefined,
  ) => Obstacle | Elsewhere | undefined;
}

/** Undefined if nothing has to be evaluated. */
export function* readPartyObstacles(
  deletions: readonly Subject[],
  now: number,
): Statements<PartyObstacles | undefined> {
  const some = deletions.filter(({ resourceType }) => isPartyType(resourceType));
  const [first] = some;
  if (first === undefined) return undefined;
  const { organizationId } = first;
  const protection = { organizationId, floors: yield* listPartyFloors(organizationId) };
  const ids = [...new Set(some.map(({ resourceId }) => resourceId))];
  const parties = ids.slice(0, partiesAtOnce);
  const query = { organizationId, parties, recordsMax: recordsOfPartyMax };
  const { namings, ends, isBehind } = yield* findNamings(query);
  const elsewhere = new Map<string, Elsewhere>();
  for (const id of ids.slice(partiesAtOnce)) elsewhere.set(id, "later");
  for (const id of ends.keys()) elsewhere.set(id, isBehind ? "later" : "large");
  const { held, floors } = yield* readProtected(protection, isBehind ? [] : namings);
  const obstacleOf: PartyObstacles["obstacleOf"] = (deletion, other) => {
    const { resourceType, resourceId: id, processedBefore } = deletion;
    if (!isPartyType(resourceType)) return other;
    if (other !== undefined && other.floorUntil === undefined) return other;
    const place = held.get(id);
    const floor = processedBefore === undefined ? floors.get(id) : undefined;
    const own = place ? obstacleOfHold(place) : laterObstacle(other, obstacleOfParty(floor, now));
    return elsewhere.get(id) ?? own;
  };
  return { isBehind, obstacleOf };
}

export interface PartySearch {
  readonly now: number;
  /** Changes with a higher number count. */
  readonly after?: number;
  /** How many pages are read. */
  readonly pagesMax?: number;
}

/** However many records name it. `behind`: the index has to advance first; `more`: there are more pages. */
export function* findPartyObstacle(
  { organizationId, resourceType, resourceId, processedBefore }: Subject,
  { now, after = 0, pagesMax = Number.POSITIVE_INFINITY }: PartySearch,
): Statements<Obstacle | "behind" | "more" | undefined> {
  if (!isPartyType(resourceType)) return undefined;
  const protection = { organizationId, floors: yield* listPartyFloors(organizationId) };
  const query = { organizationId, parties: [resourceId], recordsMax: recordsAtOnce };
  let latest: ReadonlyMap<string, PartyFloor> = new Map();
  let place: Place | undefined;
  let from: number | undefined = after;
  for (let page = 0; from !== undefined; page += 1) {
    if (page === pagesMax) return "more";
    const found: FoundNamings = yield* findNamings({ ...query, after: from });
    if (found.isBehind && Number.isFinite(pagesMax)) return "behind";
    const { held, floors } = yield* readProtected(protection, found.namings);
    place ??= held.get(resourceId);
    latest = mergeFloors(latest, floors);
    from = found.ends.get(resourceId);
    yield* rest();
  }
  if (place !== undefined) return obstacleOfHold(place);
  return processedBefore === undefined ? obstacleOfParty(latest.get(resourceId), now) : undefined;
}

export function obstacleOfParty(floor: PartyFloor | undefined, now: number): Obstacle | undefined {
  if (floor === undefined || floor.until <= now) return undefined;
  return { waitingFor: describePartyFloor(floor), held: false, floorUntil: floor.until };
}

/** The rules of an organization for records that may not lose the id of a party. */
export function* listPartyFloors(organizationId: string): Statements<readonly RetentionFloor[]> {
  const floors = strictFloors(yield* listFloors(organizationId));
  return floors.filter(({ resourceType }) => namesParties(resourceType));
}

interface PartyFloorQuery {
  readonly organizationId: string;
  /** The floor rules that apply. */
  readonly floors: readonly RetentionFloor[];
}

/** The floors of these records, by party. */
export function* latestByParty(
  { organizationId, floors }: PartyFloorQuery,
  namings: readonly Naming[],
): Statements<ReadonlyMap<string, PartyFloor>> {
  const latest = new Map<string, PartyFloor>();
  if (floors.length === 0 || namings.length === 0) return latest;
  const keys = namings.map((naming) => ({ ...naming, organizationId }));
  const origins = yield* readOrigins({ floors, records: keys });
  for (const key of keys) {
    // Every record has a time to count from.
    const floor = latestFloor({ floors, records: [key], origins, requestedAt: 0 });
    if (floor === undefined) continue;
    const { resourceType, keepDays, countedFrom, until } = floor;
    for (const party of key.parties) {
      if (until <= (latest.get(party)?.until ?? 0)) continue;
      latest.set(party, { resourceType, keepDays, countedFrom, until });
    }
  }
  return latest;
}
