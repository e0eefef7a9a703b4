// Reads the long lists of a store page by page, so that no more than one page is in memory.

import type { AuditEntry, Hold } from "../domain/access.ts";
import type { Deletion } from "../domain/deletion/deletion.ts";
import type { Proposal } from "../domain/proposal.ts";
import { limits } from "../domain/limits.ts";
import type { Change, RecordKey } from "../domain/record/record-write.ts";
import type { StoredReceipt } from "../store/interface/deletion.ts";
import type { AuditQuery } from "../store/interface/trail.ts";
import type { App } from "./app.ts";

const pageRows = limits.ledgerEntriesAtOnce;
/** Fewer than for other rows, because each has a payload. */
const changesAtOnce = 50;
/** How many entries of the audit trail one statement searches. */
const examinedAtOnce = 10_000;

/** A part of a list for people. */
export interface Part<Row, Place = string> {
  readonly shown: readonly Row[];
  /** Where the next part begins; undefined at the end. */
  readonly next: Place | undefined;
}

/** Yields pages, never an empty one. `next` reads at most `rowsMax` rows after a row, or the first rows. */
export async function* readPages<Row>(
  rowsMax: number,
  next: (last: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let last: Row | undefined;
  do {
    const page = await next(last);
    if (page.length > 0) yield page;
    last = page.length < rowsMax ? undefined : page.at(-1);
  } while (last !== undefined);
}

export function auditPages({ store }: App, after = 0): AsyncGenerator<readonly AuditEntry[]> {
  return readPages(pageRows, (last) => store.listAudit(last?.entryNo ?? after, pageRows));
}

/** Receipts in the order of the chain, after a number. Without a number, receipts that are in no chain come first. */
export function receiptPages(
  { store }: App,
  after: number = Number.MIN_SAFE_INTEGER,
): AsyncGenerator<readonly StoredReceipt[]> {
  return readPages(pageRows, (last) => store.listReceipts(last?.rowNo ?? after, pageRows));
}

/** The latest audit entry that meets the conditions. */
export async function findEntry(
  { store }: App,
  conditions: Partial<AuditQuery>,
): Promise<AuditEntry | undefined> {
  const any = { actor: undefined, organizationId: undefined, action: undefined, from: undefined };
  const query = { ...any, until: undefined, ...conditions, limit: 1, examinedMax: examinedAtOnce };
  let before: number | undefined;
  do {
    const { entries, next } = await store.trail.search({ ...query, before });
    if (entries.length > 0) return entries[0];
    before = next;
  } while (before !== undefined);
  return undefined;
}

export function deletionPages({ store }: App): AsyncGenerator<readonly Deletion[]> {
  return readPages(pageRows, (last) =>
    store.trail.listDeletions(last?.deletionRequestId ?? "", pageRows),
  );
}

/** Reads the deletions of the restricted sets of one organization, or of all, in the order of their ids. */
export function setPages(
  { store }: App,
  organizationId: string | undefined,
): AsyncGenerator<readonly Deletion[]> {
  const limit = pageRows;
  return readPages(limit, (last) =>
    store.restricted.listSets({ organizationId, after: last?.deletionRequestId ?? "", limit }),
  );
}

export function holdPages({ store }: App): AsyncGenerator<readonly Hold[]> {
  const limit = limits.holdsListedAtOnce;
  return readPages(limit, (last) => store.holds.list({ after: last?.holdId, limit }));
}

export function proposalPages({ store }: App): AsyncGenerator<readonly Proposal[]> {
  const any = { organizationId: undefined, openAt: undefined, limit: pageRows };
  return readPages(pageRows, (before) => store.proposals.list({ ...any, before }));
}

/** Reads the changes of a record, the latest first: those before one of them, or all. */
export function historyPages(
  { store }: App,
  key: RecordKey,
  before?: number,
): AsyncGenerator<readonly Change[]> {
  return readPages(changesAtOnce, (last) =>
    store.overview.readHistoryPart({
      ...key,
      before: last?.changeNo ?? before,
      limit: changesAtOnce,
    }),
  );
}
