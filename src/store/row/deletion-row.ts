// The rows of deletions and of receipts, and their conversion. The same on every engine.

import type { DeletionBasis } from "../../domain/deletion/basis.ts";
import {
  approvalWait,
  type Deletion,
  type ErasedCounts,
  type ProcessedBefore,
} from "../../domain/deletion/deletion.ts";
import { reader, type Row } from "./reader.ts";
import {
  aloneNo,
  type Receipt,
  type ReceiptHead,
  type ReceiptKey,
  type SealingHead,
} from "../../domain/deletion/receipt.ts";
import type { SealedReceipt, StoredReceipt } from "../interface/deletion.ts";

/** The columns of a row that are not fields of a deletion under the same name. */
export type DeletionRow = Row & {
  readonly deletion_request_id: string;
  readonly next_attempt_at: number | null;
  readonly basis: DeletionBasis | null;
  readonly held: number | boolean;
  readonly carried_out_before: string | null;
  readonly approval_requester: string | null;
  readonly approved_by: string | null;
  readonly approved_at: number | null;
  readonly claimant: string | null;
  readonly plan_end: number;
  readonly cursor: string | null;
};

const readDeletion = reader<Omit<Deletion, "basis" | "isHeld" | "approval" | "processedBefore">>(
  { requester: "optional", erased: "json", kept: "json", redactedByType: "json" },
  {
    without:
      "basis held carried_out_before approval_requester approved_by approved_at lease_until claimant plan_end cursor",
  },
);

/** The next attempt of a deletion that awaits an approval: so the worker's index has it after all others. */
export const untilApproved = Number.MAX_SAFE_INTEGER;

export function toDeletion(row: DeletionRow): Deletion {
  const { carried_out_before: before, next_attempt_at: nextAttemptAt } = row;
  return Object.assign(readDeletion(row), {
    ...(nextAttemptAt === untilApproved ? { nextAttemptAt: undefined } : {}),
    ...(row.basis === null ? {} : { basis: row.basis }),
    ...(row.held ? { isHeld: true } : {}),
    ...approvalOf(row),
    ...(before === null ? {} : { processedBefore: JSON.parse(before) as ProcessedBefore }),
  });
}

function approvalOf(row: DeletionRow): Pick<Deletion, "approval"> {
  const { approval_requester: requester, approved_by: by, approved_at: at } = row;
  if (requester === null) return {};
  return { approval: { requester, approvedBy: by ?? undefined, approvedAt: at ?? undefined } };
}

/** The columns of a new deletion that say why it waits, until when, and who may not approve it. */
export function approvalColumns(
  requester: string | undefined,
): readonly [waitingFor: string | null, nextAttemptAt: number | null, requester: string | null] {
  if (requester === undefined) return [null, null, null];
  return [approvalWait, untilApproved, requester];
}

/** Increments the count of each of these types. */
export function addCounts(before: ErasedCounts, types: readonly string[]): ErasedCounts {
  const counts = new Map(Object.entries(before));
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  return Object.fromEntries(counts);
}

/** Hexadecimal digits of the hash of a receipt that is in no chain: 52 bits. */
const hashDigits = 13;

export interface ReceiptRow {
  readonly receipt_no: number;
  readonly deletion_request_id: string;
  readonly organization_id: string;
  readonly document: string;
  readonly hash: string;
}

export const toHead = reader<ReceiptHead>({}, { without: "salt_key" });

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
