// Reads what the overview of the console shows: open and overdue deletions, which types the charts of the intake count,
// and what waits for a person in the organization in which the person works. Counting ends early. Shows nothing of
// confidential types to people who may not know of them.

import type { Organization } from "../../domain/access.ts";
import { isConfidential } from "../../domain/confidentiality.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { recordTypes } from "../../domain/record-types.ts";
import { lastDateOfQuarter } from "../../domain/retention/hold-end.ts";
import { dateOf, dayMs } from "../../basics/duration.ts";
import type { DeletionQueue } from "../../store/interface/deletion.ts";
import type { HoldCounts } from "../../store/interface/retention.ts";
import type { App } from "../app.ts";
import { hasRight, requireRight, viewerOf } from "../operator/viewer.ts";
import { countDeletions } from "../deletion/list-deletions.ts";
import { nameOwners } from "../retention/restricted-sets.ts";

/** Deletions are counted up to this number, so that the overview costs the same for any store. */
export const deletionsCountedMax = 1_000;

export interface Overview {
  readonly queue: DeletionQueue;
  readonly organizations: number;
  /** Whether deletions of confidential records and of closed organizations are counted. */
  readonly countsConfidential: boolean;
}

/** `partly`: without organizations in which the type is confidential; `none`: it is confidential everywhere. */
export interface IntakeType {
  readonly resourceType: string;
  readonly counted: "all" | "partly" | "none";
}

/** What became due just now is being begun. */
const overdueAfterMs = 60_000;

export async function readQueue(app: App, organizationId?: string): Promise<DeletionQueue> {
  return app.store.overview.deletionQueue({
    hiddenTypes: [...(await viewerOf(app).hiddenTypes())],
    ofClosed: hasRight(app, "confidential.read"),
    organizationId,
    countedMax: deletionsCountedMax,
    now: app.now() - overdueAfterMs,
  });
}

/** Without an organization, of all of them. */
export async function readOverview(app: App, organizationId?: string): Promise<Overview> {
  requireRight(app, "overview.read");
  const organizations = await viewerOf(app).organizations();
  const queue = await readQueue(app, organizationId);
  const countsConfidential = hasRight(app, "confidential.read");
  return { queue, organizations: organizations.length, countsConfidential };
}

/** The types that this person may know of. */
export async function readIntakeTypes(app: App): Promise<readonly IntakeType[]> {
  const viewer = viewerOf(app);
  const [hidden, organizations] = await Promise.all([viewer.hiddenTypes(), viewer.organizations()]);
  return recordTypes
    .map((type) => ({ resourceType: type.resourceType, counted: coverage(type, organizations) }))
    .filter(({ resourceType }) => !hidden.has(resourceType));
}

function coverage(type: RecordType, organizations: readonly Organization[]): IntakeType["counted"] {
  if (isConfidential(type)) return "none";
  const isPartly = organizations.some(({ confidentialTypes: added = [] }) =>
    added.includes(type.resourceType),
  );
  return isPartly ? "partly" : "all";
}

type DueHolds = Pick<HoldCounts, "reviewsOverdue" | "reviewsAhead" | "holdsEnding">;

/** Deletions are not counted further than to one above `countedMax`, and holds only among those that were read. */
export interface Agenda extends DueHolds {
  /** Pending deletions of requests that have to be answered within about ten days (Article 12(3) GDPR). */
  readonly nearMonth: number;
  /** Until the last date of the quarter, like what is counted of holds. */
  readonly floorsEnding: number;
  readonly isEveryHoldRead: boolean;
}

const holdsCountedMax = 10_000;
/** How many parts of so many holds are read, if most are on records that the person may not know of. */
const holdPartsMax = 20;
const nearMs = 21 * dayMs;

export async function readAgenda(app: App, organizationId: string | undefined): Promise<Agenda> {
  requireRight(app, "hold.read");
  const before = { requestedAt: app.now() - nearMs, deletionRequestId: "" };
  const near = { organizationId, status: "pending", before } as const;
  const last = lastDateOfQuarter(app.now());
  const ending = { organizationId, wait: "floor", floorBefore: Date.parse(last) + dayMs } as const;
  const dates = { today: dateOf(app.now()), last };
  const [nearMonth, floorsEnding, holds] = await Promise.all([
    countDeletions(app, near),
    countDeletions(app, ending),
    countHolds(app, organizationId, dates),
  ]);
  return { nearMonth, floorsEnding, ...holds };
}

async function countHolds(
  app: App,
  organizationId: string | undefined,
  dates: { readonly today: string; readonly last: string },
): Promise<DueHolds & Pick<Agenda, "isEveryHoldRead">> {
  const knows = await viewerOf(app).knowledge(organizationId);
  const restricted = hasRight(app, "confidential.read");
  const limit = holdsCountedMax;
  const visible: HoldCounts[] = [];
  let after: string | undefined = "";
  for (let part = 0; after !== undefined && part < holdPartsMax; part += 1) {
    if (sum(visible, "holds") >= limit) break;
    const place = { organizationId, restricted, after, limit };
    const counts = await app.store.holds.count({ ...place, ...dates });
    visible.push(...(await nameOwners(app, counts.filter(knows), organizationId)));
    const ids = counts.map(({ lastHoldId }) => lastHoldId).toSorted();
    after = sum(counts, "holds") < limit ? undefined : ids.at(-1);
  }
  return {
    reviewsOverdue: sum(visible, "reviewsOverdue"),
    reviewsAhead: sum(visible, "reviewsAhead"),
    holdsEnding: sum(visible, "holdsEnding"),
    isEveryHoldRead: after === undefined && sum(visible, "holds") < limit,
  };
}

function sum(counts: readonly HoldCounts[], name: keyof DueHolds | "holds"): number {
  return counts.reduce((total, one) => total + one[name], 0);
}
