// Evaluates what a pending deletion of a person or a company waits for because records that name it, such as
// transactions, have to be kept unredacted. Only a pass over all records finds these (shared/party-floor-scans.ts); its
// result is kept in the cursor of the deletion.
//
// the result                        is followed by
// missing, or by other rules        a pass
// a floor that has not ended        waiting for its end
// no such floor, long ago           a pass
// no such floor                     a search of what was changed since, in the transaction that plans
//
// Erases nothing.

import { isDeepStrictEqual } from "node:util";
import { isPartyType } from "../../../domain/deletion/party.ts";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import {
  describePartyFloor,
  mergeFloors,
  type RetentionFloor,
} from "../../../domain/retention/floor.ts";
import type {
  PartyFinding,
  PartyFindings,
  PartyFloor,
  PartyFloorPage,
} from "../../interface/naming.ts";
import { findLatestArrival } from "../record/record.ts";
import { listPartyFloors, readChangedPartyFloors } from "../retention/party-floor.ts";
import { named } from "../statement/named.ts";
import { rest, Rows, run, type Statements } from "../statement/statements.ts";
import { readCursorOf } from "./claim.ts";
import type { Processing } from "./erasure.ts";
import type { Obstacle } from "./plan.ts";

/** Shown to operators as the reason until the pass has ended. */
export const readingPartyFloors = "the retention floors of what names it, which are being read";

/** One search reads this many changes. */
export const changesSearchedMax = 2_000;
/** If more changes than this have arrived since the pass ended, another pass costs less than a search. */
const changesBehindMax = 100_000;
const anyArrival = Number.MAX_SAFE_INTEGER;

/** These deletions become due in the order in which they were due before the pass. */
const storeFindings = `
  UPDATE deletion SET cursor = named.cursor, next_attempt_at = NULL
  FROM ${named("id", "cursor")}
  WHERE deletion_request_id = named.id AND status = 'pending' AND waiting_for = '${readingPartyFloors}'`;

const storeCursors = `
  UPDATE deletion SET cursor = named.cursor FROM ${named("id", "cursor")}
  WHERE deletion_request_id = named.id`;

const extendWaits = `
  UPDATE deletion SET next_attempt_at = named.until FROM ${named("id", "until bigint")}
  WHERE deletion_request_id = named.id AND status = 'pending' AND waiting_for = '${readingPartyFloors}'`;

/** A pending deletion, and its cursor. */
export type PendingDeletion = Pick<Processing, "deletion" | "cursor">;

export interface PartyBounds {
  readonly now: number;
  /** Whether writers wait, so that one transaction may do only one search. */
  readonly bounded: boolean;
}

interface Party {
  readonly deletion: Deletion;
  /** Undefined if there was no pass with the current rules. */
  readonly finding: PartyFinding | undefined;
}

interface KnownParties {
  /** The keys are the ids of deletions. */
  readonly parties: ReadonlyMap<string, Party>;
  readonly floors: readonly RetentionFloor[];
  readonly bounds: PartyBounds;
  readonly latestArrival: number;
}

/** The deletions of persons and companies among those of one organization that are planned together. */
export class PartyFloors {
  readonly #known: KnownParties;
  /** The obstacles that the search of later changes has found; undefined until it is needed. */
  #searched: ReadonlyMap<string, Obstacle> | undefined;

  /** Undefined if nothing has to be evaluated. */
  static *read(
    pending: readonly PendingDeletion[],
    bounds: PartyBounds,
  ): Statements<PartyFloors | undefined> {
    const some = pending.filter(({ deletion }) => {
      return isPartyType(deletion.resourceType) && deletion.processedBefore === undefined;
    });
    const [first] = some;
    if (first === undefined) return undefined;
    const floors = yield* listPartyFloors(first.deletion.organizationId);
    if (floors.length === 0) return undefined;
    const parties = new Map(
      some.map(({ deletion, cursor }) => {
        const finding = readFinding(cursor, floors);
        return [deletion.deletionRequestId, { deletion, finding }];
      }),
    );
    return new PartyFloors({ parties, floors, bounds, latestArrival: yield* findLatestArrival() });
  }

  private constructor(known: KnownParties) {
    this.#known = known;
  }

  /** What a deletion waits for; `other`: a further obstacle. A hold takes precedence. */
  *obstacleOf(deletion: Deletion, other: Obstacle | undefined): Statements<Obstacle | undefined> {
    const { deletionRequestId: id } = deletion;
    const { parties, bounds } = this.#known;
    const party = parties.get(id);
    const isOther = other !== undefined && other.floorUntil === undefined;
    if (party === undefined || isOther) return other;
    const { finding } = party;
    if (finding === undefined) return unread;
    const known = obstacleOfParty(finding.latest, bounds.now);
    if (known !== undefined) return laterObstacle(other, known);
    if (other !== undefined) return other;
    if (!this.#isClear(finding)) return unread;
    this.#searched ??= yield* this.#searchChanged();
    return this.#searched.get(id);
  }

  /** Whether the last pass has found no floor that still keeps the party, and only few changes have arrived since. */
  #isClear({ latest, at }: PartyFinding): boolean {
    const { bounds, latestArrival } = this.#known;
    const isKept = obstacleOfParty(latest, bounds.now) !== undefined;
    return !isKept && latestArrival - at <= changesBehindMax;
  }

