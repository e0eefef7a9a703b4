// Who processes a deletion: a process takes it for a while, and every further step makes sure that it has it still. So
// no two processes ever process the same one, however slow or cut off one of them is.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { type DeletionRow, toDeletion } from "../../row/deletion-row.ts";
import { StoreError } from "../../store-error.ts";
import type { Transaction } from "../transaction.ts";

const lockOne = `SELECT * FROM deletion WHERE deletion_request_id = $1 FOR UPDATE`;

interface LeasedRow extends DeletionRow {
  readonly claimant: string | null;
}

export interface Postponement {
  readonly deletionRequestId: string;
  readonly why: string;
  readonly nextAttemptAt: number;
}

/** Names of the claims that this process made, by deletion. */
export class Leases {
  readonly #claimants = new Map<string, string>();
  readonly #owed = new Map<string, Postponement>();

  taken({ deletionRequestId }: Deletion, claimant: string): void {
    this.#claimants.set(deletionRequestId, claimant);
  }

  over(deletionRequestId: string): void {
    this.#claimants.delete(deletionRequestId);
    this.#owed.delete(deletionRequestId);
  }

  /** Could not be released, as the server was away; to be done when it answers again, sooner than the lease ends. */
  owe(postponement: Postponement): void {
    this.#owed.set(postponement.deletionRequestId, postponement);
  }

  get owed(): readonly Postponement[] {
    return [...this.#owed.values()];
  }

  claimantOf(deletionRequestId: string): string | undefined {
    return this.#claimants.get(deletionRequestId);
  }

  /**
   * Locks the deletion to the end of the transaction, which from then on sees its organization. Throws StoreError if it is
   * not this process that has it.
   */
  async hold(transaction: Transaction, deletionRequestId: string): Promise<Deletion> {
    const row = await transaction.get<LeasedRow>(lockOne, deletionRequestId);
    if (row === undefined) throw new TypeError(`there is no deletion ${deletionRequestId}`);
    if (row.status !== "processing") {
      throw new TypeError(`the deletion ${deletionRequestId} is ${row.status}, not processing`);
    }
    if (row.claimant === null || row.claimant !== this.claimantOf(deletionRequestId)) {
      throw new StoreError(`The deletion ${deletionRequestId} is processed by another process.`);
    }
    await transaction.enter(row.organization_id);
    return toDeletion(row);
  }
}
