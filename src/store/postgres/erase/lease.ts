// Leases on deletions: a process claims one for a limited time, and every further step verifies that it still holds the
// lease. So two processes never process the same deletion, however slow or disconnected one of them is.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { type DeletionRow, toDeletion } from "../../row/deletion-row.ts";
import { requireProcessing } from "../../sql/erasure.ts";
import { StoreError } from "../../store-error.ts";
import type { Transaction } from "../transaction.ts";
import { enterFor } from "./enter.ts";

const lockOne = `SELECT * FROM deletion WHERE deletion_request_id = $1 FOR UPDATE`;

interface LeasedRow extends DeletionRow {
  readonly claimant: string | null;
}

export interface Postponement {
  readonly deletionRequestId: string;
  readonly why: string;
  readonly nextAttemptAt: number;
}

/** The claims of this process, by deletion. */
export class Leases {
  readonly #claimants = new Map<string, string>();
  readonly #postponements = new Map<string, Postponement>();

  claimed({ deletionRequestId }: Deletion, claimant: string): void {
    this.#claimants.set(deletionRequestId, claimant);
  }

  end(deletionRequestId: string): void {
    this.#claimants.delete(deletionRequestId);
    this.#postponements.delete(deletionRequestId);
  }

  /**
   * Remembers a postponement until it is stored: if the server is down now, the next claim stores it before the lease
   * expires.
   */
  addPostponement(postponement: Postponement): void {
    this.#postponements.set(postponement.deletionRequestId, postponement);
  }

  get postponements(): readonly Postponement[] {
    return [...this.#postponements.values()];
  }

  claimantOf(deletionRequestId: string): string | undefined {
    return this.#claimants.get(deletionRequestId);
  }

  /**
   * Locks the deletion until the end of the transaction, which from then on sees its organization. Throws StoreError if
   * this process does not hold the lease.
   */
  async lock(transaction: Transaction, deletionRequestId: string): Promise<Deletion> {
    const row = await transaction.get<LeasedRow>(lockOne, deletionRequestId);
    if (row === undefined) throw new TypeError(`there is no deletion ${deletionRequestId}`);
    const deletion = requireProcessing(toDeletion(row));
    if (row.claimant === null || row.claimant !== this.claimantOf(deletionRequestId)) {
      throw new StoreError(`The deletion ${deletionRequestId} is processed by another process.`);
    }
    await enterFor(transaction, deletion);
    return deletion;
  }
}
