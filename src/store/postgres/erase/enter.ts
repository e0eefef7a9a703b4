// What the transactions of deletions see: their organizations, and the restricted sets that they may fill. The deletion
// of a set also sees the organization of the set, whose rules apply, and the sets with reports that keep it. Changes
// nothing but locks.
//
// A process claims a deletion for a limited time (a lease), and every further step verifies that it still holds the
// lease. So two processes never process the same deletion, however slow or disconnected one of them is.

import { setTimeout as sleep } from "node:timers/promises";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { isOfOrganization } from "../../../domain/deletion/organization-deletion.ts";
import { restrictedId } from "../../../domain/deletion/restricted-set.ts";
import { type KeepingReport, listKeepingReports } from "../../sql/plan/restricted-set.ts";
import type { Transaction } from "../transaction.ts";
import { commitInTwoPhases, awaitVisibleCommits } from "../citus.ts";
import { lockRecords } from "../commit/record.ts";
import { lockProcessing, type Processing, takenOver } from "../../sql/plan/erasure.ts";

/** How long a claim waits for plans that others have locked, usually for the end of a step; then it leaves them out. */
const lockWaitMsMax = 1_000;
const lockPollMs = 20;

const readInOrderOfKeys = `SELECT set_config('enable_sort', 'off', true)`;

/**
 * Makes the server use the order of keys until the end of the transaction, for statements that read the rows of an
 * organization page by page. Without statistics on keys (migration/statistics.ts), the server would expect an
 * organization to have a few rows, and read and sort all of them to find the first.
 */
export async function useOrderOfKeys(transaction: Transaction): Promise<void> {
  await transaction.all(readInOrderOfKeys);
}

/**
 * Makes everything visible that writing plans needs; the plans are in tables of the coordinator and of its shards.
 * Returns the deletions whose plans could be locked.
 */
export async function preparePlans(
  transaction: Transaction,
  deletions: readonly Deletion[],
): Promise<readonly Deletion[]> {
  await showOrganizationsOf(transaction, deletions);
  const until = performance.now() + lockWaitMsMax;
  const taken = new Set<string>();
  for (const owner of ownersOf(deletions)) {
    if (!(await tryToLockPlansOf(transaction, owner, until))) taken.add(owner);
  }
  await awaitVisibleCommits(transaction);
  const free = deletions.filter((one) => !ownersOf([one]).some((owner) => taken.has(owner)));
  await lockRecords(transaction, await listReports(transaction, free));
  await commitInTwoPhases(transaction);
  if (free.some(isOfOrganization)) await useOrderOfKeys(transaction);
  return free;
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
  for (const owner of ownersOf(deletions)) await lockPlansOf(transaction, owner);
  const reports = await listReports(transaction, deletions);
  await lockRecords(transaction, reports);
}

/** The organizations whose plans these deletions depend on, in the order in which they are locked. */
function ownersOf(deletions: readonly Deletion[]): readonly string[] {
  const owners = deletions.flatMap(({ organizationId, restrictedOf }) =>
    restrictedOf === undefined ? [organizationId] : [organizationId, restrictedOf],
  );
  return [...new Set(owners)].sort();
}

const plansOf = "hashtextextended('sluice plans of ' || $1, 0)";
const lockPlans = `SELECT pg_advisory_xact_lock(${plansOf})`;
const tryToLockPlans = `SELECT pg_try_advisory_xact_lock(${plansOf}) AS locked`;

/** False if somebody else has locked them and keeps them until then. */
async function tryToLockPlansOf(
  transaction: Transaction,
  organizationId: string,
  until: number,
): Promise<boolean> {
  for (;;) {
    const [row] = await transaction.all<{ locked: boolean }>(tryToLockPlans, organizationId);
    if (row?.locked === true) return true;
    if (performance.now() > until) return false;
    await sleep(lockPollMs);
  }
}

/** Locks the plans of organizations until the end of the transaction. */
export async function lockPlansOf(transaction: Transaction, organizationId: string): Promise<void> {
  await transaction.run(lockPlans, organizationId);
  return awaitVisibleCommits(transaction);
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
