// What waits for a person, in the organization in which the person works: approvals, requests near the end of the month
// in which they have to be answered, and holds to review. Counting ends early.

import type { App } from "../app.ts";
import { countedMax, countWaiting, findMatching } from "../deletion/list-deletions.ts";
import { listHolds } from "../retention/holds.ts";
import { hasRight } from "./viewer.ts";

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
  const mayReadDeletions = hasRight(app, "deletion.read");
  const before = { requestedAt: app.now() - nearMs, deletionRequestId: "" };
  const query = { organizationId, status: "pending", before } as const;
  const [waiting, near, reviewsOverdue, holdsEnding] = await Promise.all([
    countWaiting(app, organizationId),
    mayReadDeletions ? findMatching(app, query, countedMax + 1) : undefined,
    countHolds(app, { organizationId, review: "overdue" }),
    countHolds(app, { organizationId, endsSoon: true }),
  ]);
  return {
    deletionsToApprove: waiting.deletions,
    proposals: waiting.proposals,
    nearMonth: near?.found.length ?? 0,
    reviewsOverdue,
    holdsEnding,
  };
}

async function countHolds(app: App, query: Parameters<typeof listHolds>[1]): Promise<number> {
  if (!hasRight(app, "hold.read")) return 0;
  return (await listHolds(app, query, { limit: countedMax + 1 })).shown.length;
}
