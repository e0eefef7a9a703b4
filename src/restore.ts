// What connects a restore: the files from which it learns what has to be erased again.

import { readLedgerFile } from "./store/receipt-ledger.ts";
import type { LedgerEntry } from "./store/store.ts";

/** A ledger of another host, or a file of receipts. */
export function readLedger(path: string): AsyncIterable<LedgerEntry> {
  return readLedgerFile(path);
}
