// The list of deletions, newest first, with a filter and what each of them waits for. Leaves out what a person may not
// know. Each part reads a bounded number of rows, even if few match.

import {
  type Deletion,
  type DeletionStatus,
  dueTime,
  openStatuses,
} from "../../domain/deletion/deletion.ts";
import type { WaitingCounts } from "../../store/interface/proposal.ts";
import type { App } from "../app.ts";
import { requireOrganization } from "../access/find-organization.ts";
import { findDeletion } from "../record/find-named-record.ts";
import { hasRight, requireRight, viewerOf } from "../operator/viewer.ts";
import type { Part } from "../pages.ts";
import {
  Holds,
  type ShownDeletion,
  type WaitKind,
  waitKindsOf,
  withWaits,
} from "./deletion-wait.ts";
import { ownRequests } from "./own-request.ts";

export interface DeletionQuery {
  readonly organizationId?: string | undefined;
  readonly status?: DeletionStatus | undefined;
  readonly wait?: WaitKind | undefined;
  /** Leaves out deletions that this person has requested, and so can't approve. */
  readonly isToApprove?: boolean;
}

export interface DeletionPage {
  readonly before?: string | undefined;
  readonly limit: number;
  /** How many parts are read at most until the list is full. */
  readonly partsMax?: number;
}

/** Throws OperatorError not_permitted, no_such_organization and no_such_deletion. */
export async function listDeletions(
  app: App,
  query: DeletionQuery,
  page: DeletionPage,
): Promise<Part<ShownDeletion>> {
  requireRight(app, "deletion.read");
  const { deletions, shownNext } = await readDeletions(app, query, page);
  return { shown: await withWaits(app, deletions), next: shownNext?.deletionRequestId };
}

async function readDeletions(
  app: App,
  query: DeletionQuery,
  { before, limit, partsMax = 1 }: DeletionPage,
): Promise<Omit<MatchingPart, "next">> {
  await requireOrganization(app, query.organizationId);
  const last = before === undefined ? undefined : await findDeletion(app, before);
  const deletions: Deletion[] = [];
  let part: MatchingPart = { deletions: [], next: last, shownNext: last };
  for (let parts = 0; deletions.length < limit; parts += 1) {
    // The next part begins after a deletion that this person may know of, so one without any is no end.
    const isHidden = part.next !== last && part.shownNext === undefined;
    if (parts >= (isHidden ? Math.max(partsMax, hiddenPartsMax) : partsMax)) break;
    part = await findMatching(app, { ...query, before: part.next }, limit - deletions.length);
    deletions.push(...part.deletions);
    if (part.next === undefined) break;
  }
  return { deletions, shownNext: part.shownNext };
}

/** The store has no index by when deletions are due: only so many of the newest are sorted. */
export const sortedMax = 1_000;

/** `before`: a place in this order. */
export async function listByDue(
  app: App,
  query: DeletionQuery,
  { before: after = "", limit }: DeletionPage,
): Promise<Part<ShownDeletion> & { readonly isComplete: boolean }> {
  requireRight(app, "deletion.read");
  const part = await readDeletions(app, query, { limit: sortedMax });
  const places = part.deletions
    .map((one) => [placeByDue(one), one] as const)
    .filter(([place]) => place > after)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const shown = places.slice(0, limit);
  const next = places.length > limit ? shown.at(-1)?.[0] : undefined;
  const deletions = shown.map(([, one]) => one);
  return { shown: await withWaits(app, deletions), next, isComplete: part.shownNext === undefined };
}

function placeByDue(deletion: Deletion): string {
  return `${String(dueTime(deletion)).padStart(15, "0")}.${deletion.deletionRequestId}`;
}

/** How many rows are read for a part, even if few match. */
const examinedMax = 1_000;
/** How many parts are read if this person may know of nothing in them. */
const hiddenPartsMax = 50;

export interface MatchingPart {
  readonly deletions: readonly Deletion[];
  /** The last deletion that was read, after which the next part begins; undefined at the end. */
  readonly next: Deletion | undefined;
  /** The last deletion that this person may know of. */
  readonly shownNext: Deletion | undefined;
}

