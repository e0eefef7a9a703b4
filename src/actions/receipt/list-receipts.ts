// Reads receipts for people. Their numbers would disclose deletions of confidential records, so the list needs the
// right to know of them.

import { ownerOf } from "../../domain/deletion/restricted-set.ts";
import type { Receipt } from "../../domain/deletion/receipt.ts";
import type { StoredReceipt } from "../../store/interface/deletion.ts";
import type { App } from "../app.ts";
import { noteDownload } from "../trail/audit-access.ts";
import { receiptPages } from "../pages.ts";
import { nameOwners } from "../retention/restricted-sets.ts";
import { hasRight, requireRight, viewerOf } from "../operator/viewer.ts";

const shownMax = 50;
/** How many parts of the chain are searched for receipts of one organization: the store has no index of them. */
const partsMax = 20;

export interface ReceiptPart {
  /** Newest first; few, or none, where most receipts are of other organizations. */
  readonly receipts: readonly StoredReceipt[];
  readonly next: number | undefined;
}

interface ReceiptQuery {
  readonly organizationId?: string | undefined;
  readonly before?: number | undefined;
}

function requireReceipts(app: App): void {
  requireRight(app, "receipt.read");
  requireRight(app, "confidential.read");
}

export function mayListReceipts(app: App): boolean {
  return hasRight(app, "receipt.read") && hasRight(app, "confidential.read");
}

/** Those before a number, or the newest; of one organization, or of all. */
export async function listReceipts(
  app: App,
  { organizationId, before }: ReceiptQuery = {},
): Promise<ReceiptPart> {
  requireReceipts(app);
  const receipts: StoredReceipt[] = [];
  let end = before ?? (await app.store.receiptHead()).receiptNo + 1;
  for (let parts = 0; parts < partsMax && receipts.length < shownMax && end > 1; parts += 1) {
    const after = Math.max(0, end - shownMax - 1);
    const part = await app.store.listReceipts(after, shownMax);
    const shown = part.filter(
      ({ receipt }) =>
        receipt.receipt_no < end &&
        (organizationId ?? receipt.organization_id) === receipt.organization_id,
    );
    receipts.push(...shown.toReversed());
    end = after + 1;
  }
  return { receipts, next: end > 1 ? end : undefined };
}

export interface ExportedReceipt {
  readonly receipt: Receipt;
  /** For a restricted set: the organization that its records come from. */
  readonly organizationId: string;
}

/** Oldest first. Without an organization the whole chain, in which an omitted receipt would be a gap. */
export async function* exportReceipts(
  app: App,
  {
    after,
    organizationId,
  }: { readonly after?: number; readonly organizationId?: string | undefined } = {},
): AsyncGenerator<readonly ExportedReceipt[]> {
  if (organizationId === undefined) requireReceipts(app);
  requireRight(app, "receipt.read");
  const knows = await viewerOf(app).knowledge();
  // Receipts that are in no chain come before the first of the chain.
  for await (const page of receiptPages(app, after === 0 ? undefined : after)) {
    const shown = page.filter(({ receipt: { organization_id: owner, asked } }) =>
      knows({ organizationId: owner, resourceType: asked.resource_type }),
    );
    const rows = shown.map(({ receipt }) => ({ receipt, organizationId: receipt.organization_id }));
    const owned = await nameOwners(app, rows, organizationId);
    yield owned.map((row) => ({ receipt: row.receipt, organizationId: ownerOf(row) }));
  }
}

export async function downloadReceipts(
  app: App,
  organizationId: string | undefined,
): Promise<AsyncGenerator<readonly ExportedReceipt[]>> {
  requireReceipts(app);
  await noteDownload(app, "receipt.export", organizationId);
  return exportReceipts(app, { organizationId });
}
