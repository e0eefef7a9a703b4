// The retention floors of records that name a person or a company, such as transactions: for each party the floor that
// ends last. Names none of these records, so that what is stored about a party contains no id of another record.
// Changes nothing.

import { namesParties } from "../../../domain/deletion/party.ts";
import { type RetentionFloor, strictFloors } from "../../../domain/retention/floor.ts";
import type { Naming, PartyFloor } from "../../interface/naming.ts";
import type { Statements } from "../statement/statements.ts";
import { latestFloor, readOrigins } from "./floor-origin.ts";
import { listFloors } from "./floor.ts";

/** The rules of an organization for records that may not lose the id of a party. */
export function* listPartyFloors(organizationId: string): Statements<readonly RetentionFloor[]> {
  const floors = strictFloors(yield* listFloors(organizationId));
  return floors.filter(({ resourceType }) => namesParties(resourceType));
}

export interface PartyFloorQuery {
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