/** After which deletion a part begins. */
export type ListPosition = Pick<Deletion, "requestedAt" | "deletionRequestId">;

interface Search extends DeletionQuery {
  readonly before?: ListPosition | undefined;
  /** Selects deletions whose floors end before this time, in Unix milliseconds. */
  readonly floorBefore?: number;
  readonly rowsMax?: number;
}

/** Returns deletions that this person may know of. Reads more rows each time: most of them may match, or few. */
export async function findMatching(
  app: App,
  query: Search,
  foundMax: number,
): Promise<MatchingPart> {
  const { wait, isToApprove = false, floorBefore = Infinity, rowsMax = examinedMax } = query;
  const knows = await viewerOf(app).knowledge(query.organizationId);
  const isOwn = ownRequests(app);
  const deletions: Deletion[] = [];
  let rows: readonly Deletion[] = [];
  let last: Deletion | undefined;
  let examined = 0;
  for (let limit = foundMax + 1; examined < rowsMax; limit *= 4) {
    limit = Math.min(limit, rowsMax - examined);
    rows = await examine(app, query, { before: rows.at(-1) ?? query.before, limit });
    const visible = rows.filter(knows);
    const holds = await Holds.read(app, ofHolds.has(wait) ? visible : []);
    for (const deletion of visible) {
      if (deletions.length === foundMax) return { deletions, next: last, shownNext: last };
      last = deletion;
      if (isToApprove && (await isOwn(deletion))) continue;
      if ((deletion.floorUntil ?? 0) >= floorBefore) continue;
      if (wait === undefined || waitKindsOf(deletion, app.now(), holds).has(wait)) {
        deletions.push(deletion);
      }
    }
    if (rows.length < limit) return { deletions, next: undefined, shownNext: undefined };
    examined += rows.length;
  }
  return { deletions, next: rows.at(-1), shownNext: last };
}

/** Whether a deletion waits for another reason does not depend on holds. */
const ofHolds: ReadonlySet<WaitKind | undefined> = new Set(["hold", "error", "turn"] as const);

/** A waiting deletion is pending or, after a failure, processing. */
async function examine(
  { store }: App,
  { organizationId, status, wait, isToApprove }: DeletionQuery,
  { before, limit }: { readonly before: ListPosition | undefined; readonly limit: number },
): Promise<readonly Deletion[]> {
  if (wait === "approval" || isToApprove === true) {
    if (status !== undefined && status !== "pending") return [];
    return store.listDeletions({ organizationId, awaitsApproval: true, before, limit });
  }
  if (wait === undefined) return store.listDeletions({ organizationId, status, before, limit });
  const statuses = openStatuses.filter((one) => status === undefined || one === status);
  const lists = await Promise.all(
    statuses.map((one) => store.listDeletions({ organizationId, status: one, before, limit })),
  );
  return lists.flat().sort(byTime).slice(0, limit);
}

function byTime(one: Deletion, other: Deletion): number {
  if (one.requestedAt !== other.requestedAt) return other.requestedAt - one.requestedAt;
  return one.deletionRequestId < other.deletionRequestId ? 1 : -1;
}

/** A larger number is shown as `99+`. */
export const countedMax = 99;

/** At most `countedMax + 1`. */
export async function countDeletions(app: App, query: Search): Promise<number> {
  return (await findMatching(app, query, countedMax + 1)).deletions.length;
}

/** How many proposals and deletions this person may approve, in all organizations if none is given. */
export async function countWaiting(
  app: App,
  organizationId: string | undefined,
): Promise<WaitingCounts> {
  // Whoever may approve may know of every deletion, so that a count needs no further filter.
  if (!hasRight(app, "proposal.decide")) return { proposals: 0, deletions: 0 };
  const query = { organizationId, approver: app.operator, openAt: app.now() };
  return app.store.proposals.countWaiting(query);
}

/** A deletion takes longer only if it erases very much, or if something is wrong. */
const processingMsMax = 15 * 60_000;
const processingNamedMax = 10;

/** The first deletions that have been processing for long, without those that wait for a hold or a floor. */
export function listLongProcessing({ store, now }: App) {
  return store.overview.listProcessing(now() - processingMsMax, processingNamedMax);
}
