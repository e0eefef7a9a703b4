// Plans a deletion as the worker would, without writing or locking anything, for previews. Reads a bounded number of
// relations and, of what names a person or a company, a bounded part at a time.

import { dateOf } from "../../../basics/duration.ts";
import { addPart, type DryRun } from "../../../domain/deletion/dry-run.ts";
import { type ErasurePlan, parseNodeKey, nodeKeyOf } from "../../../domain/deletion/erasure.ts";
import { isPartyType, namingTypes } from "../../../domain/deletion/party.ts";
import type { ResourceType } from "../../../domain/record-type.ts";
import { recordTypes } from "../../../domain/record-types.ts";
import { keyText, type RecordKey } from "../../../domain/record/record-write.ts";
import { type RetentionFloor, strictFloors } from "../../../domain/retention/floor.ts";
import type { DryRunPart, DryRunQuery, NamingPage, NamingQuery } from "../../interface/deletion.ts";
import { readConfidentialTypes } from "../access/organization.ts";
import { latestFloor } from "../retention/floor-origin.ts";
import { findHeldKeys } from "../retention/hold.ts";
import { latestByParty } from "./party-obstacle.ts";
import { readNamings } from "../party/find-namings.ts";
import type { Statements } from "../statement/statements.ts";
import { Obligations, type Planning, planningOf, toKey } from "./plan.ts";
import { evaluate, listFloorsThatKeep, readGraph } from "./record-plans.ts";
import { findSupportedReports } from "./supported-reports.ts";

const nothing: DryRun = {
  erased: [],
  redacted: [],
  restriction: { moved: [], reports: [], until: undefined, isHeld: false },
  named: [],
  holds: [],
  floors: [],
  isCut: false,
};

/** Plans the deletion of a record. Parts after the first one only add what names the person or the company. */
export function* dryRun(query: DryRunQuery): Statements<DryRunPart> {
  const { deletion, after } = query;
  const { organizationId, resourceType: own } = deletion;
  const confidential = yield* readConfidentialTypes(organizationId);
  const known = recordTypes
    .map(({ resourceType }) => resourceType)
    .filter((type) => type === own || !confidential.has(type));
  const floors = yield* listFloorsThatKeep(organizationId);
  const knowing = { ...query, types: query.types ?? known, confidential, floors };
  const named = isPartyType(own) ? yield* readNamed(knowing) : { ...nothing, next: undefined };
  if (after !== undefined) return named;
  return { ...addPart(yield* planRecord(knowing), named), next: named.next };
}

interface KnowingQuery extends DryRunQuery {
  readonly types: readonly ResourceType[];
  readonly confidential: ReadonlySet<ResourceType>;
  readonly floors: readonly RetentionFloor[];
}

function* planRecord(query: KnowingQuery): Statements<DryRun> {
  const { deletion, now, types, relationsMax, confidential } = query;
  const { organizationId } = deletion;
  const obligations = new Obligations(query.floors);
  const planning = planningOf(deletion, now, confidential);
  const root = nodeKeyOf(deletion);
  const graph = yield* readGraph([{ deletion, root }], relationsMax, {
    organizationId,
    confidential,
    obligations,
    types,
    planned: [root],
    bounds: { shortHistories: true },
    heldOn: dateOf(now),
  });
  const evaluated = yield* evaluate({ planning, root }, new Set(), { graph, obligations });
  const { plan, holds, floors, isCut, isLong } = evaluated;
  const moved = plan.restriction?.records ?? new Set();
  return {
    ...nothing,
    erased: plan.erase
      .filter((node) => !moved.has(node))
      .map(parseNodeKey)
      .toReversed(),
    redacted: [...new Set(plan.redact.map(({ record }) => record))]
      .filter((node) => plan.restriction?.reports.has(node) !== true)
      .map(parseNodeKey),
    restriction: describeRestriction(plan, planning, obligations),
    holds,
    floors,
    isCut: isCut || isLong,
  };
}

/** A restricted set is erased as a whole, so everything in it is kept until the last floor of any of its records. */
function describeRestriction(
  { restriction }: ErasurePlan,
  { organizationId, requestedAt, now }: Planning,
  { floors, origins, holds }: Obligations,
): DryRun["restriction"] {
  if (restriction === undefined) return nothing.restriction;
  const { records, reports } = restriction;
  const keys = [...records, ...reports].map((node) => toKey(organizationId, node));
  const latest = latestFloor({ floors, records: keys, origins, requestedAt });
  return {
    moved: [...records].map(parseNodeKey),
    reports: [...reports].map(parseNodeKey),
    until: latest !== undefined && latest.until > now ? latest.until : undefined,
    isHeld: keys.some((key) => holds.has(keyText(key))),
  };
}

/** The records that name the person or the company: they get a pseudonym, and their holds and floors prevent it. */
function* readNamed(query: KnowingQuery): Statements<DryRunPart> {
  const { deletion, now, types, recordsMax, after, confidential } = query;
  const { organizationId, resourceId: party, processedBefore } = deletion;
  const isKnown = namingTypes.every(({ resourceType }) => types.includes(resourceType));
  if (!isKnown) return { ...nothing, next: undefined };
  const rules = processedBefore === undefined ? query.floors : [];
  const page = yield* readPartyPage({ organizationId, party, after, recordsMax }, rules, now);
  const { records, holds, floors, last: next } = page;
  const restriction = yield* readKeeping(records, query, confidential.intersection(new Set(types)));
  const named = records.map(({ resourceId: id }) => id);
  return { ...nothing, named, restriction, holds, floors, next };
}

/** The reports that these records support, which keep for whom the pseudonym stands. `reportTypes`: confidential. */
function* readKeeping(
  records: readonly RecordKey[],
  { deletion, now }: KnowingQuery,
  reportTypes: ReadonlySet<ResourceType>,
): Statements<DryRun["restriction"]> {
  if (reportTypes.size === 0) return nothing.restriction;
  const concerned = records.map((key) => [nodeKeyOf(key), { deletion }] as const);
  const search = { organizationId: deletion.organizationId, confidential: reportTypes, now };
  const reports = yield* findSupportedReports(concerned, search);
  const ends = reports.flatMap(({ obstacle }) => obstacle.floorUntil ?? []);
  return {
    moved: [],
    reports: reports.map(({ resourceType: type, resourceId: id }) => ({ type, id })),
    until: ends.length === 0 ? undefined : Math.max(...ends),
    isHeld: reports.some(({ obstacle }) => obstacle.held),
  };
}

interface PartyPage extends Pick<NamingPage, "last">, Pick<DryRun, "holds" | "floors"> {
  readonly records: readonly RecordKey[];
}

/** Reads the next records that name a party, and which holds and floors on them have not ended by then. */
export function* readPartyPage(
  query: NamingQuery,
  rules: readonly RetentionFloor[],
  now: number,
): Statements<PartyPage> {
  const { organizationId } = query;
  const { namings, last } = yield* readNamings(query);
  const records = namings.map(({ resourceType, resourceId }) => {
    return { organizationId, resourceType, resourceId };
  });
  const held = yield* findHeldKeys(records, now);
  const floors = strictFloors(rules);
  const latest = yield* latestByParty({ organizationId, floors }, namings);
  const floor = latest.get(query.party);
  return {
    records,
    last,
    holds: records.filter((key) => held.has(keyText(key))),
    floors: floor !== undefined && floor.until > now ? [floor] : [],
  };
}
