// What the ledger outside a store says of one deletion, and what it says once there is a receipt. Holds no content.

import type { ResourceType } from "./record-type.ts";
import type { Receipt } from "./receipt.ts";

/** Times are Unix milliseconds. */
export interface LedgerEntry {
  readonly organizationId: string;
  readonly deletionRequestId: string;
  readonly resourceType: ResourceType;
  readonly resourceId: string;
  readonly requestedBy: string;
  readonly requestedAt: number;
  /** Left out in the entry that is written before a deletion is completed. */
  readonly completed?: {
    readonly at: number;
    readonly receiptNo: number;
    readonly receiptHash: string;
  };
}

/** The entry of a completed deletion. `hash` is that of the receipt. */
export function entryOfReceipt(receipt: Receipt, hash: string): LedgerEntry {
  const { asked } = receipt;
  return {
    organizationId: receipt.organization_id,
    deletionRequestId: receipt.deletion_request_id,
    resourceType: asked.resource_type,
    resourceId: asked.resource_id,
    requestedBy: asked.by,
    requestedAt: Date.parse(asked.at),
    completed: {
      at: Date.parse(receipt.completed_at),
      receiptNo: receipt.receipt_no,
      receiptHash: hash,
    },
  };
}
