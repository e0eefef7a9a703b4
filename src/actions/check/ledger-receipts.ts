// Compares the deletions in the ledger with the receipts in the store, in both directions.

import { isDeepStrictEqual } from "node:util";
import type { AuditEntry } from "../../domain/access.ts";
import {
  type ChainCut,
  type DeletionEntry,
  entryOfReceipt,
} from "../../domain/deletion/ledger-entry.ts";
import type { StoredReceipt } from "../../store/interface/receipt.ts";
import type { App } from "../app.ts";
import { receiptPages } from "../pages.ts";
import type { Findings } from "./findings.ts";

export type LedgerReceipts = ReturnType<typeof makeLedgerReceipts>;

/** `restores`: the entries of the audit trail that say which receipts a restore removed. */
export function makeLedgerReceipts(app: App, findings: Findings, restores: readonly AuditEntry[]) {
  const cuts = restores.map(({ detail }) => detail["receipts"] as ChainCut);
  const seen = new NumberSet();

  async function check(page: readonly DeletionEntry[]): Promise<void> {
    if (page.length === 0) return;
    const ids = [...new Set(page.map(({ deletionRequestId }) => deletionRequestId))];
    const { trail } = app.store;
    const [stored, rows] = await Promise.all([trail.findReceipts(ids), trail.findDeletions(ids)]);
    const receipts = new Map(stored.map((one) => [one.receipt.deletion_request_id, one]));
    const known = new Set(rows.map(({ deletionRequestId }) => deletionRequestId));
    for (const entry of page) {
      const { deletionRequestId: id, completed } = entry;
      if (!known.has(id)) {
        findings.add(`Deletion ${id} is in the ledger, but not in the store.`);
      } else if (completed !== undefined) {
        checkReceipt(entry, completed.receiptNo, receipts.get(id));
      }
    }
  }

  function checkReceipt(entry: DeletionEntry, no: number, stored: StoredReceipt | undefined): void {
    seen.add(no);
    const id = entry.deletionRequestId;
    if (stored === undefined) {
      findings.add(`Receipt ${no} of deletion ${id} is in the ledger, but not in the store.`);
      return;
    }
    const expected = entryOfReceipt(stored.receipt, stored.hash);
    if (isDeepStrictEqual(expected, entry)) return;
    const wasCut = cuts.some(({ restored, known }) => no > restored.no && no <= known.no);
    const isReplayed = stored.receipt.receipt_no > no && wasCut;
    if (isReplayed) return;
    findings.add(`Receipt ${no} of deletion ${id} differs between the ledger and the store.`);
  }

  /** Every receipt up to the one in the last signed heads must be in the ledger. */
  async function end(notedNo: number): Promise<void> {
    if (notedNo === 0) return;
    for await (const page of receiptPages(app, 0)) {
      for (const { receipt } of page) {
        const { receipt_no: no } = receipt;
        if (no > notedNo) return;
        if (!seen.has(no)) {
          findings.add(`Receipt ${no} is in the store, but not in the ledger.`);
        }
      }
    }
  }

  return { check, end };
}

/** One bit for each number. */
class NumberSet {
  #bits = new Uint8Array(1_024);

  add(no: number): void {
    const at = Math.floor(no / 8);
    if (at >= this.#bits.length) {
      const grown = new Uint8Array(Math.max(at + 1, this.#bits.length * 2));
      grown.set(this.#bits);
      this.#bits = grown;
    }
    this.#bits[at] = (this.#bits[at] ?? 0) | (1 << (no % 8));
  }

  has(no: number): boolean {
    return ((this.#bits[Math.floor(no / 8)] ?? 0) & (1 << (no % 8))) !== 0;
  }
}
