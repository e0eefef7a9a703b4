// Evaluates what pending deletions of persons and companies wait for because of records that name these, such as
// transactions: a hold on one of them, or a floor that keeps it unredacted. The index of parties finds them. The same
// is read whether or not there is a hold: on PostgreSQL the time would disclose it. Changes nothing.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { nodeKeyOf } from "../../../domain/deletion/erasure.ts";
import { isPartyType, namingTypes, namesParties } from "../../../domain/deletion/party.ts";
import type { KeyInOrganization } from "../../../domain/record/record-write.ts";
import {
  describePartyFloor,
  mergeFloors,
  type RetentionFloor,
  strictFloors,
} from "../../../domain/retention/floor.ts";
import type { FoundNamings, Naming, NamingsQuery, PartyFloor } from "../../interface/deletion.ts";
import { findNamings } from "../party/find-namings.ts";
import { findHoldsOf } from "../retention/hold.ts";
import { get, pause, type Statements } from "../statement/statements.ts";
import { laterObstacle, type Obstacle, obstacleOfHold } from "./plan.ts";
import { inNamedIds } from "../statement/named.ts";
import { latestFloor, readOrigins } from "../retention/floor-origin.ts";
import { listFloors } from "../retention/floor.ts";

/** How many parties one transaction evaluates. */
export const partiesAtOnce = 64;

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
  readonly held: ReadonlyMap<string, KeyInOrganization>;
  readonly floors: ReadonlyMap<string, PartyFloor>;
}

export function* readProtected(
  { organizationId, floors }: PartyFloorQuery,
  namings: readonly Naming[],
): Statements<Protected> {
  const holds = yield* findHoldsOf(namings.map((one) => ({ ...one, organizationId })));
  const keys = new Set(holds.map(nodeKeyOf));
  const held = namings.filter((one) => keys.has(nodeKeyOf(one)));
  return {
    held: new Map(held.flatMap((one) => one.parties.map((party) => [party, one] as const))),
    floors: yield* latestByParty({ organizationId, floors }, namings),
  };
}

/** How much is read: pages with so many records that name each party. */
export interface PartyBounds {
  readonly recordsMax: number;
  readonly pagesMax: number;
  /** Changes with a higher number count. */
  readonly after?: number;
}

/** For a plan that shares a transaction with others. */
const fewPages: PartyBounds = { recordsMax: 100, pagesMax: 1 };

/** However many records name a party, also beyond the index. */
export const allPages: PartyBounds = { recordsMax: 500, pagesMax: Number.POSITIVE_INFINITY };

/** `large`: more records name it than were read. `later`: not now. */
type Unknown = "large" | "later";

/** What the deletions of parties among those of one organization that are planned together wait for. */
export interface PartyObstacles {
  /** Whether the index has to advance first. */
  readonly isBehind: boolean;
  /** What a deletion waits for; `other`: a further obstacle. */
  readonly obstacleOf: (
    deletion: Subject,
    other: Obstacle | undefined,
  ) => Obstacle | Unknown | undefined;
}

/** Undefined if nothing has to be evaluated. */
export function* readPartyObstacles(
  deletions: readonly Subject[],
  now: number,
  bounds = fewPages,
): Statements<PartyObstacles | undefined> {
  const some = deletions.filter(({ resourceType }) => isPartyType(resourceType));
  const [first] = some;
  if (first === undefined) return undefined;
  const ids = [...new Set(some.map(({ resourceId }) => resourceId))];
  const parties = ids.slice(0, partiesAtOnce);
  const read = yield* readPages({ organizationId: first.organizationId, parties }, bounds);
  const { held, floors, ends, isBehind } = read;
  const unknown = new Map<string, Unknown>();
  for (const id of ids.slice(partiesAtOnce)) unknown.set(id, "later");
  for (const id of ends.keys()) unknown.set(id, isBehind ? "later" : "large");
  const obstacleOf: PartyObstacles["obstacleOf"] = (deletion, other) => {
    const { resourceType, resourceId: id, processedBefore } = deletion;
    if (!isPartyType(resourceType)) return other;
    if (other !== undefined && other.floorUntil === undefined) return other;
    const place = held.get(id);
    const floor = processedBefore === undefined ? floors.get(id) : undefined;
    const own = place ? obstacleOfHold(place) : laterObstacle(other, obstacleOfParty(floor, now));
    return unknown.get(id) ?? own;
  };
  return { isBehind, obstacleOf };
}

function* readPages(
  named: { readonly organizationId: string; readonly parties: readonly string[] },
  { recordsMax, pagesMax, after = 0 }: PartyBounds,
): Statements<Protected & Omit<FoundNamings, "namings">> {
  const { organizationId } = named;
  const protection = { organizationId, floors: yield* listPartyFloors(organizationId) };
  let read: Protected = { held: new Map(), floors: new Map() };
  let query: NamingsQuery = { ...named, recordsMax, after };
  for (let page = 1; ; page += 1) {
    const { namings, ends, isBehind } = yield* findNamings(query);
    const isBounded = isBehind && pagesMax !== Number.POSITIVE_INFINITY;
    const { held, floors } = yield* readProtected(protection, isBounded ? [] : namings);
    read = { held: new Map([...held, ...read.held]), floors: mergeFloors(read.floors, floors) };
    if (ends.size === 0 || isBounded || page === pagesMax) return { ...read, ends, isBehind };
    query = { ...query, parties: [...ends.keys()], after: Math.min(...ends.values()) };
    yield* pause();
  }
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
