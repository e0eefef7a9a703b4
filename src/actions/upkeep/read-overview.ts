// Reads what the overview of the console shows: open and overdue deletions, which types the charts of the intake count,
// and what waits for a person in the organization in which the person works. Counting ends early. Shows nothing of
// confidential types to people who may not know of them.

import type { Organization } from "../../domain/access.ts";
import { isConfidential } from "../../domain/confidentiality.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { recordTypes } from "../../domain/record-types.ts";
import { lastDateOfQuarter } from "../../domain/retention/hold-end.ts";
import { dayMs } from "../../basics/duration.ts";
import type { DeletionQueue } from "../../store/interface/deletion.ts";
import type { App } from "../app.ts";
import { hasRight, requireRight, viewerOf } from "../operator/viewer.ts";
import { countedMax, countWaiting, findMatching } from "../deletion/list-deletions.ts";
import { type HoldQuery, listHolds } from "../retention/holds.ts";

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

/** Numbers above `countedMax` were not counted further. */
export interface Agenda {
  readonly deletionsToApprove: number;
  readonly proposals: number;
  /** Pending deletions of requests that have to be answered within about a week (Article 12(3) GDPR). */
  readonly nearMonth: number;
  readonly reviewsOverdue: number;
  /** Until the last date of the quarter, like the others. */
  readonly reviewsAhead: number;
  readonly holdsEnding: number;
  readonly floorsEnding: number;
}

const nearMs = 23 * 86_400_000;

export async function readAgenda(app: App, organizationId: string | undefined): Promise<Agenda> {
  const mayReadDeletions = hasRight(app, "deletion.read");
  const before = { requestedAt: app.now() - nearMs, deletionRequestId: "" };
  const query = { organizationId, status: "pending", before } as const;
  const [waiting, near, reviewsOverdue, reviewsAhead, holdsEnding, floorsEnding] =
    await Promise.all([
      countWaiting(app, organizationId),
      mayReadDeletions ? findMatching(app, query, countedMax + 1) : undefined,
      countHolds(app, { organizationId, review: "overdue" }),
      countHolds(app, { organizationId, inQuarter: "review" }),
      countHolds(app, { organizationId, inQuarter: "end" }),
      mayReadDeletions ? countFloorsEnding(app, organizationId) : 0,
    ]);
  return {
    deletionsToApprove: waiting.deletions,
    proposals: waiting.proposals,
    nearMonth: near?.found.length ?? 0,
    reviewsOverdue,
    reviewsAhead,
    holdsEnding,
    floorsEnding,
  };
}

async function countHolds(app: App, query: HoldQuery): Promise<number> {
  if (!hasRight(app, "hold.read")) return 0;
  return (await listHolds(app, query, { limit: countedMax + 1 })).shown.length;
}

async function countFloorsEnding(app: App, organizationId: string | undefined): Promise<number> {
  const last = Date.parse(lastDateOfQuarter(app.now())) + dayMs;
  const { found } = await findMatching(app, { organizationId, wait: "floor" }, countedMax + 1);
  return found.filter(({ floorUntil = Infinity }) => floorUntil < last).length;
}
