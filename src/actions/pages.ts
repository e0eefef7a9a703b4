// Reads the long lists of a store page by page, so that no more than one page is in memory.

import type { AuditEntry, Hold } from "../domain/access.ts";
import type { Deletion } from "../domain/deletion/deletion.ts";
import type { Proposal } from "../domain/proposal.ts";
import { limits } from "../domain/limits.ts";
import type { Change, RecordKey } from "../domain/record/record-write.ts";
import type { StoredReceipt } from "../store/interface/receipt.ts";
import type { App } from "./app.ts";

const pageRows = limits.ledgerEntriesAtOnce;
/** Fewer than for other rows, because each has a payload. */
const changesAtOnce = 50;

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

export function deletionPages({ store }: App): AsyncGenerator<readonly Deletion[]> {
  return readPages(pageRows, (last) =>
    store.trail.listDeletions(last?.deletionRequestId ?? "", pageRows),
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
