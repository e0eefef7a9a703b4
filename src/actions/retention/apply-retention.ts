// Requests the deletion of records whose retention period has ended. They are processed like any other deletion;
// nothing is erased here. Records under a legal hold or a retention floor are skipped.

import type { Organization } from "../../domain/access.ts";
import { type Node, nodeKey } from "../../domain/deletion/erasure.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import { recordTypes } from "../../domain/record-types.ts";
import { type Ceiling, ceilingsOf } from "../../domain/retention/ceiling.ts";
import { formatDays, type RetentionRule } from "../../domain/retention/floor.ts";
import { isFullDate } from "../../domain/timestamp.ts";
import type { ErasedPreview, Expired, ExpiredPart } from "../../store/interface/retention.ts";
import type { App } from "../app.ts";
import { makeId } from "../credential.ts";
import { previewRestriction } from "../deletion/preview-restriction.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { hasRight, requireRight, viewerOf } from "../operator/viewer.ts";

/** Records that one round scans, so that a round is short. */
export const retentionScannedMax = 2_000;
/** Records that a preview names. */
const retentionShownMax = 100;

/** What the rounds of the worker need. */
type Retaining = Pick<App, "store" | "now">;

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
  app: Retaining,
  place: RetentionPlace | undefined,
): Promise<RetentionRound> {
  const organizationIds = place?.organizationIds ?? (await retaining(app)).map(idOf);
  const [id, ...following] = organizationIds;
  if (id === undefined) return { queued: 0, next: undefined };
  const next =
    following.length === 0 ? undefined : { organizationIds: following, after: undefined };
  // Its rules may have changed since the first round.
  const organization = await app.store.findOrganization(id);
  if (organization === undefined || isClosed(organization)) return { queued: 0, next };
  const ceilings = await readCeilings(app, organization);
  const part = await scanPart(app, { organizationId: id, ceilings, after: place?.after });
  const due = part.expired.filter(({ expiry }) => expiry === "due");
  // Concurrently, so that they share commits.
  await Promise.all(due.map((one) => queue(app, organization, one)));
  const queued = due.length;
  if (part.next === undefined) return { queued, next };
  return { queued, next: { organizationIds, after: part.next } };
}

/** Counts what retention would do with records. */
export class ExpiryTally {
  readonly counts = { due: 0, held: 0, open: 0, needed: 0, floor: 0 };
  /** The first records that would be deleted. */
  readonly due: RecordKey[] = [];
  readonly dueByType: Record<string, number> = {};
  /** The number of records of each type that would be erased with these. */
  readonly erasedWith: Record<string, number> = {};
  /** The number of records of each type that would be erased with the last record that they belong to. */
  readonly shared: Record<string, number> = {};

  /** Adds records that have expired, and what the deletions of those that are due would do. */
  add(expired: ExpiredPart["expired"], { waiting, erasedWith, shared }: ErasedPreview): void {
    const waits = new Map(waiting.map(({ key, expiry }) => [textOf(key), expiry]));
    for (const { key, expiry: own } of expired) {
      const expiry = waits.get(textOf(key)) ?? own;
      this.counts[expiry] += 1;
      if (expiry !== "due") continue;
      addCount(this.dueByType, key.resourceType, 1);
      if (this.due.length < retentionShownMax) this.due.push(key);
    }
    for (const [type, count] of Object.entries(erasedWith)) addCount(this.erasedWith, type, count);
    for (const [type, count] of Object.entries(shared)) addCount(this.shared, type, count);
  }
}

function textOf({ resourceType, resourceId }: RecordKey): string {
  return nodeKey(resourceType, resourceId);
}

function addCount(counts: Record<string, number>, type: string, count: number): void {
  counts[type] = (counts[type] ?? 0) + count;
}

export interface RetentionPreview extends Readonly<
  Pick<ExpiryTally, "counts" | "due" | "dueByType" | "erasedWith" | "shared">
> {
  readonly organization: Organization;
  readonly ceilings: readonly Ceiling[];
  /** The time that is previewed. */
  readonly at: number;
  /**
   * The records that would move to the restricted store with the first records to be deleted; undefined for people who
   * may not know it.
   */
  readonly restricted: readonly Node[] | undefined;
}

/** What to preview instead of the current rules, and when. */
export interface PreviewOptions {
  readonly ceilings?: readonly Ceiling[] | undefined;
  /** Now if undefined. */
  readonly at?: number | undefined;
}

/**
 * Previews what retention would do with records that this person may know of, now or at a later time, if no record
 * changes until then. Throws OperatorError not_permitted.
 */
