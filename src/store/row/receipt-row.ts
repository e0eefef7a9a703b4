// The rows of receipts and of their keys, and their conversion. The same on every engine.

import {
  aloneNo,
  type Receipt,
  type ReceiptHead,
  type ReceiptKey,
  type SealingHead,
} from "../../domain/deletion/receipt.ts";
import type { SealedReceipt, StoredReceipt } from "../interface/receipt.ts";

/** Hexadecimal digits of the hash of a receipt that is in no chain: 52 bits. */
const hashDigits = 13;

export interface ReceiptRow {
  readonly receipt_no: number;
  readonly deletion_request_id: string;
  readonly organization_id: string;
  readonly document: string;
  readonly hash: string;
}

export interface HeadRow {
  readonly store_id: string;
  readonly receipt_no: number;
  readonly hash: string;
}

export interface SealingHeadRow extends HeadRow {
  readonly salt_key: string;
}

export interface KeyRow {
  readonly key_id: string;
  readonly public_key: string;
  readonly created_at: number;
  readonly retired_at: number | null;
}

export function toHead({ store_id, receipt_no, hash }: HeadRow): ReceiptHead {
  return { storeId: store_id, receiptNo: receipt_no, hash };
}

export function toSealingHead(row: SealingHeadRow): SealingHead {
  return { ...toHead(row), saltKey: row.salt_key };
}

export function toReceipt({ document }: Pick<ReceiptRow, "document">): Receipt {
  return JSON.parse(document) as Receipt;
}

export function toStoredReceipt(row: ReceiptRow): StoredReceipt {
  return { receipt: toReceipt(row), hash: row.hash, rowNo: row.receipt_no };
}

/** The number in the chain; for a receipt that is in no chain, a number below 0 made from its hash. */
export function rowNoOf({ receipt_no: no }: Pick<Receipt, "receipt_no">, hash: string): number {
  return no === aloneNo ? -1 - Number.parseInt(hash.slice(0, hashDigits), 16) : no;
}

/** A number below that of every row. */
export const firstRowNo = -(16 ** hashDigits) - 1;

export function toReceiptKey(row: KeyRow): ReceiptKey {
  return {
    keyId: row.key_id,
    publicKey: row.public_key,
    createdAt: row.created_at,
    retiredAt: row.retired_at ?? undefined,
  };
}

/** True if the receipt is the next one in the chain, or is in no chain. */
export function followsHead({ receipt }: SealedReceipt, head: ReceiptHead): boolean {
  if (receipt.store_id !== head.storeId) return false;
  if (receipt.receipt_no === aloneNo) return true;
  return receipt.receipt_no === head.receiptNo + 1 && receipt.previous_receipt === head.hash;
}
