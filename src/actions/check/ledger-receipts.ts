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

export class LedgerReceipts {
  readonly #app: App;
  readonly #findings: Findings;
  readonly #cuts: readonly ChainCut[];
  readonly #seen = new NumberSet();

  /** `restores`: the entries of the audit trail that say which receipts a restore removed. */
  constructor(app: App, findings: Findings, restores: readonly AuditEntry[]) {
    this.#app = app;
    this.#findings = findings;
    this.#cuts = restores.map(({ detail }) => detail["receipts"] as ChainCut);
  }

  async check(page: readonly DeletionEntry[]): Promise<void> {
    if (page.length === 0) return;
    const ids = [...new Set(page.map(({ deletionRequestId }) => deletionRequestId))];
    const { trail } = this.#app.store;
    const [stored, rows] = await Promise.all([trail.findReceipts(ids), trail.findDeletions(ids)]);
    const receipts = new Map(stored.map((one) => [one.receipt.deletion_request_id, one]));
    const known = new Set(rows.map(({ deletionRequestId }) => deletionRequestId));
    for (const entry of page) {
      const { deletionRequestId: id, completed } = entry;
      if (!known.has(id)) {
        this.#findings.add(`Deletion ${id} is in the ledger, and not in the store.`);
      } else if (completed !== undefined) {
        this.#checkReceipt(entry, completed.receiptNo, receipts.get(id));
      }
    }
  }

  #checkReceipt(entry: DeletionEntry, no: number, stored: StoredReceipt | undefined): void {
    this.#seen.add(no);
    const id = entry.deletionRequestId;
    if (stored === undefined) {
      this.#findings.add(`Receipt ${no} of deletion ${id} is in the ledger, and not in the store.`);
      return;
    }
    const expected = entryOfReceipt(stored.receipt, stored.hash);
    if (isDeepStrictEqual(expected, entry)) return;
    const isReplayed = stored.receipt.receipt_no > no && this.#wasCut(no);
    if (isReplayed) return;
    this.#findings.add(`Receipt ${no} of deletion ${id} differs between the ledger and the store.`);
  }

  #wasCut(no: number): boolean {
    return this.#cuts.some(({ restored, known }) => no > restored.no && no <= known.no);
  }

  /** Every receipt up to the one in the last signed heads must be in the ledger. */
  async end(notedNo: number): Promise<void> {
    if (notedNo === 0) return;
    for await (const page of receiptPages(this.#app, 0)) {
      for (const { receipt } of page) {
        const { receipt_no: no } = receipt;
        if (no > notedNo) return;
        if (!this.#seen.has(no)) {
          this.#findings.add(`Receipt ${no} is in the store, and not in the ledger.`);
        }
      }
    }
  }
}

/** A bit for each number. */
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