  /**
   * Searches the changes since the passes. If writers wait, at most one search is done, and the next transaction
   * continues. On PostgreSQL a lower number may become visible later, so there each search begins where the pass ended;
   * changes that are not visible yet count as arriving after the plan.
   */
  *#searchChanged(): Statements<ReadonlyMap<string, Obstacle>> {
    const { parties, bounds, latestArrival } = this.#known;
    const clear = [...parties.values()].flatMap(({ deletion, finding }) => {
      return finding !== undefined && this.#isClear(finding) ? [{ deletion, finding }] : [];
    });
    const from = Math.min(...clear.map(({ finding }) => finding.upTo));
    const searched = yield* this.#searchFrom(
      from,
      clear.map(({ deletion }) => deletion),
    );
    const { upTo } = searched;
    const obstacles = new Map<string, Obstacle>();
    const findings = clear.map(({ deletion, finding }) => {
      const { deletionRequestId: id, resourceId, dueAt } = deletion;
      const latest = searched.latest.get(resourceId);
      const kept = obstacleOfParty(latest, bounds.now);
      const obstacle = kept ?? (upTo === undefined ? undefined : { ...reading, retryAt: dueAt });
      if (obstacle !== undefined) obstacles.set(id, obstacle);
      const next = {
        ...finding,
        upTo: Math.max(finding.upTo, upTo ?? 0),
        at: latestArrival,
        latest,
      };
      return [id, next] as const;
    });
    yield* run(storeCursors, toRows(findings));
    return obstacles;
  }

  /** `upTo` is missing if everything was searched. */
  *#searchFrom(
    first: number,
    deletions: readonly Deletion[],
  ): Statements<Pick<PartyFloorPage, "latest"> & { readonly upTo?: number }> {
    const { floors, bounds, latestArrival } = this.#known;
    const organizationId = deletions[0]?.organizationId ?? "";
    const query = { organizationId, floors, parties: deletions.map((one) => one.resourceId) };
    let latest: PartyFloorPage["latest"] = new Map();
    for (let from = first; ;) {
      const isLast = latestArrival - from <= changesSearchedMax;
      const to = isLast ? anyArrival : from + changesSearchedMax;
      latest = mergeFloors(latest, yield* readChangedPartyFloors(query, { from, to }));
      if (isLast) return { latest };
      if (bounds.bounded) return { latest, upTo: to };
      from = to;
      yield* rest();
    }
  }
}

/** The obstacle whose floor ends last. */
export function laterObstacle(
  one: Obstacle | undefined,
  other: Obstacle | undefined,
): Obstacle | undefined {
  return (other?.floorUntil ?? 0) > (one?.floorUntil ?? 0) ? other : one;
}

/** What a deletion with a complete large plan waits for. */
export function* findPartyObstacle(
  deletion: Deletion,
  bounds: PartyBounds,
): Statements<Obstacle | undefined> {
  const pending = { deletion, cursor: yield* readCursorOf(deletion) };
  const parties = yield* PartyFloors.read([pending], bounds);
  const obstacle = yield* parties?.obstacleOf(deletion, undefined) ?? [];
  return obstacle?.isUnread === true ? { ...obstacle, retryAt: bounds.now } : obstacle;
}

/** The floor that the last pass has found, unless that floor has ended. */
export function* findKnownPartyFloor(
  deletion: Deletion,
  now: number,
): Statements<Obstacle | undefined> {
  if (!isPartyType(deletion.resourceType)) return undefined;
  const floors = yield* listPartyFloors(deletion.organizationId);
  const finding = readFinding(yield* readCursorOf(deletion), floors);
  return obstacleOfParty(finding?.latest, now);
}

/** Stores what a pass has found, and makes the deletions due again. */
export function* storePartyFloors(findings: PartyFindings): Statements<void> {
  yield* run(storeFindings, toRows(findings));
}

/** Keeps other workers from beginning the same pass. */
export function* extendPartyScans(ids: readonly string[], until: number): Statements<void> {
  const rows = ids.map((id) => [id, until]);
  yield* run(extendWaits, new Rows(rows, 2));
}

const reading: Obstacle = { waitingFor: readingPartyFloors, held: false };
const unread: Obstacle = { ...reading, isUnread: true };

export function obstacleOfParty(floor: PartyFloor | undefined, now: number): Obstacle | undefined {
  if (floor === undefined || floor.until <= now) return undefined;
  return { waitingFor: describePartyFloor(floor), held: false, floorUntil: floor.until };
}

function readFinding(
  cursor: string | null,
  floors: readonly RetentionFloor[],
): PartyFinding | undefined {
  if (cursor === null) return undefined;
  const finding = JSON.parse(cursor) as PartyFinding;
  return isDeepStrictEqual(finding.floors, floors) ? finding : undefined;
}

function toRows(findings: PartyFindings): Rows {
  const rows = findings.map(([id, finding]) => [id, JSON.stringify(finding)]);
  return new Rows(rows, 2);
}
