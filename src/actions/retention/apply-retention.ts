// Requests the deletion of records whose retention period has ended. Nothing is erased here. Records that a hold or a
// retention floor keeps, on themselves or on what belongs to them, are skipped. A part of an organization is read
// again only when a record of it can be due: one that arrives or changes is found within a day, one that was kept
// within an hour. This is known in memory only, so everything is read once after a start.

import type { Organization } from "../../domain/access.ts";
import { recordTypes } from "../../domain/record-types.ts";
import { boundsOf, type RetentionBounds } from "../../domain/retention/ceiling.ts";
import { formatDays } from "../../domain/retention/floor.ts";
import type { ErasedQuery, Expired, ExpiredPart } from "../../store/interface/retention.ts";
import type { App } from "../app.ts";
import { makeId } from "../credential.ts";
import { dayMs, hourMs } from "../../basics/duration.ts";
import { keyText, type RecordKey } from "../../domain/record/record-write.ts";
import { previewRelationsMax } from "../deletion/preview-deletion.ts";

/** How many records one round scans, so that a round is short. */
export const retentionScannedMax = 2_000;
/** How many deletions are requested concurrently, so that they share commits. Other writes wait for these only. */
export const requestedAtOnceMax = 250;

/** What the rounds of the worker need. */
type Retaining = Pick<App, "store" | "now">;

/** What earlier rounds have read, by organization. */
export type Marks = Map<string, ExpiryMarks>;

/** Where the next round continues. */
export interface RetentionPlace {
  /** The organization that is being scanned, and the following ones. */
  readonly organizationIds: readonly string[];
  /** Whether a part of the first one was scanned. */
  readonly isBegun?: boolean;
  readonly marks?: Marks;
}

export interface RetentionRound {
  /** Deletions that were requested. */
  readonly queued: number;
  /** How many of them are of records that arrived, or changed, less than a day ago. */
  readonly recent: number;
  /** Undefined when all records were scanned that can be due; the next round starts from the beginning. */
  readonly next: RetentionPlace | undefined;
}

/** Scans at most retentionScannedMax records, without those that cannot be due according to the marks. */
export async function applyRetention(
  app: Retaining,
  place: RetentionPlace | undefined,
  marks: Marks = place?.marks ?? new Map(),
): Promise<RetentionRound> {
  const organizationIds = place?.organizationIds ?? (await retaining(app)).map(idOf);
  if (place === undefined) forgetOthers(marks, organizationIds);
  const [id, ...others] = organizationIds;
  if (id === undefined) return { ...none, next: undefined };
  const next = others.length === 0 ? undefined : { organizationIds: others, marks };
  // Its rules may have changed since the first round.
  const organization = await app.store.findOrganization(id);
  if (organization === undefined || isClosed(organization)) return { ...none, next };
  const bounds = await readBounds(app, organization);
  const own = marks.get(id) ?? new ExpiryMarks();
  marks.set(id, own);
  own.use(bounds);
  const now = app.now();
  const range = own.next(now, place?.isBegun !== true);
  if (range === undefined) return { ...none, next };
  const query = { ...bounds, ...range, organizationId: id, scannedMax: retentionScannedMax, now };
  const part = await app.store.findExpired(query);
  const due = part.expired.filter(({ expiry }) => expiry === "due");
  let [queued, recent] = [0, 0];
  for (let at = 0; at < due.length; at += requestedAtOnceMax) {
    const some = due.slice(at, at + requestedAtOnceMax);
    const waiting = await findWaiting(app, { ...query, due: some.map(({ key }) => key) });
    const ready = some.filter(({ key }) => !waiting.has(keyText(key)));
    await Promise.all(ready.map((one) => queue(app, organization, one)));
    queued += ready.length;
    recent += ready.filter(({ isRecent }) => isRecent).length;
  }
  own.add(part, now);
  const isDone = own.next(now, false) === undefined;
  return { queued, recent, next: isDone ? next : { organizationIds, isBegun: true, marks } };
}

/**
 * Those whose deletion would wait for a hold or a floor on something that it erases or changes, as a preview says. They
 * are not requested: while a deletion waits, nobody can write to its record.
 */
