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

import { isPartyType } from "../../../domain/deletion/party.ts";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import {
  describePartyFloor,
  mergeFloors,
  type RetentionFloor,
} from "../../../domain/retention/floor.ts";
import type { PartyFloor, PartyFloorPage, PartyFloorResult } from "../../interface/naming.ts";
import { findLatestArrival } from "../record/record.ts";
import { listPartyFloors, readChangedPartyFloors } from "../retention/party-floor.ts";
import { named } from "../statement/named.ts";
import { get, rest, Rows, run, type Statements } from "../statement/statements.ts";
import type { Obstacle } from "./plan.ts";

/** Operators read this as the reason until the pass has ended. */
export const readingPartyFloors = "the retention floors of what names it, which are being read";

/** One search reads this many changes. */
export const changesSearchedMax = 2_000;
/** If more has arrived since the pass has ended, another pass costs less than a search. */
const changesBehindMax = 100_000;
const anyArrival = Number.MAX_SAFE_INTEGER;

/** These deletions are due, in the order in which they were before the pass. */
const storeResults = `
  UPDATE deletion SET cursor = named.cursor, next_attempt_at = NULL
  FROM ${named("id", "cursor")}
  WHERE deletion_request_id = named.id AND status = 'pending' AND waiting_for = '${readingPartyFloors}'`;

const storeCursors = `
  UPDATE deletion SET cursor = named.cursor FROM ${named("id", "cursor")}
  WHERE deletion_request_id = named.id`;

const extendWaits = `
  UPDATE deletion SET next_attempt_at = named.until FROM ${named("id", "until bigint")}
  WHERE deletion_request_id = named.id AND status = 'pending' AND waiting_for = '${readingPartyFloors}'`;

const readCursor = `SELECT cursor FROM deletion WHERE deletion_request_id = $1`;

/** The cursor of a deletion: what the last pass has found. */
interface Finding {
  /** The rules that it was made by. */
  readonly rules: string;
  /** Every change up to this arrival number was seen. */
  readonly upTo: number;
  /** The latest arrival number at that time. */
  readonly at: number;
  readonly latest?: PartyFloor | undefined;
}

/** A pending deletion, and what its last pass has found. */
export interface PendingParty {
  readonly deletion: Deletion;
  readonly cursor: string | null;
}

export interface PartyBounds {
  readonly now: number;
  /** Whether writers wait, so that one transaction takes only one search. */
  readonly bounded: boolean;
}

/** The deletions of one organization that are planned together, as far as they are of persons and companies. */
export class PartyFloors {
  readonly #floors: readonly RetentionFloor[];
  readonly #findings: ReadonlyMap<string, Finding>;
  readonly #deletions: readonly Deletion[];
  readonly #latestArrival: number;
  readonly #bounds: PartyBounds;
  /** The obstacles that the search of later changes has found; undefined until it is needed. */
  #searched: ReadonlyMap<string, Obstacle> | undefined;

  /** Undefined if nothing has to be evaluated. */
  static *read(
    pending: readonly PendingParty[],
    bounds: PartyBounds,
  ): Statements<PartyFloors | undefined> {
    const parties = pending.filter(({ deletion }) => {
      return isPartyType(deletion.resourceType) && deletion.processedBefore === undefined;
    });
    const [first] = parties;
    if (first === undefined) return undefined;
    const floors = yield* listPartyFloors(first.deletion.organizationId);
    if (floors.length === 0) return undefined;
    return new PartyFloors(parties, { floors, bounds, latestArrival: yield* findLatestArrival() });
  }

