// Queues the deletion of records that an organization keeps no longer, by the same path as any other deletion. Records under
// a legal hold are left alone, and nothing is erased here.

import type { Organization } from "../domain/access.ts";
import { limits } from "../domain/limits.ts";
import type { RecordKey } from "../domain/record/record-write.ts";
import { normaliseTimestamp, type NormalisedTimestamp } from "../domain/timestamp.ts";
import type { ExpiredPart, Expiry } from "../store/store.ts";
import type { App } from "./app.ts";
import { makeId } from "./credential.ts";

/** Records that one round scans, so that a round is short. */
export const retentionScannedMax = 2_000;
/** Records that a preview names. */
const retentionShownMax = 100;

const dayMs = 86_400_000;

/** Where the next round goes on. */
export interface RetentionPlace {
  readonly organizationId: string;
  readonly after: RecordKey | undefined;
}

export interface RetentionRound {
  /** Deletions that were queued. */
  readonly queued: number;
  /** Undefined when everything was looked at; the next round begins anew. */
  readonly next: RetentionPlace | undefined;
}

/** Looks at the next part of the records, at most limits.retentionLookedAtMax, and queues what is due. */
export async function applyRetention(
  app: App,
  place: RetentionPlace | undefined,
): Promise<RetentionRound> {
  const organizations = await retaining(app);
  const index = organizations.findIndex(
    (one) => one.organizationId >= (place?.organizationId ?? ""),
  );
  const organization = organizations[index];
  if (organization === undefined) return { queued: 0, next: undefined };
  const { organizationId } = organization;
  const after = organizationId === place?.organizationId ? place.after : undefined;
  const part = await scanPart(app, organization, after);
  const due = part.expired.filter(({ expiry }) => expiry === "due");
  // All at once, so that they share commits.
  await Promise.all(due.map(({ key }) => queue(app, organization, key)));
  const queued = due.length;
  if (part.next !== undefined) return { queued, next: { organizationId, after: part.next } };
  const following = organizations[index + 1]?.organizationId;
  if (following === undefined) return { queued, next: undefined };
  return { queued, next: { organizationId: following, after: undefined } };
}

export interface RetentionPreview {
  readonly organization: Organization;
  /** Records last seen before this are past their time. */
  readonly before: NormalisedTimestamp;
  readonly counts: Readonly<Record<Expiry, number>>;
  readonly dueByType: Readonly<Record<string, number>>;
  /** The first of those that would be deleted. */
  readonly due: readonly RecordKey[];
}

/** What retention would do now; does nothing. `retainDays`: as if the organization were set so. */
export async function previewRetention(
  app: App,
  organization: Organization,
): Promise<RetentionPreview> {
  const counts = { due: 0, held: 0, open: 0, needed: 0 };
  const dueByType = new Map<string, number>();
  const due: RecordKey[] = [];
  let after: RecordKey | undefined;
  do {
    const part = await scanPart(app, organization, after);
    for (const { key, expiry } of part.expired) {
      counts[expiry] += 1;
      if (expiry !== "due") continue;
      dueByType.set(key.resourceType, (dueByType.get(key.resourceType) ?? 0) + 1);
      if (due.length < retentionShownMax) due.push(key);
    }
    after = part.next;
  } while (after !== undefined);
  const before = cutoff(app, organization);
  return { organization, before, counts, dueByType: Object.fromEntries(dueByType), due };
}

/** Those that keep records for a limited time, by id. */
export async function retaining({ store }: App): Promise<readonly Organization[]> {
  const all = await store.listOrganizations();
  return all
    .filter(({ retainDays }) => retainDays !== undefined)
    .sort((one, other) => (one.organizationId < other.organizationId ? -1 : 1));
}

function scanPart(
  app: App,
  organization: Organization,
  after: RecordKey | undefined,
): Promise<ExpiredPart> {
  return app.store.findExpired({
    organizationId: organization.organizationId,
    before: cutoff(app, organization),
    after,
    scannedMax: retentionScannedMax,
  });
}

function cutoff({ now }: App, { retainDays = limits.retainDaysMax }: Organization) {
  const before = normaliseTimestamp(new Date(now() - retainDays * dayMs).toISOString());
  if (before === undefined) throw new TypeError("a time of the clock is no timestamp");
  return before;
}

async function queue(
  app: App,
  { organizationId, retainDays = 0, deletionGraceSeconds }: Organization,
  key: RecordKey,
): Promise<void> {
  const now = app.now();
  await app.store.requestDeletion(
    {
      ...key,
      organizationId,
      reason: `kept for longer than ${retainDays} days`,
      deletionRequestId: makeId("del"),
      dueAt: now + deletionGraceSeconds * 1_000,
    },
    { actor: "retention", now },
  );
}
