// Seals the receipts of deletions that are about to be completed, each following the one before it in the chain. Stores
// nothing.

import { setImmediate } from "node:timers/promises";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { aloneNo, type ReceiptHead, type SealingHead } from "../../domain/deletion/receipt.ts";
import type { EngineTraits } from "../interface/engine-traits.ts";
import type { SealedReceipt, SealReceipt } from "../interface/receipt.ts";

const sealedAtOnceMax = 16;

export interface Sealing {
  readonly seal: SealReceipt | undefined;
  readonly head: SealingHead;
  readonly engine: EngineTraits["verification"];
  readonly completedAt: number;
}

/** In the order of the deletions; none in tests without a key. Yields regularly, because sealing takes time. */
export async function sealReceipts(
  deletions: readonly Deletion[],
  { seal, head: from, engine, completedAt }: Sealing,
): Promise<readonly (SealedReceipt | undefined)[]> {
  if (seal === undefined) return deletions.map(() => undefined);
  let head = from;
  const all: SealedReceipt[] = [];
  for (const deletion of deletions) {
    if (all.length > 0 && all.length % sealedAtOnceMax === 0) await setImmediate();
    const sealed = seal({ ...deletion, completedAt }, { head, engine });
    head = headAfter(head, sealed);
    all.push(sealed);
  }
  return all;
}

/** A receipt that is in no chain leaves the head of the chain unchanged. */
export function headAfter<Head extends ReceiptHead>(head: Head, sealed: SealedReceipt): Head {
  const { receipt_no: receiptNo } = sealed.receipt;
  return receiptNo === aloneNo ? head : { ...head, receiptNo, hash: sealed.hash };
}
