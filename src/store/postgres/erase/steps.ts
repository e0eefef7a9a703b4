// The steps of deletions that a process has claimed. Each step locks the deletions, so that no other process takes the
// step at the same time. The last step verifies the deletions and completes those with nothing left, in one
// transaction.

import { isOfOrganization } from "../../../domain/deletion/organization-deletion.ts";
import { sealReceipts } from "../../shared/seal-receipts.ts";
import { eraseStep as eraseNext } from "../../sql/erase/erase-step.ts";
import { type Verification, verifyDeletions, verifyFirst } from "../../sql/erase/verify-step.ts";
import { largestCascade as bounds } from "../../sql/plan/record-plans.ts";
import { chooseNext, smallPlanMax } from "../../sql/plan/erasure.ts";
import { lockReceiptHead } from "../../sql/trail/receipt.ts";
import { finishDeletions } from "../../sql/erase/verification.ts";
import type { Act } from "../../interface/act.ts";
import type { CompletedDeletion, ErasureStep } from "../../interface/deletion.ts";
import type { SealReceipt } from "../../interface/receipt.ts";
import { postgresTraits } from "../traits.ts";
import type { Transaction } from "../transaction.ts";
import { lockPlansFor, useOrderOfKeys } from "./enter.ts";
import type { Leases } from "./lease.ts";

export interface Stepping {
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

/** So that the last step has to verify little. Undefined if there is nothing to verify first. */
export async function verifyPart(
  transaction: Transaction,
  { leases, ids, act }: Stepping,
): Promise<Verification | undefined> {
  const processing = await leases.lock(transaction, ids);
  if (processing.every(({ planEnd }) => planEnd <= smallPlanMax)) return undefined;
  const deletions = processing.map(({ deletion }) => deletion);
  await lockPlansFor(transaction, deletions);
  const options = { now: act.now, bounds };
  const [verification] = await transaction.perform(verifyFirst, processing, options);
  return verification;
}

export type CompletionResult = Verification | CompletedDeletion;

export async function completeDeletions(
  transaction: Transaction,
  { leases, ids, act }: Stepping,
  seal: SealReceipt | undefined,
): Promise<readonly CompletionResult[]> {
  const deletions = (await leases.lock(transaction, ids)).map(({ deletion }) => deletion);
  await lockPlansFor(transaction, deletions);
  const options = { now: act.now, bounds };
  const results = await transaction.perform(verifyDeletions, deletions, options);
  const clean = deletions.filter((_, index) => results[index]?.result === "clean");
  if (clean.length === 0) return results;
  const head = await transaction.perform(lockReceiptHead);
  const sealing = {
    seal,
    head,
    engine: postgresTraits.verification,
    completedAt: act.now,
  } as const;
  const sealed = await sealReceipts(clean, sealing);
  const completing = clean.map((deletion, index) => ({ deletion, sealed: sealed[index] }));
  const completed = await transaction.perform(finishDeletions, completing, act);
  const byId = new Map(completed.map((one) => [one.deletion.deletionRequestId, one]));
  return results.map((result, index) => byId.get(ids[index] ?? "") ?? result);
}
