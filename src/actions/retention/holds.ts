// Legal holds on records: finds and lists them for people, places and releases them, also those that have ended. Until
// the last hold on a record is released, no deletion erases or changes it. Shows no hold on a record that the person
// may not know of.

import type { Hold } from "../../domain/access.ts";
import type { Proposal } from "../../domain/proposal.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { ownerOf } from "../../domain/deletion/restricted-set.ts";
import { limits } from "../../domain/limits.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { Unnamed } from "../../store/interface/retention.ts";
import {
  hasEnded,
  holdYearsMax,
  lastDateOfQuarter,
  lastSoonDate,
  latestEnd,
} from "../../domain/retention/hold-end.ts";
import { isFullDate } from "../../domain/timestamp.ts";
import { requireOrganization } from "../access/find-organization.ts";
import { actTogether, requireApproved } from "../proposal/second-person.ts";
import { actOf, type App } from "../app.ts";
import { makeId } from "../credential.ts";
import {
  listNames,
  OperatorError,
  requireLine,
  requireReason,
} from "../operator/operator-error.ts";
import { hasRight, requireRight, viewerOf } from "../operator/viewer.ts";
import type { Part } from "../pages.ts";
import {
  confidentialType,
  findDeletion,
  findTarget,
  findType,
  nameTarget,
  type Target,
} from "../record/find-named-record.ts";
import { findRestrictedSet, nameOwners } from "./restricted-sets.ts";
import { dateOf, dayMs } from "../../basics/duration.ts";

/** Holds by their review date: it has passed, it is still to come, or there is none. */
export const reviewStates = ["overdue", "ahead", "none"] as const;
export type ReviewState = (typeof reviewStates)[number];

export interface HoldState {
  readonly review: ReviewState;
  /** Whether its review is ahead in this quarter (lastDateOfQuarter). */
  readonly reviewInQuarter: boolean;
  /** Whether it ends by itself within holdWarningDays, or in this quarter. */
  readonly endsSoon: boolean;
  readonly endsInQuarter: boolean;
}

/** False and undefined select any. */
export interface HoldQuery {
  readonly organizationId?: string | undefined;
  readonly resourceType?: string | undefined;
  readonly owner?: string | undefined;
  readonly review?: ReviewState | undefined;
  readonly reviewInQuarter?: boolean;
  readonly endsSoon?: boolean;
  readonly endsInQuarter?: boolean;
}

export interface HoldPage {
  readonly after?: string | undefined;
  readonly limit: number;
  /** How many holds are read for a part, even if few match. */
  readonly examinedMax?: number;
}

export interface ShownHold extends HoldState {
  readonly hold: Hold;
}

export async function listHolds(
  app: App,
  query: HoldQuery,
  { after, limit: shownMax, examinedMax = 10 * limits.holdsListedAtOnce }: HoldPage,
): Promise<Part<ShownHold>> {
  requireRight(app, "hold.read");
  const { organizationId } = query;
  await requireOrganization(app, organizationId);
  const knows = await viewerOf(app).knowledge(organizationId);
  // For others they are not even read: that would take time, and end a part of the list earlier.
  const restricted = hasRight(app, "confidential.read");
  const dates = datesOf(app.now());
  const shown: ShownHold[] = [];
  let page: readonly Hold[] = [];
  let lastKnown: string | undefined;
  // Reads more each time, because most of them may match, or few.
  for (let [limit, examined] = [shownMax + 1, 0]; examined < examinedMax; limit *= 4) {
    limit = Math.min(limit, limits.holdsListedAtOnce);
    const place = { organizationId, restricted, after: page.at(-1)?.holdId ?? after };
    page = await app.store.holds.list({ ...place, limit });
    const known = page.filter(knows);
    for (const hold of await nameOwners(app, known, organizationId)) {
      const one = { hold, ...stateAt(dates, hold) };
      if (matches(one, query)) {
        if (shown.length === shownMax) return { shown, next: lastKnown };
        shown.push(one);
      }
      lastKnown = hold.holdId;
    }
    lastKnown = known.at(-1)?.holdId ?? lastKnown;
    if (page.length < limit) return { shown, next: undefined };
    examined += page.length;
  }
  return { shown, next: lastKnown };
}

function matches({ hold, ...state }: ShownHold, query: HoldQuery): boolean {
  return (
    (query.resourceType ?? hold.resourceType) === hold.resourceType &&
    (query.owner ?? hold.owner) === hold.owner &&
    (query.review ?? state.review) === state.review &&
    conditions.every((name) => query[name] !== true || state[name])
  );
}

const conditions = ["reviewInQuarter", "endsSoon", "endsInQuarter"] as const;

