// What retention would delete, now or at a later time, if no record changes until then. Contains no trace of
// confidential types for somebody who may not know of them.

import type { Organization } from "../../domain/access.ts";
import type { ErasedCounts } from "../../domain/deletion/deletion.ts";
import { type Node, nodeKey, nodeKeyOf } from "../../domain/deletion/erasure.ts";
import { isPartyType } from "../../domain/deletion/party.ts";
import type { Ceiling, RetentionBounds } from "../../domain/retention/ceiling.ts";
import type { KeyInOrganization, RecordKey } from "../../domain/record/record-write.ts";
import { isFullDate } from "../../domain/timestamp.ts";
import type {
  DueRecord,
  ErasedPreview,
  Expired,
  ExpiryQuery,
} from "../../store/interface/retention.ts";
import type { App } from "../app.ts";
import { previewDeletion, previewRelationsMax } from "../deletion/preview-deletion.ts";
import { readBounds } from "./apply-retention.ts";
import { requireRetainDays } from "../access/change-organization.ts";
import { findOrganization } from "../access/find-organization.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { hasRight, requireRight, viewerOf } from "../operator/viewer.ts";

/** How many records a preview names. */
const retentionShownMax = 100;

type Counts = Record<string, number>;

interface Previewed extends Pick<Expired, "expiry" | "isRecent"> {
  readonly record: DueRecord;
}

export class ExpiryTally {
  readonly counts = { due: 0, held: 0, open: 0, needed: 0, floor: 0 };
  /** The first records that would be deleted. */
  readonly due: DueRecord[] = [];
  readonly dueByType: Counts = {};
  /** Counts, for each type, the records that would be erased with these. */
  readonly erasedWith: Counts = {};
  /** Counts, for each type, the records that would be erased with the last record that they belong to. */
  readonly shared: Counts = {};
  /** How many of the records that would be deleted arrived, or changed, less than a day ago. */
  recent = 0;
  /** Records that were left out because too much belongs to them, and which may have to wait for that. */
  inPart = 0;
  /** How many deletions were planned; one of a person or a company counts twice, because others name it. */
  planned = 0;

  /** Adds expired records, and what the deletions of those that are due would do. */
  add(expired: readonly Previewed[], { waiting, erasedWith, shared, inPart }: ErasedPreview): void {
    const waits = new Map(waiting.map(({ key, expiry }) => [nodeKeyOf(key), expiry]));
    for (const { record, expiry: own, isRecent } of expired) {
      const expiry = waits.get(nodeKeyOf(record)) ?? own;
      if (own === "due") this.planned += isPartyType(record.resourceType) ? 2 : 1;
      this.counts[expiry] += 1;
      if (expiry !== "due") continue;
      if (isRecent) this.recent += 1;
      addCounts(this.dueByType, { [record.resourceType]: 1 });
      if (this.due.length < retentionShownMax) this.due.push(record);
    }
    addCounts(this.erasedWith, erasedWith);
    addCounts(this.shared, shared);
    this.inPart += inPart;
  }
}

function addCounts(counts: Counts, added: ErasedCounts): void {
  for (const [type, count = 0] of Object.entries(added)) counts[type] = (counts[type] ?? 0) + count;
}

export interface PreviewQuery {
  readonly organizationId: string;
  /** A number to try instead of the ceiling of the organization. */
  readonly retainDays?: number | undefined;
  /** Floors and ceilings to try instead of those of the organization. */
  readonly bounds?: RetentionBounds;
  readonly after: KeyInOrganization | undefined;
  /** A time in the future; now if undefined. */
  readonly at?: number | undefined;
}

export interface PreviewPart {
  /** Empty if records are kept until a deletion is requested. */
  readonly ceilings: readonly Ceiling[];
  readonly tally: ExpiryTally;
  readonly last: RecordKey | undefined;
  readonly types: readonly string[];
}

/** How many steps one part has, and how many records each step reads. */
const stepsMax = 5;
const examinedAtOnce = 100;
/** A part ends with the step in which so many deletions were planned, because these take most of the time. */
const plannedMax = 50;

/**
 * What retention would delete among the next records, added to the tally of the previous parts. Throws OperatorError
 * not_permitted, invalid and no_such_organization.
 */
