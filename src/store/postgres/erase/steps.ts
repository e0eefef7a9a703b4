// The steps of deletions that a process has claimed. Each step locks the deletions, so that no other process takes the
// step at the same time. The last step verifies several deletions with small plans and completes those with nothing
// left, in one transaction; before it a large plan is verified in parts.

import { isOfOrganization } from "../../../domain/deletion/organization-deletion.ts";
import { sealReceipts, isBehind, toCompletion } from "../../shared/completion.ts";
import { eraseStep as eraseNext } from "../../sql/erase/erase-step.ts";
import {
  type Verification,
  verifyDeletions,
  verifyFirst,
  finishDeletions,
} from "../../sql/verify/verify-step.ts";
import { largestCascade as bounds } from "../../sql/plan/record-plans.ts";
import { chooseNext, smallPlanMax, groupByPlan } from "../../sql/plan/erasure.ts";
import { lockReceiptHead } from "../../sql/trail/receipt.ts";
import type { Act } from "../../interface/act.ts";
import type {
  CompletedDeletion,
  ErasureStep,
  Completion,
  SealReceipt,
} from "../../interface/deletion.ts";
import { postgresTraits } from "../traits.ts";
import type { Transaction } from "../transaction.ts";
import { lockPlansFor, useOrderOfKeys } from "./enter.ts";
import type { Leases } from "./lease.ts";
import { AppError } from "../../../domain/error.ts";
import type { Store, StoreOptions } from "../../interface/store.ts";
import { allDeletions } from "../../sql/statement/visibility.ts";
import { awaitWriters } from "../arrival.ts";
import type { Database } from "../database.ts";
import { Pace } from "../pace.ts";
import type { ErasureVacuum } from "./vacuum.ts";

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

/** Undefined if there is nothing to verify first. */
async function verifyPart(
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

async function completeDeletions(
  transaction: Transaction,
  { leases, ids, act }: Stepping,
  seal: SealReceipt | undefined,
): Promise<readonly (Verification | CompletedDeletion)[]> {
  const deletions = (await leases.lock(transaction, ids)).map(({ deletion }) => deletion);
  await lockPlansFor(transaction, deletions);
  const options = { now: act.now, bounds };
  const results = await transaction.perform(verifyDeletions, deletions, options);
  const clean = deletions.filter((_, index) => results[index]?.result === "clean");
  if (clean.length === 0) return results;
  const head = await transaction.perform(lockReceiptHead);
  const engine = postgresTraits.verification;
  const sealed = await sealReceipts(clean, { seal, head, engine, completedAt: act.now });
  const completing = clean.map((deletion, index) => ({ deletion, sealed: sealed[index] }));
  const completed = await transaction.perform(finishDeletions, completing, act);
  const byId = new Map(completed.map((one) => [one.deletion.deletionRequestId, one]));
  return results.map((result, index) => byId.get(ids[index] ?? "") ?? result);
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
  const { database, leases } = parts;
  return async (all, act) => {
    const outcomes = new Map<string, Completion>();
    const complete = async (ids: readonly string[]): Promise<void> => {
      try {
        const results = await completeTogether(parts, ids, act);
        for (const [index, result] of results.entries()) outcomes.set(ids[index] ?? "", result);
      } catch (cause) {
        // If the server can't be reached, each of them would wait for it.
        const isOneByOne = ids.length > 1 && !(cause instanceof AppError);
        for (const id of ids) {
          if (isOneByOne) await complete([id]);
          else outcomes.set(id, failed(cause));
        }
      }
    };
    const groups = await database.inOneGo(allDeletions, (tx) => tx.perform(groupByPlan, all));
    for (const { ids, isLarge } of groups) {
      const [first = ""] = ids;
      const early = isLarge ? await verifyParts(parts, first, act).catch(failed) : undefined;
      if (early !== undefined) {
        outcomes.set(first, early);
        continue;
      }
      const together: string[] = [];
      for (const id of ids) {
        if (leases.isOfOrganization([id])) await complete([id]);
        else together.push(id);
      }
      if (together.length > 0) await complete(together);
    }
    return all.map((id) => outcomes.get(id) ?? { result: "again" });
  };
}

/** Undefined if nothing is in the way of completing it. */
async function verifyParts(
  { database, leases, indexParties }: Completing,
  id: string,
  act: Act,
): Promise<Completion | undefined> {
  const pace = new Pace();
  for (;;) {
    const found = await database.transaction(allDeletions, (tx) =>
      verifyPart(tx, { leases, ids: [id], act }),
    );
    if (found === undefined || found.result === "clean") return undefined;
    if (found.result !== "partly") return toCompletion(found);
    if (isBehind(found)) await indexParties();
    await pace.rest();
  }
}

async function completeTogether(
  { database, options, vacuum, indexParties, leases }: Completing,
  ids: readonly string[],
  act: Act,
): Promise<readonly Completion[]> {
  const ofOrganization = leases.isOfOrganization(ids);
  if (ofOrganization) await awaitWriters(database);
  const visibility = ofOrganization ? { ...allDeletions, unlimitedTime: true } : allDeletions;
  const results = await database.transaction(visibility, (tx) =>
    completeDeletions(tx, { leases, ids, act }, options.sealReceipt),
  );
  if (results.some(isBehind)) await indexParties();
  for (const [index, { result }] of results.entries()) {
    if (result !== "completed") continue;
    leases.end(ids[index] ?? "");
    vacuum.erased();
  }
  return results.map(toCompletion);
}

function failed(cause: unknown): Completion {
  return { result: "failed", cause };
}
