// The steps of deletions that a process has claimed. Each step locks the deletions, so that no other process takes the
// step at the same time. The last step verifies several deletions with small plans, or a large plan in parts, and
// completes those with nothing left in the same transaction.

import { isOfOrganization } from "../../../domain/deletion/organization-deletion.ts";
import {
  sealReceipts,
  toCompletion,
  type Verified,
  verifyInTurns,
} from "../../shared/completion.ts";
import { eraseStep as eraseNext } from "../../sql/erase/erase-step.ts";
import { verifyDeletions, finishDeletions } from "../../sql/verify/verify-step.ts";
import { largestCascade as bounds } from "../../sql/plan/record-plans.ts";
import { chooseNext } from "../../sql/plan/erasure.ts";
import { lockReceiptHead } from "../../sql/trail/receipt.ts";
import type { Act } from "../../interface/act.ts";
import type { ErasureStep, SealReceipt } from "../../interface/deletion.ts";
import { postgresTraits } from "../traits.ts";
import type { Transaction } from "../transaction.ts";
import { lockPlansFor, useOrderOfKeys, type Leases } from "./enter.ts";
import { limits } from "../../../domain/limits.ts";
import type { Store, StoreOptions } from "../../interface/store.ts";
import { allDeletions } from "../../sql/statement/visibility.ts";
import { awaitWriters } from "../arrival.ts";
import type { Database } from "../database.ts";
import { Pace } from "../pace.ts";
import type { ErasureVacuum } from "./vacuum.ts";

const targetsMax = limits.erasureStepRecordsMax;

interface Stepping {
  readonly leases: Leases;
  readonly ids: readonly string[];
  readonly act: Act;
}

export async function eraseStep(
  transaction: Transaction,
  { leases, ids, act }: Stepping,
  recordsMax: number,
): Promise<ErasureStep> {
  const chosen = await transaction.perform(chooseNext, ids, recordsMax);
  const processing = await leases.lock(transaction, chosen);
  const startedAt = performance.now();
  if (processing.some(({ deletion }) => isOfOrganization(deletion)))
    await useOrderOfKeys(transaction);
  const options = { recordsMax, act };
  const step = await transaction.perform(eraseNext, processing, options);
  return { ...step, workMs: performance.now() - startedAt };
}

/** Verifies some of these deletions, or a part of one, and completes those with nothing left, in one transaction. */
async function verifyAndComplete(
  transaction: Transaction,
  { leases, ids, act }: Stepping,
  seal: SealReceipt | undefined,
): Promise<ReadonlyMap<string, Verified>> {
  const chosen = await transaction.perform(chooseNext, ids, targetsMax);
  const deletions = (await leases.lock(transaction, chosen)).map(({ deletion }) => deletion);
  await lockPlansFor(transaction, deletions);
  const options = { now: act.now, bounds, targetsMax };
  const results = await transaction.perform(verifyDeletions, deletions, options);
  const clean = deletions.filter((_, index) => results[index]?.result === "clean");
  const verified = new Map<string, Verified>(
    chosen.map((id, index) => [id, results[index] ?? { result: "found" }]),
  );
  if (clean.length === 0) return verified;
  const head = await transaction.perform(lockReceiptHead);
  const engine = postgresTraits.verification;
  const sealed = await sealReceipts(clean, { seal, head, engine, completedAt: act.now });
  const completing = clean.map((deletion, index) => ({ deletion, sealed: sealed[index] }));
  const completed = await transaction.perform(finishDeletions, completing, act);
  for (const one of completed) verified.set(one.deletion.deletionRequestId, one);
  return verified;
}

interface Completing {
  readonly database: Database;
  readonly options: Pick<StoreOptions, "sealReceipt">;
  readonly vacuum: ErasureVacuum;
  /** Advances the index of parties for a limited time. */
  readonly indexParties: () => Promise<void>;
  readonly leases: Leases;
}

export function makeCompletion(parts: Completing): Store["completeDeletions"] {
  const { indexParties } = parts;
  return async (ids, act) => {
    const pace = new Pace();
    const verify = async (some: readonly string[]) => {
      const verified = await verifySome(parts, some, act);
      if ([...verified.values()].some(({ result }) => result === "partly")) await pace.pause();
      return verified;
    };
    return (await verifyInTurns(ids, { verify, indexParties })).map(toCompletion);
  };
}

/** An organization is completed alone: its writers have to end first, and the search takes long. */
async function verifySome(
  { database, options, vacuum, leases }: Completing,
  all: readonly string[],
  act: Act,
): Promise<ReadonlyMap<string, Verified>> {
  const ofRecords = all.filter((id) => !leases.isOfOrganization(id));
  const ofOrganization = ofRecords.length === 0;
  if (ofOrganization) await awaitWriters(database);
  const visibility = ofOrganization ? { ...allDeletions, unlimitedTime: true } : allDeletions;
  const ids = ofOrganization ? all.slice(0, 1) : ofRecords;
  const verified = await database.transaction(visibility, (tx) =>
    verifyAndComplete(tx, { leases, ids, act }, options.sealReceipt),
  );
  for (const [id, { result }] of verified) {
    if (result !== "completed") continue;
    leases.end(id);
    vacuum.erased();
  }
  return verified;
}
