// Receipts in the transaction that completes a deletion. The statements are in ../sql.

import { followsHead } from "../row/receipt-row.ts";
import * as receipts from "../sql/receipt.ts";
import type { Act, SealedReceipt } from "../store.ts";
import type { Connection } from "./connection.ts";

/** False if another receipt was written since this one was signed; then it has to be signed anew. */
export function fitsChain(connection: Connection, sealed: SealedReceipt): boolean {
  return followsHead(sealed, connection.perform(receipts.readReceiptHead));
}

export function storeReceipt(connection: Connection, sealed: SealedReceipt, act: Act): void {
  connection.perform(receipts.storeReceipt, sealed, act);
}
