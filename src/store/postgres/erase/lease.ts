// Leases on deletions: a process claims one for a limited time, and every further step verifies that it still holds the
// lease. So two processes never process the same deletion, however slow or disconnected one of them is.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { isOfOrganization } from "../../../domain/deletion/organization-deletion.ts";
import { lockProcessing, type Processing } from "../../sql/plan/erasure.ts";
import { StoreError } from "../../interface/store-error.ts";
import type { Transaction } from "../transaction.ts";
import { enterFor } from "./enter.ts";

export interface Postponement {
  readonly deletionRequestId: string;
  readonly why: string;
  readonly nextAttemptAt: number;
}

const endLeases = `
  UPDATE deletion SET lease_until = 0
  WHERE status = 'processing' AND claimant = $1 AND NOT deletion_request_id = ANY ($2::text[])`;

/** The claims of this process, by deletion. */
export class Leases {
  readonly #claimants = new Map<string, string>();
  readonly #organizations = new Set<string>();
  readonly #postponements = new Map<string, Postponement>();

  claimed(deletion: Deletion, claimant: string): void {
    const { deletionRequestId } = deletion;
    this.#claimants.set(deletionRequestId, claimant);
    if (isOfOrganization(deletion)) this.#organizations.add(deletionRequestId);
  }

  /** Ends leases that this process does not know of, because the claim failed, or its commit was never confirmed. */
  async endUnknown(transaction: Transaction, claimant: string): Promise<void> {
    await transaction.run(endLeases, claimant, [...this.#claimants.keys()]);
  }

  end(deletionRequestId: string): void {
    this.#claimants.delete(deletionRequestId);
    this.#organizations.delete(deletionRequestId);
    this.#postponements.delete(deletionRequestId);
  }

  /** If the server is unreachable now, the next claim stores it before the lease expires. */
  addPostponement(postponement: Postponement): void {
    this.#postponements.set(postponement.deletionRequestId, postponement);
  }

  get postponements(): readonly Postponement[] {
    return [...this.#postponements.values()];
  }

  /** Whether it is the deletion of an organization, or of a restricted set. */
  isOfOrganization(deletionRequestId: string): boolean {
    return this.#organizations.has(deletionRequestId);
  }

  claimantOf(deletionRequestId: string): string | undefined {
    return this.#claimants.get(deletionRequestId);
  }

  /**
   * Locks the deletions until the end of the transaction, which from then on sees their organizations. Throws
   * StoreError if this process does not hold the lease of each.
   */
  async lock(transaction: Transaction, ids: readonly string[]): Promise<readonly Processing[]> {
    const processing = await transaction.perform(lockProcessing, ids);
    for (const { deletion, claimant } of processing) {
      const { deletionRequestId: id } = deletion;
      if (claimant !== null && claimant === this.claimantOf(id)) continue;
      throw new StoreError(`The deletion ${id} is processed by another process.`, {
        isTemporary: true,
      });
    }
    await enterFor(
      transaction,
      processing.map(({ deletion }) => deletion),
    );
    return processing;
  }
}