export async function previewPart(
  app: App,
  query: PreviewQuery,
  tally = new ExpiryTally(),
): Promise<PreviewPart> {
  requireRight(app, "retention.read");
  const { organizationId, after, at: now = app.now() } = query;
  const [types, bounds] = await Promise.all([
    viewerOf(app).knownTypes(organizationId),
    query.bounds ?? readTriedBounds(app, query),
  ]);
  const ceilings = bounds.ceilings.filter(({ resourceType }) => types.includes(resourceType));
  if (ceilings.length === 0) return { ceilings, tally, types, last: undefined };
  const { floors } = bounds;
  const plannedBefore = tally.planned;
  let last = after && { organizationId, ...after };
  let steps = 0;
  do {
    const step = { organizationId, floors, ceilings, after: last, scannedMax: examinedAtOnce, now };
    last = await previewStep(app, step, tally);
    steps += 1;
  } while (last !== undefined && steps < stepsMax && tally.planned - plannedBefore < plannedMax);
  return { ceilings, tally, types, last };
}

async function readTriedBounds(app: App, query: PreviewQuery): Promise<RetentionBounds> {
  const { organizationId } = query;
  const stored = await findOrganization(app, organizationId);
  const { retainDays = stored.retainDays } = query;
  if (retainDays !== undefined) requireRetainDays(retainDays);
  return readBounds(app, { organizationId, retainDays });
}

const nothingErased: ErasedPreview = { waiting: [], erasedWith: {}, shared: {}, inPart: 0 };

/** Reads only types that this person may know of: no hidden record may decide where a step ends. Returns where. */
async function previewStep(
  app: App,
  query: ExpiryQuery,
  tally: ExpiryTally,
): Promise<RecordKey | undefined> {
  const { next, expired: found } = await app.store.findExpired(query);
  const expired = found.map(({ key, expiry, passedAt, isRecent }) => {
    const requestedAt = Math.max(passedAt, app.now());
    return { record: { ...key, requestedAt }, expiry, isRecent };
  });
  const due = expired.filter(({ expiry }) => expiry === "due").map(({ record }) => record);
  const confidential = hasRight(app, "confidential.read");
  const some = { ...query, relationsMax: previewRelationsMax, confidential };
  const erased =
    due.length === 0 ? nothingErased : await app.store.plans.previewErased({ ...some, due });
  tally.add(expired, erased);
  return next;
}

export interface RetentionPreview extends Pick<PreviewPart, "ceilings" | "tally"> {
  readonly organization: Organization;
  readonly at: number;
  /** What would move to the restricted store with the first deleted records; undefined for those who may not know. */
  readonly restricted: readonly Node[] | undefined;
}

/** What all parts share. `organization` and the options may differ from what is stored. */
export async function previewRetention(
  app: App,
  organization: Organization,
  options: Pick<PreviewQuery, "bounds" | "at"> = {},
): Promise<RetentionPreview> {
  requireRight(app, "retention.read");
  const { organizationId } = organization;
  const { at = app.now(), bounds = await readBounds(app, organization) } = options;
  const tally = new ExpiryTally();
  let part: PreviewPart | undefined;
  do {
    part = await previewPart(app, { organizationId, bounds, at, after: part?.last }, tally);
  } while (part.last !== undefined);
  const mayKnow = hasRight(app, "confidential.read");
  const restricted = mayKnow ? await previewRestricted(app, tally.due, at) : undefined;
  return { organization, ceilings: part.ceilings, tally, at, restricted };
}

async function previewRestricted(
  app: App,
  due: readonly DueRecord[],
  at: number,
): Promise<readonly Node[]> {
  const moved = new Map<string, Node>();
  for (const record of due) {
    const { restriction } = await previewDeletion(app, record, { at });
    for (const node of restriction.moved) moved.set(nodeKey(node.type, node.id), node);
  }
  return [...moved.values()];
}

/** The beginning of a day such as `2031-01-01` in UTC. Throws OperatorError invalid unless it is in the future. */
export function requireFuture({ now }: App, date: string): number {
  const at = isFullDate(date) ? Date.parse(date) : Number.NaN;
  if (at > now()) return at;
  throw new OperatorError("invalid", `"${date}" is not a day in the future, such as 2031-01-01.`);
}