async function findWaiting(
  { store }: Retaining,
  { due, ...query }: Omit<ErasedQuery, "due" | "relationsMax"> & { due: readonly RecordKey[] },
): Promise<ReadonlySet<string>> {
  const records = due.map((key) => ({ ...key, requestedAt: query.now }));
  const planned = { ...query, relationsMax: previewRelationsMax, due: records };
  const { waiting } = await store.plans.previewErased(planned);
  return new Set(waiting.map(({ key }) => keyText(key)));
}

const none = { queued: 0, recent: 0 } as const;

function forgetOthers(marks: Marks, organizationIds: readonly string[]): void {
  const ids = new Set(organizationIds);
  for (const id of marks.keys()) if (!ids.has(id)) marks.delete(id);
}

/** Lists the open organizations with a ceiling, in the order of their ids. */
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

export async function readBounds(
  { store }: Pick<App, "store">,
  { organizationId, retainDays }: { organizationId: string; retainDays?: number | undefined },
): Promise<RetentionBounds> {
  return boundsOf(recordTypes, await store.retention.listRules([organizationId]), retainDays);
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
      basis: "retention_rule",
      reason: isOwn ? `kept for ${time} from ${countedFrom}` : `kept for longer than ${time}`,
      deletionRequestId: makeId("del"),
      dueAt: now + deletionGraceSeconds * 1_000,
    },
    { actor: "retention", now },
  );
}

/** If an organization has more parts, neighbours are joined. */
const partsMax = 50_000;

/** The records after one key and up to another one; undefined: from the beginning, and to the end. */
interface RecordRange {
  readonly after: RecordKey | undefined;
  readonly upTo: RecordKey | undefined;
}

interface Part extends RecordRange {
  readonly dueFrom: number;
}

const unread: Part = { after: undefined, upTo: undefined, dueFrom: 0 };

class ExpiryMarks {
  #bounds = "";
  /** In the order of their keys; together they contain all records. */
  #parts: Part[] = [unread];
  #index = 0;

  /** The first range that may contain a record that is due, at or after the last one; undefined if there is none. */
  next(now: number, isFirst: boolean): RecordRange | undefined {
    if (isFirst) this.#index = 0;
    // A clock that was put back must not keep a part unread.
    const mayBeDue = ({ dueFrom }: Part) => dueFrom <= now || dueFrom > now + dayMs;
    const found = this.#parts.findIndex((part, index) => index >= this.#index && mayBeDue(part));
    this.#index = found === -1 ? this.#parts.length : found;
    return this.#parts[this.#index];
  }

  /** If the rules have changed, every record may be due, so all are read again. */
  use(bounds: RetentionBounds): void {
    const text = JSON.stringify(bounds);
    if (text === this.#bounds) return;
    this.#bounds = text;
    this.#parts = [unread];
    this.#index = 0;
  }

  /** Stores the result for the last range. */
  add({ expired, next, dueFrom, isEmpty }: ExpiredPart, now: number): void {
    const part = this.#parts[this.#index] ?? unread;
    const retryAt = expired.length > 0 ? now + hourMs : now + dayMs;
    const read = {
      after: part.after,
      upTo: next ?? part.upTo,
      dueFrom: Math.min(dueFrom, retryAt),
    };
    const before = this.#parts[this.#index - 1];
    if (next !== undefined) this.#parts.splice(this.#index, 1, read, { ...part, after: next });
    else if (!isEmpty || before === undefined) this.#parts[this.#index] = read;
    else {
      this.#parts.splice(this.#index - 1, 2, { ...before, upTo: part.upTo });
      this.#index -= 1;
    }
    this.#index += 1;
    if (this.#parts.length > partsMax) this.#join();
  }

  #join(): void {
    const joined: Part[] = [];
    for (let at = 0; at < this.#parts.length; at += 2) {
      const [one = unread, other = one] = this.#parts.slice(at, at + 2);
      const dueFrom = Math.min(one.dueFrom, other.dueFrom);
      joined.push({ after: one.after, upTo: other.upTo, dueFrom });
    }
    this.#parts = joined;
    this.#index = Math.floor(this.#index / 2);
  }
}
