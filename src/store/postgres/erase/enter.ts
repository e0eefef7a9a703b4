// What the transactions of deletions see: their organizations, and the restricted sets that they may fill. The deletion
// of a set also sees the organization of the set, whose rules apply, and the sets with reports that keep it. Changes
// nothing but locks.
//
// A process claims a deletion for a limited time (a lease), and every further step verifies that it still holds the
// lease. So two processes never process the same deletion, however slow or disconnected one of them is.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { isOfOrganization } from "../../../domain/deletion/organization-deletion.ts";
import { restrictedId } from "../../../domain/deletion/restricted-set.ts";
import { type KeepingReport, listKeepingReports } from "../../sql/plan/restricted-set.ts";
import type { Transaction } from "../transaction.ts";
import { commitInTwoPhases, awaitVisibleCommits } from "../citus.ts";
import { lockRecords } from "../commit/record.ts";
import { lockProcessing, type Processing, takenOver } from "../../sql/plan/erasure.ts";

const readInOrderOfKeys = `SELECT set_config('enable_sort', 'off', true)`;

/**
 * Makes the server use the order of keys until the end of the transaction, for statements that read the rows of an
 * organization page by page. Without statistics on keys (migration/statistics.ts), the server would expect an
 * organization to have a few rows, and read and sort all of them to find the first.
 */
export async function useOrderOfKeys(transaction: Transaction): Promise<void> {
  await transaction.all(readInOrderOfKeys);
}

/** Makes everything visible that writing plans needs; the plans are in tables of the coordinator and of its shards. */
export async function preparePlans(
  transaction: Transaction,
  deletions: readonly Deletion[],
): Promise<void> {
  await showOrganizationsOf(transaction, deletions);
  await lockPlansFor(transaction, deletions);
  await commitInTwoPhases(transaction);
  if (deletions.some(isOfOrganization)) await useOrderOfKeys(transaction);
}

async function showOrganizationsOf(
  transaction: Transaction,
  deletions: readonly Deletion[],
): Promise<void> {
  const seen = new Set<string>();
  for (const { deletionRequestId, organizationId, restrictedOf } of deletions) {
    seen.add(organizationId).add(restrictedOf ?? restrictedId(deletionRequestId));
  }
  if (seen.size === 0) return;
  await transaction.showOrganizations(...seen);
  const reports = await listReports(transaction, deletions);
  const others = new Set(reports.map(({ organizationId }) => organizationId)).difference(seen);
  if (others.size > 0) await transaction.showOrganizations(...seen, ...others);
}

async function listReports(
  transaction: Transaction,
  deletions: readonly Deletion[],
): Promise<readonly KeepingReport[]> {
  const reports: KeepingReport[] = [];
  for (const { deletionRequestId, restrictedOf } of deletions) {
    if (restrictedOf === undefined) continue;
    const args = [deletionRequestId, restrictedOf] as const;
    reports.push(...(await transaction.perform(listKeepingReports, ...args)));
  }
  return reports;
}

/** Serializes plans and holds of the organizations. No change of a locked report can move the end of its floor. */
export async function lockPlansFor(
  transaction: Transaction,
  deletions: readonly Deletion[],
): Promise<void> {
  const owners = deletions.flatMap(({ organizationId, restrictedOf }) =>
    restrictedOf === undefined ? [organizationId] : [organizationId, restrictedOf],
  );
  for (const owner of [...new Set(owners)].sort()) await lockPlansOf(transaction, owner);
  const reports = await listReports(transaction, deletions);
  await lockRecords(transaction, reports);
}

const lockPlans = `SELECT pg_advisory_xact_lock(hashtextextended('sluice plans of ' || $1, 0))`;

/** Locks the plans of organizations until the end of the transaction. */
export async function lockPlansOf(transaction: Transaction, organizationId: string): Promise<void> {
  await transaction.run(lockPlans, organizationId);
  await awaitVisibleCommits(transaction);
}

/** The claims of this process, by deletion. */
export class Leases {
  readonly #claimants = new Map<string, string>();
  readonly #organizations = new Set<string>();

  claimed(deletion: Deletion, claimant: string): void {
    const { deletionRequestId } = deletion;
    this.#claimants.set(deletionRequestId, claimant);
    if (isOfOrganization(deletion)) this.#organizations.add(deletionRequestId);
  }

  end(deletionRequestId: string): void {
    this.#claimants.delete(deletionRequestId);
    this.#organizations.delete(deletionRequestId);
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
      throw takenOver(id);
    }
    await showOrganizationsOf(
      transaction,
      processing.map(({ deletion }) => deletion),
    );
    return processing;
  }
}
