// Verifies the audit chain and the chain of receipts link by link, and reports the first error. Both engines pass their
// rows here.

import { hash as digest } from "node:crypto";
import {
  type AuditHead,
  type AuditRow,
  cutOf,
  emptyChain,
  isCut,
} from "../../domain/audit-chain.ts";
import type { ChainCut, ChainHead } from "../../domain/deletion/ledger-entry.ts";
import {
  chainedText,
  noReceiptHash,
  type Receipt,
  type ReceiptHead,
} from "../../domain/deletion/receipt.ts";
import { followsInChain } from "../row/audit-row.ts";
import { type ReceiptRow, rowNoOf, toReceipt } from "../row/deletion-row.ts";

export class AuditChainCheck {
  /** The gaps in receipt numbers that the entries read so far explain. */
  readonly cuts: ChainCut[] = [];
  #previous: AuditHead;

  /** `after`: the entry before the first one that is checked. */
  constructor(after: AuditHead = emptyChain) {
    this.#previous = after;
  }

  get last(): AuditHead {
    return this.#previous;
  }

  get lastNo(): number {
    return this.#previous.entry_no;
  }

  add(rows: readonly AuditRow[]): string | undefined {
    for (const row of rows) {
      if (!this.#accept(row)) return `The audit chain is broken at entry ${row.entry_no}.`;
      this.#previous = { entry_no: row.entry_no, hash: row.hash };
    }
    return undefined;
  }

  #accept(row: AuditRow): boolean {
    try {
      if (!followsInChain(row, this.#previous)) return false;
      const cut = cutOf(row);
      if (cut !== undefined) this.cuts.push(cut.receipts);
      return true;
    } catch {
      // The detail is not JSON, although its hash is right.
      return false;
    }
  }

  /** `head`: the expected end of the chain. */
  end(head: AuditHead | undefined): string | undefined {
    const { entry_no: last, hash } = this.#previous;
    if (head?.entry_no === last && head.hash === hash) return undefined;
    return `The audit chain ends at entry ${last}, and should at ${head?.entry_no ?? "?"}.`;
  }
}

/** Undefined if the document or another column of the row was altered. */
export function readIntact(row: ReceiptRow): Receipt | undefined {
  let receipt: Receipt;
  let text: string;
  try {
    receipt = toReceipt(row);
    text = chainedText(receipt);
  } catch {
    return undefined;
  }
  const isSame =
    text === row.document &&
    digest("sha256", text) === row.hash &&
    rowNoOf(receipt, row.hash) === row.receipt_no &&
    receipt.deletion_request_id === row.deletion_request_id &&
    receipt.organization_id === row.organization_id;
  return isSame ? receipt : undefined;
}

export class ReceiptChainCheck {
  readonly #cuts: readonly ChainCut[];
  #previous: ChainHead = { no: 0, hash: noReceiptHash };

  constructor(cuts: readonly ChainCut[]) {
    this.#cuts = cuts;
  }

  get lastNo(): number {
    return this.#previous.no;
  }

  add(rows: readonly ReceiptRow[]): string | undefined {
    for (const row of rows) {
      const fault = this.#faultOf(row);
      if (fault !== undefined) return fault;
      this.#previous = { no: row.receipt_no, hash: row.hash };
    }
    return undefined;
  }

  end(head: ReceiptHead): string | undefined {
    const { no, hash } = this.#previous;
    if (head.receiptNo === no && head.hash === hash) return undefined;
    if (head.receiptNo === no) return `The chain of receipts does not end with receipt ${no}.`;
    if (head.receiptNo < no) return "The chain of receipts is longer than its end.";
    if (this.#isCut({ no: head.receiptNo, hash: head.hash })) return undefined;
    return `The chain of receipts ends at receipt ${no}, and should at ${head.receiptNo}.`;
  }

  #faultOf(row: ReceiptRow): string | undefined {
    const receipt = readIntact(row);
    if (receipt === undefined) return `Receipt ${row.receipt_no} was altered.`;
    const { no, hash } = this.#previous;
    if (row.receipt_no === no + 1) {
      if (receipt.previous_receipt === hash) return undefined;
      return `Receipt ${row.receipt_no} does not follow from the one before.`;
    }
    // The numbers of receipts that a restore removed are not used again.
    const before = { no: row.receipt_no - 1, hash: receipt.previous_receipt };
    if (this.#isCut(before)) return undefined;
    return `Receipts are missing between ${no} and ${row.receipt_no}.`;
  }

  #isCut(next: ChainHead): boolean {
    return this.#cuts.some((cut) => isCut(cut, { last: this.#previous, next }));
  }
}
