// Requests the deletion of records whose retention period has ended. They are processed like any other deletion; nothing is
// erased here. Records under a legal hold or a retention floor are skipped.

import type { Organization } from "../../domain/access.ts";
import { type Node, nodeKey } from "../../domain/deletion/erasure.ts";
import { limits } from "../../domain/limits.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import { dayMs, formatDays } from "../../domain/retention/floor.ts";
import { normaliseTimestamp, type NormalisedTimestamp } from "../../domain/timestamp.ts";
import type { ExpiredPart } from "../../store/interface/retention.ts";
import type { App } from "../app.ts";
import { makeId } from "../credential.ts";
import { previewRestriction } from "../deletion/preview-restriction.ts";
import { hasRight, requireRight, viewerOf } from "../operator/viewer.ts";

/** Records that one round scans, so that a round is short. */
export const retentionScannedMax = 2_000;
/** Records that a preview names. */
const retentionShownMax = 100;

/** Where the next round continues. */
export interface RetentionPlace {
  /** The organization that is being scanned, and those that follow. */
  readonly organizationIds: readonly string[];
  readonly after: RecordKey | undefined;
}

export interface RetentionRound {
  /** Deletions that were requested. */
  readonly queued: number;
  /** Undefined when all records were scanned; the next round starts from the beginning. */
  readonly next: RetentionPlace | undefined;
}

/** Scans the next part of the records, at most retentionScannedMax, and requests the deletions that are due. */
export async function applyRetention(
  app: App,
  place: RetentionPlace | undefined,
): Promise<RetentionRound> {
  const organizationIds = place?.organizationIds ?? (await retaining(app)).map(idOf);
  const [id, ...following] = organizationIds;
  if (id === undefined) return { queued: 0, next: undefined };
  const next =
    following.length === 0 ? undefined : { organizationIds: following, after: undefined };
  // Its rules may have changed since the first round.
  const organization = await app.store.findOrganization(id);
  if (organization === undefined || !isRetaining(organization)) return { queued: 0, next };
  const part = await scanPart(app, organization, { after: place?.after });
  const due = part.expired.filter(({ expiry }) => expiry === "due");
  // Concurrently, so that they share commits.
  await Promise.all(due.map(({ key }) => queue(app, organization, key)));
  const queued = due.length;
  if (part.next === undefined) return { queued, next };
  return { queued, next: { organizationIds, after: part.next } };
}

/** Counts what retention would do with records. */
export class ExpiryTally {
  readonly counts = { due: 0, held: 0, open: 0, needed: 0, floor: 0 };
  /** The first records that would be deleted. */
  readonly due: RecordKey[] = [];
  readonly #dueByType = new Map<string, number>();

  add(expired: ExpiredPart["expired"]): void {
    for (const { key, expiry } of expired) {
      this.counts[expiry] += 1;
      if (expiry !== "due") continue;
      this.#dueByType.set(key.resourceType, (this.#dueByType.get(key.resourceType) ?? 0) + 1);
      if (this.due.length < retentionShownMax) this.due.push(key);
    }
  }

  get dueByType(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#dueByType);
  }
}

export interface RetentionPreview extends Readonly<
  Pick<ExpiryTally, "counts" | "due" | "dueByType">
> {
  readonly organization: Organization;
  /** Records last seen before this time have reached the end of their retention period. */
  readonly before: NormalisedTimestamp;
  /**
   * The records that would move to the restricted store with the first records to be deleted; undefined for people who
   * may not know it.
   */
  readonly restricted: readonly Node[] | undefined;
}

/**
 * Previews what retention would do now to records that this person may know of. The `retainDays` of `organization` need
 * not be the stored one. Throws OperatorError not_permitted.
 */
export async function previewRetention(
  app: App,
  organization: Organization,
): Promise<RetentionPreview> {
  requireRight(app, "retention.read");
  const { organizationId } = organization;
  const knows = await viewerOf(app).knowledge(organizationId);
  const tally = new ExpiryTally();
  let after: RecordKey | undefined;
  do {
    const part = await scanPart(app, organization, { after });
    tally.add(part.expired.filter(({ key }) => knows({ ...key, organizationId })));
    after = part.next;
  } while (after !== undefined);
  const { counts, dueByType, due } = tally;
  const mayKnow = hasRight(app, "confidential.read");
  const restricted = mayKnow ? await previewRestricted(app, due) : undefined;
  return { organization, before: cutoff(app, organization), counts, dueByType, due, restricted };
}

/** Previews each record once, in any order. */
async function previewRestricted(app: App, due: readonly RecordKey[]): Promise<readonly Node[]> {
  const found = new Map<string, Node>();
  for (const key of due) {
    const { records } = await previewRestriction(app, { ...key, requestedAt: app.now() });
    for (const node of records) found.set(nodeKey(node.type, node.id), node);
  }
  return [...found.values()];
}

/** Organizations with a retention period that are not closed, in the order of their ids. */
export async function retaining({ store }: App): Promise<readonly Organization[]> {
  const all = await store.listOrganizations();
  return all.filter(isRetaining).sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
}

function isRetaining({ retainDays, closedAt }: Organization): boolean {
  return retainDays !== undefined && closedAt === undefined;
}

function idOf({ organizationId }: Organization): string {
  return organizationId;
}

export interface ScanOptions {
  /** The last record of the part before. */
  readonly after: RecordKey | undefined;
  readonly scannedMax?: number;
}

/** Which of the next records have expired, in the order of type and id. */
export function scanPart(
  app: App,
  organization: Organization,
  { after, scannedMax = retentionScannedMax }: ScanOptions,
): Promise<ExpiredPart> {
  return app.store.findExpired({
    organizationId: organization.organizationId,
    before: cutoff(app, organization),
    after,
    scannedMax,
    now: app.now(),
  });
}

function cutoff({ now }: App, { retainDays = limits.retainDaysMax }: Organization) {
  const before = normaliseTimestamp(new Date(now() - retainDays * dayMs).toISOString());
  if (before === undefined) throw new TypeError("the clock returned an invalid time");
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
      isAutomatic: true,
      reason: `kept for longer than ${formatDays(retainDays)}`,
      deletionRequestId: makeId("del"),
      dueAt: now + deletionGraceSeconds * 1_000,
    },
    { actor: "retention", now },
  );
}
