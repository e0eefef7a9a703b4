// Legal holds for people who read them: a part of the list with a filter, one hold, and the holds of a record. Contains no
// hold on a record of a confidential type for somebody who may not know of it.

import type { Hold } from "../../domain/access.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { limits } from "../../domain/limits.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { App } from "../app.ts";
import { requireOrganization } from "../access/find-organization.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { requireRight, viewerOf } from "../operator/viewer.ts";
import { readPages } from "../pages.ts";
import { confidentialType, findDeletion, findType } from "../record/find-named-record.ts";

/** Holds by their review date: it has passed, it is still to come, or there is none. */
export const reviewStates = ["overdue", "ahead", "none"] as const;
export type ReviewState = (typeof reviewStates)[number];

export interface HoldQuery {
  readonly organizationId?: string | undefined;
  readonly resourceType?: string | undefined;
  readonly owner?: string | undefined;
  readonly review?: ReviewState | undefined;
}

export interface HoldPage {
  /** The last hold of the part before; undefined for the first part. */
  readonly after?: string | undefined;
  readonly limit: number;
  /** Holds that are read for a part, however few of them match. */
  readonly examinedMax?: number;
}

export interface ShownHold {
  readonly hold: Hold;
  readonly review: ReviewState;
}

export interface HoldPart {
  readonly shown: readonly ShownHold[];
  /** Where the next part begins; undefined at the end. */
  readonly next: string | undefined;
}

/** In the order of their ids. Throws OperatorError not_permitted. */
export async function listHolds(
  app: App,
  query: HoldQuery,
  { after, limit: shownMax, examinedMax = 10 * limits.holdsListedAtOnce }: HoldPage,
): Promise<HoldPart> {
  requireRight(app, "hold.read");
  const { organizationId } = query;
  const knows = await viewerOf(app).knowledge(organizationId);
  const limit = limits.holdsListedAtOnce;
  const pages = readPages<Hold>(limit, (last) =>
    app.store.holds.list({ organizationId, after: last?.holdId ?? after, limit }),
  );
  const shown: ShownHold[] = [];
  let examined = 0;
  let lastKnown: string | undefined;
  for await (const page of pages) {
    for (const hold of page.filter(knows)) {
      const one = { hold, review: reviewStateOf(app, hold) };
      if (matches(one, query)) {
        if (shown.length === shownMax) return { shown, next: lastKnown };
        shown.push(one);
      }
      lastKnown = hold.holdId;
    }
    examined += page.length;
    if (examined >= examinedMax) return { shown, next: lastKnown };
  }
  return { shown, next: undefined };
}

function matches({ hold, review }: ShownHold, query: HoldQuery): boolean {
  return (
    (query.resourceType ?? hold.resourceType) === hold.resourceType &&
    (query.owner ?? hold.owner) === hold.owner &&
    (query.review ?? review) === review
  );
}

/**
 * Checks a filter that a person typed. Throws OperatorError no_such_organization, no_such_type and confidential_type.
 */
export async function requireListable(app: App, query: HoldQuery): Promise<void> {
  const { organizationId, resourceType } = query;
  await requireOrganization(app, organizationId);
  if (resourceType === undefined) return;
  findType(resourceType);
  const about = { organizationId: organizationId ?? "", resourceType };
  if (!(await viewerOf(app).knows(about))) throw confidentialType(resourceType);
}

/** A review is overdue from the day after its date, in UTC. */
export function reviewStateOf({ now }: Pick<App, "now">, { reviewOn }: Hold): ReviewState {
  if (reviewOn === undefined) return "none";
  return reviewOn < new Date(now()).toISOString().slice(0, 10) ? "overdue" : "ahead";
}

/** Oldest first. Throws OperatorError not_permitted. */
export async function listHoldsOf(app: App, record: RecordKey): Promise<readonly Hold[]> {
  requireRight(app, "hold.read");
  return app.store.holds.ofRecords([record]);
}

/** Throws OperatorError no_such_hold. */
export async function findHold(app: App, holdId: string): Promise<Hold> {
  const hold = await app.store.holds.find(holdId);
  if (hold !== undefined && (await viewerOf(app).knows(hold))) return hold;
  throw noSuchHold(holdId);
}

export function noSuchHold(holdId: string): OperatorError {
  return new OperatorError("no_such_hold", `There is no hold "${holdId}".`);
}

export interface HoldDetails extends ShownHold {
  /** Other holds on the same record, which keep it when this one is released. */
  readonly others: readonly Hold[];
  /** The open deletion of the record. */
  readonly deletion: Deletion | undefined;
}

/** Throws OperatorError not_permitted and no_such_hold. */
export async function readHoldDetails(app: App, holdId: string): Promise<HoldDetails> {
  requireRight(app, "hold.read");
  const hold = await findHold(app, holdId);
  const all = await app.store.holds.ofRecords([hold]);
  const open = await app.store.overview.findOpenDeletion(hold);
  return {
    hold,
    review: reviewStateOf(app, hold),
    others: all.filter((other) => other.holdId !== hold.holdId),
    deletion: open === undefined ? undefined : await findDeletion(app, open),
  };
}
