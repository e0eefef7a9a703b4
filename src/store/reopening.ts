// What a deletion says of itself that is opened again after a restore. The same on every engine; reads and writes nothing.

import type { CarriedOutBefore } from "../domain/deletion.ts";
import type { LedgerEntry } from "../domain/ledger-entry.ts";

/** The ledger does not keep reasons, which are free text. */
export const reopeningReason = "carried out again after a restore";

export function carriedOutBefore({ completed }: LedgerEntry): CarriedOutBefore {
  return {
    because: "restore",
    completed_at: completed === undefined ? null : new Date(completed.at).toISOString(),
    receipt_no: completed?.receiptNo ?? null,
    receipt: completed?.receiptHash ?? null,
  };
}

/** At once, and in the order in which they were completed. */
export function dueAgain({ completed }: LedgerEntry, now: number): number {
  return Math.min(completed?.at ?? now, now);
}
