// Reads what the overview of the console shows: open and overdue deletions, which types the charts of the intake count,
// and what waits for a person in the organization in which the person works. Counting ends early. Shows nothing of
// confidential types to people who may not know of them.

import type { Organization } from "../../domain/access.ts";
import { isConfidential } from "../../domain/confidentiality.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { recordTypes } from "../../domain/record-types.ts";
import type { DeletionQueue } from "../../store/interface/deletion.ts";
import type { App } from "../app.ts";
import { hasRight, requireRight, viewerOf } from "../operator/viewer.ts";
import { countedMax, countWaiting, findMatching } from "../deletion/list-deletions.ts";
import { countEndingSoon, listHolds } from "../retention/holds.ts";

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

export async function readQueue(app: App): Promise<DeletionQueue> {
  return app.store.overview.deletionQueue({
    hiddenTypes: [...(await viewerOf(app).hiddenTypes())],
    ofClosed: hasRight(app, "confidential.read"),
    countedMax: deletionsCountedMax,
    now: app.now(),
  });
}

export async function readOverview(app: App): Promise<Overview> {
  requireRight(app, "overview.read");
  const [queue, organizations] = await Promise.all([readQueue(app), viewerOf(app).organizations()]);
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
  readonly holdsEnding: number;
}

const nearMs = 23 * 86_400_000;

export async function readAgenda(app: App, organizationId: string | undefined): Promise<Agenda> {
  const mayReadHolds = hasRight(app, "hold.read");
  const before = { requestedAt: app.now() - nearMs, deletionRequestId: "" };
  const query = { organizationId, status: "pending", before } as const;
  const [waiting, near, reviewsOverdue, holdsEnding] = await Promise.all([
    countWaiting(app, organizationId),
    hasRight(app, "deletion.read") ? findMatching(app, query, countedMax + 1) : undefined,
    mayReadHolds ? countOverdue(app, organizationId) : 0,
    mayReadHolds ? countEndingSoon(app, organizationId) : 0,
  ]);
  return {
    deletionsToApprove: waiting.deletions,
    proposals: waiting.proposals,
    nearMonth: near?.found.length ?? 0,
    reviewsOverdue,
    holdsEnding,
  };
}

async function countOverdue(app: App, organizationId: string | undefined): Promise<number> {
  const query = { organizationId, review: "overdue" } as const;
  return (await listHolds(app, query, { limit: countedMax + 1 })).shown.length;
}
