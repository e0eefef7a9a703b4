// Receipts for people who read them: a part of the chain, and whether documents that somebody presents are genuine. The numbers of
// receipts would disclose deletions of confidential records, so the list is for those who may learn of these.

import { receiptPages } from "./pages.ts";
import type { StoredReceipt } from "../store/trail.ts";
import type { App } from "./app.ts";
import { type PublishedKeys, publishReceiptKeys } from "./receipt-keys.ts";
import { requireRight } from "./require-right.ts";
import { type ReceiptVerdict, verifyReceipts } from "./verify-receipt.ts";

const shownMax = 50;

export interface ReceiptPart {
  /** Newest first. */
  readonly receipts: readonly StoredReceipt[];
  /** `before` of the next part; undefined at the end. */
  readonly next: number | undefined;
}

/** Throws OperatorError not_permitted. */
function requireReceipts(app: App): void {
  requireRight(app, "receipt.read");
  requireRight(app, "confidential.read");
}

/** Those with numbers before `before`, or the last ones. Throws OperatorError not_permitted. */
export async function browseReceipts(app: App, before?: number): Promise<ReceiptPart> {
  requireReceipts(app);
  const end = before ?? (await app.store.receiptHead()).receiptNo + 1;
  const after = Math.max(0, end - shownMax - 1);
  const part = await app.store.listReceipts(after, shownMax);
  const receipts = part.filter(({ receipt }) => receipt.receipt_no < end).toReversed();
  return { receipts, next: after === 0 ? undefined : after + 1 };
}

/** All of them, oldest first. Throws OperatorError not_permitted. */
export function exportReceipts(app: App, after = 0): AsyncGenerator<readonly StoredReceipt[]> {
  requireReceipts(app);
  return receiptPages(app, after);
}

/** With the keys that the service publishes. Whoever has a receipt may verify it, so this needs no right. */
export async function verifyPresented(
  app: App,
  presented: readonly unknown[],
): Promise<{ readonly verdicts: readonly ReceiptVerdict[]; readonly keys: PublishedKeys }> {
  const keys = await publishReceiptKeys(app);
  return { verdicts: verifyReceipts(presented, keys), keys };
}