/** Throws OperatorError no_such_type and confidential_type. */
export async function requireListable(app: App, query: HoldQuery): Promise<void> {
  const { organizationId, resourceType } = query;
  if (resourceType === undefined) return;
  findType(resourceType);
  const about = { organizationId: organizationId ?? "", resourceType };
  if (!(await viewerOf(app).knows(about))) throw confidentialType(resourceType);
}

export function stateOf(app: Pick<App, "now">, hold: Hold): HoldState {
  return stateAt(datesOf(app.now()), hold);
}

function datesOf(now: number) {
  return { today: dateOf(now), soon: lastSoonDate(now), quarter: lastDateOfQuarter(now) };
}

/** A review is overdue from the day after its date, in UTC. */
function stateAt(
  { today, soon, quarter }: ReturnType<typeof datesOf>,
  { reviewOn, endsOn }: Hold,
): HoldState {
  const isAhead = (date: string | undefined, last: string) =>
    date !== undefined && date >= today && date <= last;
  return {
    review: reviewOn === undefined ? "none" : reviewOn < today ? "overdue" : "ahead",
    reviewInQuarter: isAhead(reviewOn, quarter),
    endsSoon: isAhead(endsOn, soon),
    endsInQuarter: isAhead(endsOn, quarter),
  };
}

export async function listHoldsOf(app: App, record: RecordKey): Promise<readonly Hold[]> {
  requireRight(app, "hold.read");
  return app.store.holds.ofRecords([record]);
}

async function findHold(app: App, holdId: string): Promise<Hold> {
  const hold = await app.store.holds.find(holdId);
  if (hold !== undefined && (await viewerOf(app).knows(hold))) return hold;
  throw noSuchHold(holdId);
}

function noSuchHold(holdId: string): OperatorError {
  return new OperatorError("no_such_hold", `There is no hold "${holdId}".`);
}

export interface HoldDetails extends ShownHold {
  /** Other holds on the same record, which keep it when this one is released. */
  readonly others: readonly Hold[];
  readonly deletion: Deletion | undefined;
  /** The open proposal to release it. */
  readonly releasing: Proposal | undefined;
}

const proposalsMax = 100;

/** Throws OperatorError not_permitted and no_such_hold. */
export async function readHoldDetails(app: App, holdId: string): Promise<HoldDetails> {
  requireRight(app, "hold.read");
  const found = await findHold(app, holdId);
  const all = await nameOwners(app, await app.store.holds.ofRecords([found]));
  const hold = all.find((one) => one.holdId === holdId) ?? found;
  const open = await app.store.overview.findOpenDeletion(hold);
  const proposals = await app.store.proposals.list({
    organizationId: ownerOf(hold),
    openAt: app.now(),
    limit: proposalsMax,
  });
  return {
    hold,
    ...stateOf(app, hold),
    others: all.filter((other) => other.holdId !== hold.holdId),
    deletion: open === undefined ? undefined : await findDeletion(app, open),
    releasing: proposals.find(({ parameters }) => parameters["holdId"] === holdId),
  };
}

export interface HoldRequest {
  readonly reason: string;
  readonly owner?: string | undefined;
  /** A date such as `2026-12-31`. */
  readonly reviewOn?: string | undefined;
  /** The last date on which it holds; undefined for a hold that only a release ends. */
  readonly endsOn?: string | undefined;
  /** The deletion request that moved the record to the restricted store; undefined for a record that is not there. */
  readonly restrictedBy?: string | undefined;
}

/**
 * Throws OperatorError not_permitted, no_such_record, no_such_restricted_set, being_erased, too_many_holds and invalid,
 * and what findTarget throws.
 */
export async function holdRecord(app: App, target: Target, wanted: HoldRequest): Promise<Hold> {
  requireRight(app, "hold.place");
  const { reason, owner, reviewOn, endsOn } = wanted;
  requireReason(reason);
  if (owner !== undefined) requireLine("The owner", owner, limits.nameCharactersMax);
  if (reviewOn !== undefined && !isFullDate(reviewOn)) {
    throw new OperatorError("invalid", "The review date must be a date such as 2026-12-31.");
  }
  if (endsOn !== undefined) requireEnd(app, endsOn);
  const key = await findHoldable(app, target, wanted.restrictedBy);
  const hold = { ...key, holdId: makeId("hold"), reason, owner, reviewOn, endsOn };
  const outcome = await placeInParts(app, hold);
  switch (outcome) {
    case "no_such_record":
      throw new OperatorError("no_such_record", `There is no ${nameTarget(key)} to hold.`);
    case "being_erased":
      throw new OperatorError(
        "being_erased",
        `The ${nameTarget(key)} is already being erased; it is too late for a hold.`,
      );
    case "too_many_holds":
      throw new OperatorError(
        "too_many_holds",
        `The ${nameTarget(key)} already has ${limits.holdsOfRecordMax} holds, the maximum. Release one first.`,
      );
    default:
      return outcome;
  }
}