  private constructor(
    parties: readonly PendingParty[],
    known: {
      readonly floors: readonly RetentionFloor[];
      readonly bounds: PartyBounds;
      readonly latestArrival: number;
    },
  ) {
    this.#floors = known.floors;
    this.#bounds = known.bounds;
    this.#latestArrival = known.latestArrival;
    this.#deletions = parties.map(({ deletion }) => deletion);
    this.#findings = new Map(
      parties.flatMap(({ deletion, cursor }) => {
        const finding = readFinding(cursor, known.floors);
        return finding === undefined ? [] : [[deletion.deletionRequestId, finding]];
      }),
    );
  }

  /** What a deletion waits for; `other`: what it waits for besides. A hold comes first. */
  *obstacleOf(deletion: Deletion, other: Obstacle | undefined): Statements<Obstacle | undefined> {
    const { deletionRequestId: id } = deletion;
    const isOther = other !== undefined && other.floorUntil === undefined;
    if (isOther || !this.#deletions.some((one) => one.deletionRequestId === id)) return other;
    const finding = this.#findings.get(id);
    if (finding === undefined) return unread;
    const known = obstacleOfParty(finding.latest, this.#bounds.now);
    if (known !== undefined) return laterObstacle(other, known);
    if (other !== undefined) return other;
    if (!this.#isFresh(finding)) return unread;
    this.#searched ??= yield* this.#searchChanged();
    return this.#searched.get(id);
  }

  #isFresh({ at }: Finding): boolean {
    return this.#latestArrival - at <= changesBehindMax;
  }

  /**
   * Searches what was changed since the passes. If writers wait, the next transaction continues, as long as there is
   * more than one can search. On PostgreSQL a lower number may become visible later, so there each search begins where
   * the pass ended; and what is not visible yet counts as arriving after the plan.
   */
  *#searchChanged(): Statements<ReadonlyMap<string, Obstacle>> {
    const { now } = this.#bounds;
    const clear = this.#deletions.flatMap((deletion) => {
      const finding = this.#findings.get(deletion.deletionRequestId);
      return finding !== undefined && this.#isFresh(finding) ? [{ deletion, finding }] : [];
    });
    const from = Math.min(...clear.map(({ finding }) => finding.upTo));
    const deletions = clear.map(({ deletion }) => deletion);
    const searched = yield* this.#searchFrom(from, deletions);
    const { upTo } = searched;
    const obstacles = new Map<string, Obstacle>();
    const rows = clear.map(({ deletion, finding }) => {
      const { deletionRequestId: id, resourceId } = deletion;
      const latest = searched.latest.get(resourceId);
      const partly = upTo === undefined ? undefined : { ...reading, retryAt: deletion.dueAt };
      const obstacle = obstacleOfParty(latest, now) ?? partly;
      if (obstacle !== undefined) obstacles.set(id, obstacle);
      const progress = upTo === undefined ? {} : { upTo: Math.max(finding.upTo, upTo) };
      const kept = obstacle?.floorUntil === undefined ? undefined : latest;
      const next = { ...finding, ...progress, at: this.#latestArrival, latest: kept };
      return [id, JSON.stringify(next)];
    });
    yield* run(storeCursors, new Rows(rows, 2));
    return obstacles;
  }

  /** `upTo` is missing if everything was searched. */
  *#searchFrom(
    first: number,
    deletions: readonly Deletion[],
  ): Statements<Pick<PartyFloorPage, "latest"> & { readonly upTo?: number }> {
    const organizationId = deletions[0]?.organizationId ?? "";
    const parties = deletions.map(({ resourceId }) => resourceId);
    const query = { organizationId, parties, floors: this.#floors };
    let latest: PartyFloorPage["latest"] = new Map();
    for (let from = first; ;) {
      const isLast = this.#latestArrival - from <= changesSearchedMax;
      const to = isLast ? anyArrival : from + changesSearchedMax;
      latest = mergeFloors(latest, yield* readChangedPartyFloors(query, { from, to }));
      if (isLast) return { latest };
      if (this.#bounds.bounded) return { latest, upTo: to };
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

/** What a deletion waits for whose large plan is complete. */
export function* findPartyObstacle(
  deletion: Deletion,
  bounds: PartyBounds,
): Statements<Obstacle | undefined> {
  const pending = { deletion, cursor: yield* readCursorOf(deletion) };
  const parties = yield* PartyFloors.read([pending], bounds);
  const obstacle = yield* parties?.obstacleOf(deletion, undefined) ?? [];
  return obstacle?.isUnread === true ? { ...obstacle, retryAt: bounds.now } : obstacle;
}

/** The floor that the last pass has found, unless it has ended. */
export function* findKnownPartyFloor(
  deletion: Deletion,
  now: number,
): Statements<Obstacle | undefined> {
  if (!isPartyType(deletion.resourceType)) return undefined;
  const floors = yield* listPartyFloors(deletion.organizationId);
  const finding = readFinding(yield* readCursorOf(deletion), floors);
  return obstacleOfParty(finding?.latest, now);
}

function* readCursorOf({ deletionRequestId }: Deletion): Statements<string | null> {
  return (yield* get<{ cursor: string | null }>(readCursor, deletionRequestId))?.cursor ?? null;
}

/** Stores what a pass has found, and makes the deletions due again. */
export function* storePartyFloors(results: readonly PartyFloorResult[]): Statements<void> {
  const rows = results.map(({ deletionRequestId, floors, upTo, endedAt, latest }) => {
    const finding: Finding = { rules: rulesText(floors), upTo, at: endedAt, latest };
    return [deletionRequestId, JSON.stringify(finding)];
  });
  yield* run(storeResults, new Rows(rows, 2));
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
): Finding | undefined {
  if (cursor === null) return undefined;
  const finding = JSON.parse(cursor) as Finding;
  return finding.rules === rulesText(floors) ? finding : undefined;
}

function rulesText(floors: readonly RetentionFloor[]): string {
  const rules = floors.map(({ resourceType, keepDays, countedFrom }) => {
    return [resourceType, keepDays, countedFrom];
  });
  return JSON.stringify(rules);
}
