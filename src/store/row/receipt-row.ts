// The rows of receipts and of their keys, and their conversion. The same on every engine.

import {
  aloneNo,
  type Receipt,
  type ReceiptHead,
  type ReceiptKey,
  type SealingHead,
} from "../../domain/deletion/receipt.ts";
import type { SealedReceipt, StoredReceipt } from "../interface/receipt.ts";
import { reader } from "./reader.ts";

/** Hexadecimal digits of the hash of a receipt that is in no chain: 52 bits. */
const hashDigits = 13;

export interface ReceiptRow {
  readonly receipt_no: number;
  readonly deletion_request_id: string;
  readonly organization_id: string;
  readonly document: string;
  readonly hash: string;
}

export const toHead = reader<ReceiptHead>({});

export const toSealingHead = reader<SealingHead>({});

export const toReceiptKey = reader<ReceiptKey>({});

export function toReceipt({ document }: Pick<ReceiptRow, "document">): Receipt {
  return JSON.parse(document) as Receipt;
}

export function toStoredReceipt(row: ReceiptRow): StoredReceipt {
  return { receipt: toReceipt(row), hash: row.hash, rowNo: row.receipt_no };
}

/** The number in the chain; for a receipt that is in no chain, a negative number made from its hash. */
export function rowNoOf({ receipt_no: no }: Pick<Receipt, "receipt_no">, hash: string): number {
  return no === aloneNo ? -1 - Number.parseInt(hash.slice(0, hashDigits), 16) : no;
}

/** A number below that of every row. */
export const firstRowNo = -(16 ** hashDigits) - 1;

/** True if the receipt is the next one in the chain, or is in no chain. */
export function followsHead({ receipt }: SealedReceipt, head: ReceiptHead): boolean {
  if (receipt.store_id !== head.storeId) return false;
  if (receipt.receipt_no === aloneNo) return true;
  return receipt.receipt_no === head.receiptNo + 1 && receipt.previous_receipt === head.hash;
}