/** Part by part: a transaction reads only some changes of the record, because writers wait for it on SQLite. */
async function placeInParts(app: App, hold: Omit<Hold, "placedAt" | "placedBy">) {
  for (let unnamed: Unnamed | undefined; ;) {
    const outcome = await app.store.holds.place(hold, actOf(app), unnamed);
    if (typeof outcome === "string" || "holdId" in outcome) return outcome;
    ({ unnamed } = outcome);
  }
}

function requireEnd({ now }: App, endsOn: string): void {
  if (!isFullDate(endsOn)) {
    throw new OperatorError("invalid", "The end of the hold must be a date such as 2026-12-31.");
  }
  const [today, latest] = [dateOf(now()), latestEnd(now())];
  if (endsOn < today) {
    throw new OperatorError("invalid", `The hold would have ended already: ${endsOn} has passed.`);
  }
  if (endsOn > latest) {
    throw new OperatorError(
      "invalid",
      `A hold that ends by itself can last ${holdYearsMax} years at most, until ${latest}. Without an end it lasts until ` +
        "somebody releases it.",
    );
  }
}

async function findHoldable(
  app: App,
  target: Target,
  restrictedBy: string | undefined,
): Promise<RecordKey & Pick<Hold, "restrictedOf">> {
  const key = await findTarget(app, target);
  if (restrictedBy === undefined) return key;
  const set = await findRestrictedSet(app, key.organizationId, restrictedBy);
  return { ...key, organizationId: set.organizationId, restrictedOf: key.organizationId };
}

export interface Released {
  readonly hold: Hold;
  readonly remaining: readonly Hold[];
}

/** `target`: a record with one hold, or the id of a hold. Throws OperatorError invalid, no_such_hold, several_holds. */
export async function releaseHold(
  app: App,
  target: Target | { readonly holdId: string },
  because?: string,
): Promise<Released> {
  requireRight(app, "hold.release");
  if (because !== undefined) requireReason(because);
  const holdId = "holdId" in target ? target.holdId : await findOnlyHold(app, target);
  await findHold(app, holdId);
  const outcome = await app.store.holds.release(holdId, actTogether(app), because);
  const hold = requireApproved(app, outcome);
  // Somebody else has released it meanwhile.
  if (hold === undefined) throw noSuchHold(holdId);
  const remaining = await app.store.holds.ofRecords([hold]);
  const [released = hold, ...others] = await nameOwners(app, [hold, ...remaining]);
  return { hold: released, remaining: others };
}

async function findOnlyHold(app: App, target: Target): Promise<string> {
  const key = await findTarget(app, target);
  const [only, ...others] = await app.store.holds.ofRecords([key]);
  if (only === undefined) {
    const { organizationId } = key;
    const holds = await app.store.holds.list({ organizationId, limit: 100 });
    const known = holds.filter(await viewerOf(app).public().knowledge(organizationId));
    const held =
      known.length === 0
        ? `Nothing that is not confidential is held in organization "${organizationId}".`
        : `Held there: ${listNames(known.map((hold) => `${hold.resourceType} ${hold.resourceId}`))}.`;
    throw new OperatorError("no_such_hold", `There is no hold on ${nameTarget(key)}. ${held}`);
  }
  if (others.length === 0) return only.holdId;
  const holds = [only, ...others].map(({ holdId, reason }) => `  ${holdId}  ${reason}`);
  throw new OperatorError(
    "several_holds",
    [`The ${nameTarget(key)} has ${holds.length} holds.`, ...holds.slice(0, 20)].join("\n"),
  );
}

const endedAtOnce = 100;

/** Ends a bounded number of holds. The audit trail and the ledger record them as releases with the reason `ended`. */
export async function endHolds({ store, now }: Pick<App, "store" | "now">) {
  const yesterday = dateOf(now() - dayMs);
  const holds = await store.holds.listEnding(yesterday, endedAtOnce);
  const act = { actor: "retention", now: now() };
  const released = await Promise.all(
    holds.map(({ holdId }) => store.holds.release(holdId, act, "ended")),
  );
  const ended = released.filter((hold) => hold !== undefined).length;
  return { ended, more: holds.length === endedAtOnce };
}

/** In the order of their ends, without holds on confidential records, which logs must not disclose. */
export async function listEndingSoon(app: App): Promise<readonly Hold[]> {
  const { store, now } = app;
  const holds = await store.holds.listEnding(lastSoonDate(now()), limits.holdsListedAtOnce);
  const ending = holds.filter((hold) => !hasEnded(hold, now()));
  return ending.length === 0 ? [] : ending.filter(await viewerOf(app).public().knowledge());
}
