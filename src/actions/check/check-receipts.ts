// Receipts compared with their signatures and with the rows of their deletions.

import { isDeepStrictEqual } from "node:util";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import type { Receipt } from "../../domain/deletion/receipt.ts";
import type { App } from "../app.ts";
import { receiptPages } from "../pages.ts";
import { publishReceiptKeys } from "../receipt-keys.ts";
import { verifyReceipts } from "../verify-receipt.ts";
import type { Findings } from "./findings.ts";

export async function checkReceipts(app: App, findings: Findings): Promise<void> {
  const published = await publishReceiptKeys(app);
  for await (const page of receiptPages(app)) {
    const receipts = page.map(({ receipt }) => receipt);
    const ids = receipts.map(({ deletion_request_id: id }) => id);
    const rows = await app.store.trail.findDeletions(ids);
    const deletions = new Map(rows.map((row) => [row.deletionRequestId, row]));
    for (const receipt of receipts) {
      // One by one: the chain and its gaps are checked elsewhere.
      const [verdict] = verifyReceipts([receipt], published);
      const fault = findRowFault(receipt, deletions.get(receipt.deletion_request_id));
      for (const found of [...(verdict?.faults ?? []), ...(fault === undefined ? [] : [fault])]) {
        findings.add(`Receipt ${receipt.receipt_no}: ${found}`);
      }
    }
  }
}

function findRowFault(receipt: Receipt, deletion: Deletion | undefined): string | undefined {
  const { deletion_request_id: id } = receipt;
  if (deletion === undefined) return `its deletion ${id} is not in the store.`;
  if (deletion.status !== "completed") return `its deletion ${id} is ${deletion.status}.`;
  const [said, found] = [describeReceipt(receipt), describeDeletion(deletion)];
  const names = Object.keys(said).filter((name) => !isDeepStrictEqual(said[name], found[name]));
  if (names.length === 0) return undefined;
  return `its deletion ${id} differs in ${names.join(", ")}: it was altered in the store.`;
}

type Described = Readonly<Record<string, unknown>>;

function describeReceipt(receipt: Receipt): Described {
  const { asked } = receipt;
  return {
    organization_id: receipt.organization_id,
    resource_type: asked.resource_type,
    resource_id: asked.resource_id,
    reason: asked.reason,
    requested_by: asked.by,
    requested_at: asked.at,
    started_at: receipt.started_at,
    completed_at: receipt.completed_at,
    erased: receipt.erased,
    references_removed: receipt.references_removed,
    carried_out_again: receipt.carried_out_again ?? null,
  };
}

function describeDeletion(deletion: Deletion): Described {
  const { completedAt = 0, startedAt = completedAt } = deletion;
  return {
    organization_id: deletion.organizationId,
    resource_type: deletion.resourceType,
    resource_id: deletion.resourceId,
    reason: deletion.reason,
    requested_by: deletion.requestedBy,
    requested_at: new Date(deletion.requestedAt).toISOString(),
    started_at: new Date(startedAt).toISOString(),
    completed_at: new Date(completedAt).toISOString(),
    erased: deletion.erased,
    references_removed: deletion.redacted,
    carried_out_again: deletion.carriedOutBefore ?? null,
  };
}
