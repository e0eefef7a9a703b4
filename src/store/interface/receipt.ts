// Receipts as they are signed, stored and read.

import type { Deletion } from "../../domain/deletion/deletion.ts";
import type {
  Receipt,
  ReceiptKey,
  ReceiptPlace,
  SealingHead,
} from "../../domain/deletion/receipt.ts";
import type { ReceiptCounts } from "../../domain/deletion/receipt-count.ts";
import type { EngineTraits } from "./engine-traits.ts";

/** A signed receipt, to be written in the transaction that completes its deletion. */
export interface SealedReceipt {
  readonly receipt: ReceiptPlace;
  /** The form that is hashed. It is serialized once, because text passes between threads faster than an object. */
  readonly document: string;
  /** The numbers whose hashes it contains. */
  readonly counts: ReceiptCounts;
  readonly hash: string;
  /** The key that signed it; stored with it if it is new. */
  readonly key: ReceiptKey;
}

/** Signs the receipt of a deletion that is being completed. Throws if there is no key. */
export type SealReceipt = (
  deletion: Deletion,
  context: { readonly head: SealingHead; readonly engine: EngineTraits["verification"] },
) => SealedReceipt;

export interface StoredReceipt {
  /** The order in which receipts are listed: first receipts that are in no chain, in any order. */
  readonly rowNo: number;
  readonly receipt: Receipt;
  readonly hash: string;
}
