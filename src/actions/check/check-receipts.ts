// Compares receipts with their signatures and with the rows of their deletions.

import { isDeepStrictEqual } from "node:util";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { aloneNo, type Receipt } from "../../domain/deletion/receipt.ts";
import { countsOf } from "../../domain/deletion/receipt-count.ts";
import type { App } from "../app.ts";
import { receiptPages } from "../pages.ts";
import { hashCounts } from "../receipt/receipt-counts.ts";
import { publishReceiptKeys } from "../receipt/receipt-keys.ts";
import { verifyReceipts } from "../receipt/verify-receipt.ts";
import type { Findings } from "./findings.ts";

export async function checkReceipts(app: App, findings: Findings): Promise<void> {
  const published = await publishReceiptKeys(app);
  const saltKey = await app.store.receiptSaltKey();
  for await (const page of receiptPages(app)) {
    const receipts = page.map(({ receipt }) => receipt);
    const ids = receipts.map(({ deletion_request_id: id }) => id);
    const rows = await app.store.trail.findDeletions(ids);
    const deletions = new Map(rows.map((row) => [row.deletionRequestId, row]));
    for (const receipt of receipts) {
      // One by one: the chain and its gaps are checked elsewhere.
      const [verdict] = verifyReceipts([receipt], published);
      const fault = findRowFault(receipt, deletions.get(receipt.deletion_request_id), saltKey);
      for (const found of [...(verdict?.faults ?? []), ...(fault === undefined ? [] : [fault])]) {
        findings.add(`Receipt ${nameOf(receipt)}: ${found}`);
      }
    }
  }
}

function nameOf({ receipt_no: no, deletion_request_id: id }: Receipt): string {
  return no === aloneNo ? `of ${id}` : String(no);
}

function findRowFault(
  receipt: Receipt,
  deletion: Deletion | undefined,
  saltKey: string,
): string | undefined {
  const { deletion_request_id: id } = receipt;
  if (deletion === undefined) return `its deletion ${id} is not in the store.`;
  if (deletion.status !== "completed") return `its deletion ${id} is ${deletion.status}.`;
  const said = { ...describeReceipt(receipt), ...numbersInReceipt(receipt) };
  const found = { ...describeDeletion(deletion), ...numbersOf(deletion, receipt, saltKey) };
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
    carried_out_again: deletion.carriedOutBefore ?? null,
  };
}

function numbersInReceipt({ counts }: Receipt): Described {
  return { counts, references_removed: 0 };
}

/** What the receipt would contain for the numbers in the row. */
function numbersOf(deletion: Deletion, receipt: Receipt, saltKey: string): Described {
  const { redacted, redactedByType } = deletion;
  const sum = Object.values(redactedByType).reduce<number>((total, one) => total + (one ?? 0), 0);
  const types = Object.keys(receipt.counts);
  const counts = countsOf(deletion);
  const named = Object.values(counts).flatMap((byType) => Object.keys(byType));
  const isKnown = named.every((type) => types.includes(type));
  // The number of all types together is in no receipt.
  return {
    counts: isKnown ? hashCounts(counts, receipt, { saltKey, types }) : {},
    references_removed: redacted - sum,
  };
}
