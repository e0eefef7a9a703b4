// Keeps the ledger of deletions, and tells by it whether the store was taken back in time. Completes nothing itself.

import type { Deletion } from "../domain/deletion.ts";
import { limits } from "../domain/limits.ts";
import { entryOfReceipt, type LedgerEntry } from "../domain/ledger-entry.ts";
import type { App } from "./app.ts";

/** Before deletions are completed, so that there is never one that the ledger does not know. */
export async function noteCompleting(
  { ledger }: App,
  deletions: readonly Deletion[],
): Promise<void> {
  await ledger.note(
    deletions.map((deletion) => ({
      organizationId: deletion.organizationId,
      deletionRequestId: deletion.deletionRequestId,
      resourceType: deletion.resourceType,
      resourceId: deletion.resourceId,
      requestedBy: deletion.requestedBy,
      requestedAt: deletion.requestedAt,
    })),
  );
}

/** Notes every receipt that the store has and the ledger lacks, also those of other processes. */
export async function catchUpLedger({ store, ledger }: App): Promise<void> {
  let after = await ledger.lastReceiptNo();
  if ((await store.receiptHead()).receiptNo <= after) return;
  for (;;) {
    const kept = await store.listReceipts(after, limits.ledgerEntriesAtOnce);
    await ledger.note(kept.map(({ receipt, hash }) => entryOfReceipt(receipt, hash)));
    const end = kept.at(-1);
    if (end === undefined || kept.length < limits.ledgerEntriesAtOnce) return;
    after = end.receipt.receipt_no;
  }
}

/**
 * Whether deletions that were completed are not so in the store, because a backup was restored: the ledger's last receipt
 * is not in the store, or a deletion that it was about to complete is unknown there, or is still to be carried out again.
 */
export async function wasTakenBack({ store, ledger }: App): Promise<boolean> {
  if ((await store.countReopened()) > 0) return true;
  const tail = await ledger.readTail();
  const last = lastWithReceipt(tail);
  if (last?.completed !== undefined) {
    const { receiptNo, receiptHash } = last.completed;
    const [found] = await store.listReceipts(receiptNo - 1, 1);
    if (found?.receipt.receipt_no !== receiptNo || found.hash !== receiptHash) return true;
  }
  for (const entry of last === undefined ? tail : tail.slice(tail.lastIndexOf(last) + 1)) {
    if ((await store.findDeletion(entry.deletionRequestId, undefined)) === undefined) return true;
  }
  return false;
}

function lastWithReceipt(entries: readonly LedgerEntry[]): LedgerEntry | undefined {
  return entries.findLast(({ completed }) => completed !== undefined);
}
