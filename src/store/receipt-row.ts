// Receipts and their keys as an engine keeps them in rows. The same on every engine; reads and writes nothing.

import { hash as digest } from "node:crypto";
import { canonicalJson } from "../domain/canonical-json.ts";
import { chainedText, type Receipt, type ReceiptHead, type ReceiptKey } from "../domain/receipt.ts";
import type { KeptReceipt, SealedReceipt } from "./store.ts";

export interface ReceiptRow {
  readonly receipt_no: number;
  readonly document: string;
  readonly hash: string;
}

export interface HeadRow {
  readonly store_id: string;
  readonly receipt_no: number;
  readonly hash: string;
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

export function toReceipt({ document }: Pick<ReceiptRow, "document">): Receipt {
  return JSON.parse(document) as Receipt;
}

export function toKeptReceipt(row: ReceiptRow): KeptReceipt {
  return { receipt: toReceipt(row), hash: row.hash };
}

export function toReceiptKey(row: KeyRow): ReceiptKey {
  return {
    keyId: row.key_id,
    publicKey: row.public_key,
    createdAt: row.created_at,
    retiredAt: row.retired_at ?? undefined,
  };
}

/** The document in the form that its hash is over. */
export function documentOf({ receipt }: SealedReceipt): string {
  return canonicalJson(receipt);
}

/** True if the receipt is the next one after this end of the chain. */
export function followsHead({ receipt }: SealedReceipt, head: ReceiptHead): boolean {
  return (
    receipt.store_id === head.storeId &&
    receipt.receipt_no === head.receiptNo + 1 &&
    receipt.previous_receipt === head.hash
  );
}

/** What is wrong with a kept receipt as the one after `previous`; undefined if nothing is. */
export function findChainFault(
  row: ReceiptRow,
  previous: Pick<ReceiptRow, "receipt_no" | "hash">,
): string | undefined {
  const receipt = toReceipt(row);
  const intact =
    receipt.receipt_no === row.receipt_no && digest("sha256", chainedText(receipt)) === row.hash;
  if (!intact) return `Receipt ${row.receipt_no} was altered.`;
  if (row.receipt_no === previous.receipt_no + 1) {
    if (receipt.previous_receipt === previous.hash) return undefined;
    return `Receipt ${row.receipt_no} does not follow from the one before.`;
  }
  // The numbers of receipts that a restore took away are not given out again.
  if (row.receipt_no > previous.receipt_no && receipt.carried_out_again !== undefined) {
    return undefined;
  }
  return `Receipts are missing between ${previous.receipt_no} and ${row.receipt_no}.`;
}