export async function previewRetention(
  app: App,
  organization: Organization,
  options: PreviewOptions = {},
): Promise<RetentionPreview> {
  requireRight(app, "retention.read");
  const { organizationId } = organization;
  const { at = app.now(), ceilings = await readCeilings(app, organization) } = options;
  const knows = await viewerOf(app).knowledge(organizationId);
  const tally = new ExpiryTally();
  let after: RecordKey | undefined;
  do {
    const part = await scanPart(app, { organizationId, ceilings, after, at });
    const expired = part.expired.filter(({ key }) => knows({ ...key, organizationId }));
    await tallyPart(app, tally, { organizationId, ceilings, at, expired });
    after = part.next;
  } while (after !== undefined);
  const { counts, dueByType, erasedWith, shared, due } = tally;
  const mayKnow = hasRight(app, "confidential.read");
  const restricted = mayKnow ? await previewRestricted(app, due) : undefined;
  const known = ceilings.filter((ceiling) => knows({ ...ceiling, organizationId }));
  const counted = { counts, dueByType, erasedWith, shared, due };
  return { organization, ceilings: known, at, ...counted, restricted };
}

interface TalliedPart extends Pick<ScanOptions, "organizationId" | "ceilings" | "at"> {
  readonly expired: ExpiredPart["expired"];
}

/** Adds a part to the tally, with what the deletions of its records would do. */
export async function tallyPart(
  app: App,
  tally: ExpiryTally,
  { organizationId, ceilings, at = app.now(), expired }: TalliedPart,
): Promise<void> {
  const due = expired.filter(({ expiry }) => expiry === "due").map(({ key }) => key);
  const query = { organizationId, ceilings, now: at, due };
  tally.add(expired, await app.store.retention.previewErased(query));
}

/**
 * Returns the beginning of a day such as `2031-01-01` in UTC. Throws OperatorError invalid unless it is in the future.
 */
export function requireFuture({ now }: App, date: string): number {
  const at = isFullDate(date) ? Date.parse(date) : Number.NaN;
  if (at > now()) return at;
  throw new OperatorError("invalid", `"${date}" is not a day in the future, such as 2031-01-01.`);
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

/** Organizations with a ceiling that are not closed, in the order of their ids. */
export async function retaining({ store }: Retaining): Promise<readonly Organization[]> {
  const [all, rules] = await Promise.all([
    store.listOrganizations(),
    store.retention.listRules(undefined),
  ]);
  const own = rules.filter(({ deleteAfterDays }) => deleteAfterDays !== undefined).map(idOf);
  const ids = new Set([...own, ...all.filter((one) => one.retainDays !== undefined).map(idOf)]);
  return all
    .filter((one) => ids.has(idOf(one)) && !isClosed(one))
    .sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
}

function isClosed({ closedAt }: Organization): boolean {
  return closedAt !== undefined;
}

function idOf({ organizationId }: Pick<Organization, "organizationId">): string {
  return organizationId;
}

/** The ceilings of an organization; `rules`: others than the stored ones. */
export async function readCeilings(
  { store }: Retaining,
  { organizationId, retainDays }: { organizationId: string; retainDays?: number | undefined },
  rules?: readonly RetentionRule[],
): Promise<readonly Ceiling[]> {
  const known = rules ?? (await store.retention.listRules(organizationId));
  return ceilingsOf(recordTypes, known, retainDays);
}

export interface ScanOptions {
  readonly organizationId: string;
  readonly ceilings: readonly Ceiling[];
  /** The last record of the part before. */
  readonly after: RecordKey | undefined;
  readonly scannedMax?: number;
  /** Now if undefined. */
  readonly at?: number | undefined;
}

/** Which of the next records have expired, in the order of type and id. */
export function scanPart(
  app: Retaining,
  { organizationId, ceilings, after, scannedMax = retentionScannedMax, at }: ScanOptions,
): Promise<ExpiredPart> {
  const now = at ?? app.now();
  return app.store.findExpired({ organizationId, ceilings, after, scannedMax, now });
}

async function queue(
  app: Retaining,
  { organizationId, deletionGraceSeconds }: Organization,
  { key, ceiling: { days, countedFrom, isOwn } }: Expired,
): Promise<void> {
  const now = app.now();
  const time = formatDays(days);
  await app.store.requestDeletion(
    {
      ...key,
      organizationId,
      isAutomatic: true,
      reason: isOwn ? `kept for ${time} from ${countedFrom}` : `kept for longer than ${time}`,
      deletionRequestId: makeId("del"),
      dueAt: now + deletionGraceSeconds * 1_000,
    },
    { actor: "retention", now },
  );
}
