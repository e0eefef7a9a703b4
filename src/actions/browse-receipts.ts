// Receipts for people who read them: a part of the chain, and whether documents that somebody presents are genuine. The numbers of
// receipts would disclose deletions of confidential records, so the list is for those who may learn of these.

import { isRestrictedId } from "../domain/deletion/restricted-set.ts";
import type { Receipt } from "../domain/deletion/receipt.ts";
import { receiptPages } from "./pages.ts";
import type { StoredReceipt } from "../store/trail.ts";
import type { App } from "./app.ts";
import { type PublishedKeys, publishReceiptKeys } from "./receipt-keys.ts";
import { readKnowledge, requireRight } from "./require-right.ts";
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

export interface ExportedReceipt {
  readonly receipt: Receipt;
  /** Of a restricted set: the organization that its records were of. */
  readonly organizationId: string;
}

/**
 * Oldest first. Those of all organizations form a chain, in which one that is left out is a gap; those of one organization are
 * what this person may know of. Throws OperatorError not_permitted.
 */
export async function* exportReceipts(
  app: App,
  {
    after = 0,
    organizationId,
  }: { readonly after?: number; readonly organizationId?: string | undefined } = {},
): AsyncGenerator<readonly ExportedReceipt[]> {
  if (organizationId === undefined) requireReceipts(app);
  requireRight(app, "receipt.read");
  const knows = await readKnowledge(app);
  for await (const page of receiptPages(app, after)) {
    const known = page.filter(({ receipt: { organization_id: owner, asked } }) =>
      knows({ organizationId: owner, resourceType: asked.resource_type }),
    );
    const owned = await addOwners(app, known);
    yield organizationId === undefined
      ? owned
      : owned.filter((receipt) => receipt.organizationId === organizationId);
  }
}

async function addOwners(
  { store }: App,
  page: readonly StoredReceipt[],
): Promise<readonly ExportedReceipt[]> {
  const ids = page.map(({ receipt }) => receipt.deletion_request_id).filter(isRestrictedId);
  const sets = ids.length === 0 ? [] : await store.trail.findDeletions(ids);
  const owners = new Map(sets.map((set) => [set.deletionRequestId, set.restrictedOf]));
  return page.map(({ receipt }) => ({
    receipt,
    organizationId: owners.get(receipt.deletion_request_id) ?? receipt.organization_id,
  }));
}

/** With the keys that the service publishes. Whoever has a receipt may verify it, so this needs no right. */
export async function verifyPresented(
  app: App,
  presented: readonly unknown[],
): Promise<{ readonly verdicts: readonly ReceiptVerdict[]; readonly keys: PublishedKeys }> {
  const keys = await publishReceiptKeys(app);
  return { verdicts: verifyReceipts(presented, keys), keys };
}
