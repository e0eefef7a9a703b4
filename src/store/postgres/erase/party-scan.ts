// The scan for records that name erased parties, on PostgreSQL: each page and each addition to a plan is a separate
// transaction. Then the search for what arrived since, in the transaction that completes the deletion.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { nodeKey } from "../../../domain/deletion/erasure.ts";
import { isPartyType } from "../../../domain/deletion/party.ts";
import { type PartyErasing, type ScanResults, scanForParties } from "../../shared/party-scan.ts";
import { putOff } from "../../sql/erase/claim.ts";
import { findDeletions } from "../../sql/erase/deletion.ts";
import { readConfidentialTypes } from "../../sql/access/organization.ts";
import { extendPlan } from "../../sql/erase/write-plan.ts";
import { findLateNamings, readNamingPage } from "../../sql/erase/naming.ts";
import { findHoldObstacle, planningOf, type PlanTarget } from "../../sql/erase/plan.ts";
import { beginPartyErasure, findPartyErasure, noteScan } from "../../sql/erase/pseudonym.ts";
import { organization, type Visibility } from "../../sql/statement/visibility.ts";
import type { Act } from "../../interface/store.ts";
import type { Database } from "../database.ts";
import { readLatestArrival } from "../export.ts";
import type { Transaction } from "../transaction.ts";
import type { Leases } from "./lease.ts";
import { lockPlansOf } from "./plan-lock.ts";

const deletions: Visibility = { view: "deletions" };

export interface ScanParts {
  readonly database: Database;
  readonly leases: Leases;
}

/** The results of those of these deletions that erase a person or a company. */
export async function scanParties(
  { database, leases }: ScanParts,
  ids: readonly string[],
  act: Act,
): Promise<ScanResults> {
  const found = await database.transaction(deletions, (tx) => tx.perform(findDeletions, ids));
  const ofParties = found.filter(({ resourceType }) => isPartyType(resourceType));
  const erasing: PartyErasing[] = [];
  for (const { deletionRequestId: id } of ofParties) {
    // What prevents one deletion is reported when it is completed, and does not affect the others.
    const begun = database.transaction(deletions, async (tx): Promise<PartyErasing> => {
      const deletion = await lockOne(tx, leases, id);
      return { deletion, erasure: await tx.perform(beginPartyErasure, deletion) };
    });
    const one = await begun.catch(() => undefined);
    if (one !== undefined) erasing.push(one);
  }
  if (erasing.length === 0) return new Map();
  return scanForParties(
    {
      latestArrival: () => readLatestArrival(database),
      readPage: (query) =>
        database.transaction(organization(query.organizationId), (tx) =>
          tx.perform(readNamingPage, query),
        ),
      addTargets: ({ deletionRequestId }, targets) =>
        database.transaction(deletions, async (tx) => {
          const deletion = await lockOne(tx, leases, deletionRequestId);
          await lockPlansOf(tx, deletion.organizationId);
          const held = await addToPlan(tx, deletion, { targets, act });
          return held === undefined ? "added" : "obstacle";
        }),
      note: ({ deletionRequestId }, progress) =>
        database.transaction(deletions, async (tx) => {
          await lockOne(tx, leases, deletionRequestId);
          await tx.perform(noteScan, deletionRequestId, progress, act.now);
        }),
    },
    erasing,
  );
}

async function lockOne(transaction: Transaction, leases: Leases, id: string): Promise<Deletion> {
  const [processing] = await leases.lock(transaction, [id]);
  if (processing === undefined) throw new TypeError(`there is no deletion ${id}`);
  return processing.deletion;
}

/** What the deletion waits for, if one of the records is held; it is then put off. The caller locks the plans. */
async function addToPlan(
  transaction: Transaction,
  deletion: Deletion,
  { targets, act }: { readonly targets: readonly Pick<PlanTarget, "record">[]; readonly act: Act },
): Promise<string | undefined> {
  const records = targets.map(({ record }) => record);
  const confidential = await transaction.perform(readConfidentialTypes, deletion.organizationId);
  const planning = planningOf(deletion, act.now, confidential);
  const obstacle = await transaction.perform(findHoldObstacle, records, planning);
  if (obstacle !== undefined) {
    await transaction.perform(putOff, deletion, obstacle, act.now);
    return obstacle.waitingFor;
  }
  const reference = nodeKey(deletion.resourceType, deletion.resourceId);
  const redactions = records.map((record) => ({ record, reference, restricted: false }));
  await transaction.perform(extendPlan, deletion, redactions);
  return undefined;
}

type LateResult =
  { readonly result: "found" } | { readonly result: "held"; readonly waitingFor: string };

/**
 * Searches the changes that arrived since the last pass, and adds to the plan the records that name the party. Undefined if
 * there are none. The caller locks the plans.
 */
export async function verifyLateNamings(
  transaction: Transaction,
  deletion: Deletion,
  act: Act,
): Promise<LateResult | undefined> {
  if (!isPartyType(deletion.resourceType)) return undefined;
  const erasure = await transaction.perform(findPartyErasure, deletion.deletionRequestId);
  // The scan has not ended.
  if (erasure?.verifiedTo === undefined) return { result: "found" };
  const range = { from: erasure.verifiedTo, to: Number.MAX_SAFE_INTEGER };
  const places = await transaction.perform(findLateNamings, deletion, range);
  if (places.length === 0) return undefined;
  const targets = places.map(({ resourceType, resourceId }) => ({
    record: nodeKey(resourceType, resourceId),
  }));
  const waitingFor = await addToPlan(transaction, deletion, { targets, act });
  return waitingFor === undefined ? { result: "found" } : { result: "held", waitingFor };
}
