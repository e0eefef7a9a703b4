// Reads the audit trail for people: a filtered part, the verification of its chain, or all of it as a file. The trail
// has entries about confidential records, so people who may not know of such records can read none of it.

import { hash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { dayMs } from "../../basics/duration.ts";
import type { AuditEntry } from "../../domain/access.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import { subjectOfRecord } from "../../domain/trail-action.ts";
import type { AuditDay, AuditQuery, VerifiedPart } from "../../store/interface/trail.ts";
import type { App } from "../app.ts";
import { requireRight } from "../operator/viewer.ts";
import { auditPages } from "../pages.ts";
import { noteDownload } from "./audit-access.ts";

const shownMax = 20;
/** How much a part searches: a few milliseconds on either engine. */
const examinedMax = 10_000;
/** The latest deletions of a record whose entries are found by the record. */
const deletionsMax = 100;
const verifiedAtOnce = 1_000;
const verifiedMax = 20_000;

function requireAudit(app: App): void {
  requireRight(app, "audit.read");
  requireRight(app, "confidential.read");
}

export interface ShownEntry extends AuditEntry {
  /** The deletion that the entry is about, if it is about one. */
  readonly deletion: Deletion | undefined;
  /** The entry of the start of the deletion whose completion this is, which the list leaves out then. */
  readonly start: AuditEntry | undefined;
}

interface Listed {
  readonly entries: readonly ShownEntry[];
  readonly next: number | undefined;
}

/** Newest first. `record`: only entries about this record and its deletions. */
export async function listAudit(
  app: App,
  { record, ...query }: Omit<AuditQuery, "limit" | "examinedMax"> & { record?: RecordKey },
): Promise<Listed> {
  requireAudit(app);
  const subjects = record && (await subjectsOf(app, record));
  const bounds = { limit: shownMax, examinedMax };
  const { entries, next } = await app.store.trail.search({ ...query, ...bounds, subjects });
  const ids = [...new Set(entries.map(({ subject }) => subject))].filter((one) => isDeletion(one));
  const mentioned = ids.length === 0 ? [] : await app.store.trail.findDeletions(ids);
  const deletions = new Map(mentioned.map((one) => [one.deletionRequestId, one]));
  const starts = new Map(
    entries
      .filter(({ action }) => action === "deletion.complete")
      .map((end) => [end, entries.find((one) => one.entryNo < end.entryNo && isStart(one, end))]),
  );
  const folded = new Set(starts.values());
  return {
    entries: entries
      .filter((entry) => !folded.has(entry))
      .map((entry) => {
        return { ...entry, deletion: deletions.get(entry.subject), start: starts.get(entry) };
      }),
    next,
  };
}

const daysCounted = 30;
/** The last entries, whose actions are counted by day. */
const countedMax = 5_000;

/** The last 30 days until now, in UTC. */
export async function countAuditDays(app: App): Promise<readonly AuditDay[]> {
  requireAudit(app);
  const from = (Math.floor(app.now() / dayMs) - daysCounted + 1) * dayMs;
  return app.store.trail.countDays({ from, days: daysCounted, examinedMax: countedMax });
}

/** The trail has a digest of the id of a record, and the ids of its deletions. */
async function subjectsOf({ store }: App, record: RecordKey): Promise<readonly string[]> {
  const { organizationId } = record;
  const deletions = await store.listDeletions({ organizationId, record, limit: deletionsMax });
  const own = subjectOfRecord(record, (text) => hash("sha256", text));
  return [own, ...deletions.map(({ deletionRequestId }) => deletionRequestId)];
}

function isDeletion(subject: string): boolean {
  return subject.startsWith("del_");
}

function isStart({ action, subject }: AuditEntry, end: AuditEntry): boolean {
  return action === "deletion.start" && subject === end.subject;
}

/** Entries that were verified, and where the next part begins. */
export interface Verification extends VerifiedPart {
  /** The last entry before the first one that was verified; 0 from the beginning of the trail. */
  readonly after: number;
}

export const chainStart = { no: 0, hash: "0".repeat(64) } as const;

/** Verifies at most `verifiedMax` entries after this one. */
export async function verifyAudit(
  app: App,
  after: { readonly no: number; readonly hash: string } = chainStart,
): Promise<Verification> {
  requireAudit(app);
  let last: VerifiedPart = { ...after, fault: undefined, isEnd: false };
  while (last.fault === undefined && !last.isEnd && last.no - after.no < verifiedMax) {
    last = await app.store.trail.verify({ no: last.no, hash: last.hash, limit: verifiedAtOnce });
  }
  return { ...last, after: after.no };
}

/** Oldest first. */
export function exportAudit(app: App, after = 0): AsyncGenerator<readonly AuditEntry[]> {
  requireAudit(app);
  return auditPages(app, after);
}

/** How soon an entry is found after it was written. */
const followedEveryMs = 500;

/** Like `exportAudit`, then each further entry, until the signal is aborted. `check` may end it by throwing. */
export async function* followAudit(
  app: App,
  after: number,
  { signal, check }: { readonly signal: AbortSignal; readonly check: () => Promise<void> },
): AsyncGenerator<readonly AuditEntry[]> {
  requireAudit(app);
  await check();
  await noteDownload(app, "audit.export");
  for (let last = after; !signal.aborted; await check()) {
    for await (const page of auditPages(app, last)) {
      yield page;
      last = page.at(-1)?.entryNo ?? last;
      if (signal.aborted) return;
    }
    await sleep(followedEveryMs, undefined, { signal }).catch(() => undefined);
  }
}

/** The download is recorded in the trail, too. */
export async function downloadAudit(app: App): Promise<AsyncGenerator<readonly AuditEntry[]>> {
  requireAudit(app);
  await noteDownload(app, "audit.export");
  return auditPages(app);
}

// Entries of the audit trail as they are exported.

export function viewAuditEntry(entry: AuditEntry) {
  return {
    entry_no: entry.entryNo,
    at: entry.at,
    time: new Date(entry.at).toISOString(),
    actor: entry.actor,
    action: entry.action,
    organization_id: entry.organizationId ?? null,
    subject: entry.subject,
    detail: entry.detail,
    previous_hash: entry.previousHash,
    hash: entry.hash,
  };
}
