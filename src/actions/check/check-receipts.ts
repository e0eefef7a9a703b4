// Compares receipts with their signatures and with the rows of their deletions.

import { isDeepStrictEqual } from "node:util";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import {
  aloneNo,
  makeReceiptBody,
  type Receipt,
  type ReceiptBody,
} from "../../domain/deletion/receipt.ts";
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
      // Receipts are verified one by one, because the chain and its gaps are checked elsewhere.
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
  const said = flatten(receipt);
  const found = flatten(makeExpected(deletion, receipt, saltKey));
  const names = Object.keys(found).filter((name) => !isDeepStrictEqual(said[name], found[name]));
  if (hasUnknownReferences(deletion)) names.push("references_removed");
  if (names.length === 0) return undefined;
  return `its deletion ${id} differs in ${names.join(", ")}: it was altered in the store.`;
}

/** Makes the receipt that the row of its deletion should have. */
function makeExpected(deletion: Deletion, receipt: Receipt, saltKey: string): ReceiptBody {
  const { completedAt = 0 } = deletion;
  const { store_id: storeId, receipt_no: no, previous_receipt: hash } = receipt;
  const types = Object.keys(receipt.counts);
  const counts = countsOf(deletion);
  const named = Object.values(counts).flatMap((byType) => Object.keys(byType));
  const isKnown = named.every((type) => types.includes(type));
  return makeReceiptBody(
    { ...deletion, completedAt },
    {
      head: { storeId, receiptNo: no - 1, hash },
      engine: receipt.verification,
      keyId: receipt.key_id,
      hashCounts: () => (isKnown ? hashCounts(counts, receipt, { saltKey, types }) : {}),
    },
  );
}

/** The members that come from the deletion. How it was verified is signed, and stored nowhere else. */
function flatten({ asked, ...body }: ReceiptBody): Readonly<Record<string, unknown>> {
  const { by: requested_by, at: requested_at, ...record } = asked;
  const { organization_id, started_at, completed_at, carried_out_again, counts } = body;
  const times = { requested_at, started_at, completed_at };
  return { organization_id, ...record, requested_by, ...times, carried_out_again, counts };
}

/** True if references of unknown types were removed. No receipt contains the total of all types. */
function hasUnknownReferences({ redacted, redactedByType }: Deletion): boolean {
  const sum = Object.values(redactedByType).reduce<number>((total, one) => total + (one ?? 0), 0);
  return redacted !== sum;
}
