// The steps of deletions that the writer performs within the transaction of a group, and the last one, which verifies
// and completes. Writers wait for a transaction, so a claim takes few deletions and small plans; the plan of a large
// cascade is written in steps (large-plan.ts). An organization is erased in an order of its own (change-order.ts).

import { isDeepStrictEqual } from "node:util";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { countsOf } from "../../../domain/deletion/receipt-count.ts";
import type { ReceiptHead } from "../../../domain/deletion/receipt.ts";
import { headAfter, type Verified } from "../../shared/completion.ts";
import { followsHead } from "../../row/deletion-row.ts";
import { eraseStep as eraseNext } from "../../sql/erase/erase-step.ts";
import {
  type Verification,
  verifyDeletions,
  type Completing,
  finishDeletions,
} from "../../sql/verify/verify-step.ts";
import { chooseNext, lockProcessing } from "../../sql/plan/erasure.ts";
import { putBackPseudonyms as putBack, takePseudonyms } from "../../sql/erase/pseudonym.ts";
import { lockReceiptHead } from "../../sql/trail/receipt.ts";
import type { Act } from "../../interface/act.ts";
import type { ErasureStep, Claim, SealedReceipt } from "../../interface/deletion.ts";
import type { Group } from "../commit/group.ts";
import type { Connection } from "../connection.ts";
import { ChangeOrder, eraseNumberedRecords } from "./change-order.ts";
import { limits } from "../../../domain/limits.ts";
import type { Claimed, Claiming } from "../../shared/claimer.ts";
import { claimDeletions as claimDue } from "../../sql/plan/claim-step.ts";
import { type PlanBounds, smallCascades } from "../../sql/plan/record-plans.ts";

/** The largest cascade that is planned in one transaction. */
const planBounds: PlanBounds = { ...smallCascades, shortHistories: true };
/** How much of the floors of an organization one transaction reads. */
const scan = { rowsMax: limits.floorScanRowsMax, historiesMax: 20 };

export function claimDeletions({ connection }: Group, claim: Claim, claiming: Claiming): Claimed {
  return connection.perform(claimDue, claim, { ...claiming, bounds: { ...planBounds, scan } });
}

/** The state of the connection that writes; a process has one. */
const orders = new WeakMap<Connection, ChangeOrder>();

function orderOf(connection: Connection): ChangeOrder {
  const order = orders.get(connection) ?? new ChangeOrder();
  orders.set(connection, order);
  return order;
}

export function eraseStep(
  group: Group,
  ids: readonly string[],
  recordsMax: number,
  act: Act,
): ErasureStep {
  const { connection } = group;
  const startedAt = performance.now();
  // Notices to recipients take numbers.
  group.storeArrival();
  const chosen = connection.perform(chooseNext, ids, recordsMax);
  const processing = connection.perform(lockProcessing, chosen);
  const options = { act, recordsMax };
  const order = orderOf(connection);
  const step = connection.perform(eraseNext, processing, {
    ...options,
    ofOrganization: { changes: (page) => order.erase(page), records: eraseNumberedRecords },
  });
  return { ...step, workMs: performance.now() - startedAt };
}

export function putBackPseudonyms(
  { connection }: Group,
  taken: readonly (readonly [deletionRequestId: string, pseudonym: string])[],
): void {
  connection.perform(putBack, taken);
}

interface VerifiedErasures {
  readonly results: ReadonlyMap<string, Verification>;
  /** The pseudonyms of clean ones. */
  readonly taken: ReadonlyMap<string, string>;
}

/** Verifies some of these deletions, or a part of one. Removes the pseudonyms of clean ones. */
export function verifyErasures(
  { connection }: Group,
  ids: readonly string[],
  act: Act,
): VerifiedErasures {
  const targetsMax = limits.erasureStepRecordsMax;
  const chosen = connection.perform(chooseNext, ids, targetsMax);
  const deletions = connection.perform(lockProcessing, chosen).map(({ deletion }) => deletion);
  const options = { now: act.now, bounds: planBounds, targetsMax };
  const verified = connection.perform(verifyDeletions, deletions, options);
  const results = new Map(verified.map((one, index) => [chosen[index] ?? "", one]));
  const clean = chosen.filter((id) => results.get(id)?.result === "clean");
  return { results, taken: connection.perform(takePseudonyms, clean) };
}

export interface SealedCompletion {
  readonly deletionRequestId: string;
  /** Missing only in tests of the engine. */
  readonly sealed?: SealedReceipt | undefined;
  /** The pseudonym of a person or a company, which the first verification pass has removed. */
  readonly pseudonym?: string | undefined;
}

/**
 * The last verification, and the completion of the deletions with nothing left, in one transaction. `moved`: the
 * receipt no longer fits the chain, because an earlier deletion was not completed; it must be signed again.
 */
export function completeVerified(
  group: Group,
  completions: readonly SealedCompletion[],
  act: Act,
): readonly Verified[] {
  const { connection } = group;
  const ids = completions.map(({ deletionRequestId }) => deletionRequestId);
  const deletions = connection.perform(lockProcessing, ids).map(({ deletion }) => deletion);
  const taken = new Map(
    completions.flatMap(({ deletionRequestId, pseudonym }) =>
      pseudonym === undefined ? [] : [[deletionRequestId, pseudonym]],
    ),
  );
  const options = { now: act.now, bounds: planBounds, taken };
  const verified = connection.perform(verifyDeletions, deletions, options);
  let head: ReceiptHead = connection.perform(lockReceiptHead);
  const completing: Completing[] = [];
  const results = completions.map(({ sealed }, index): Deletion | Verified => {
    const [deletion, verification] = [deletions[index], verified[index]];
    if (deletion === undefined || verification === undefined) return { result: "moved" };
    if (verification.result !== "clean") return verification;
    if (sealed !== undefined) {
      const isAsSealed = isDeepStrictEqual(sealed.counts, countsOf(deletion));
      if (!isAsSealed || !followsHead(sealed, head)) return { result: "moved" };
      head = headAfter(head, sealed);
    }
    completing.push({ deletion, sealed });
    return deletion;
  });
  group.storeArrival();
  const completed = connection.perform(finishDeletions, completing, act);
  group.deletionsChanged();
  const byId = new Map(completed.map((one) => [one.deletion.deletionRequestId, one]));
  return results.map((result) =>
    "result" in result ? result : (byId.get(result.deletionRequestId) ?? { result: "moved" }),
  );
}
