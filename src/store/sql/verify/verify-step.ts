// Verifies that the erasure of records is complete, with different statements than those that erased, and completes the
// deletions of which nothing is left, in the same transaction. Adds what it finds to the plans; erases nothing.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { nodeKey } from "../../../domain/deletion/erasure.ts";
import { isOfOrganization } from "../../../domain/deletion/organization-deletion.ts";
import { limits } from "../../../domain/limits.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import { type KeyRow, rowKeyText, toKey } from "../../shared/record-key.ts";
import { postpone } from "../plan/claim.ts";
import { findUnverified, type PlanPart, removeVerified, type TargetRow } from "../plan/erasure.ts";
import { verifyOrganization } from "../erase/organization-erasure.ts";
import { type PartyVerification, verifyParties, type VerifyingParties } from "./parties.ts";
import { isObstacle, targetsOf } from "../plan/plan.ts";
import { verifyKept } from "../erase/redact-kept.ts";
import { all, run, type Statements } from "../statement/statements.ts";
import { verifyRedactions } from "./verify-redactions.ts";
import { relationsFromRecords, relationsToRecords } from "../statement/index-conditions.ts";
import {
  existingRecords,
  inNamedIds,
  keyRows,
  named,
  numberedRows,
  sameOnServer,
} from "../statement/named.ts";
import { type PlanBounds, planRecords } from "../plan/record-plans.ts";
import { extendPlans } from "../plan/write-plan.ts";
import type { Act } from "../../interface/act.ts";
import { describeReceipt } from "../../row/audit-row.ts";
import type { CompletedDeletion, SealedReceipt } from "../../interface/deletion.ts";
import { auditActs } from "../trail/audit.ts";
import type { DeletionRow } from "../../row/deletion-row.ts";
import { inOrderOf, noteOfDeletion } from "../deletion/deletion.ts";
import { removePseudonyms } from "../erase/pseudonym.ts";
import { storeReceipts } from "../trail/receipt.ts";
import { endSet, openSets } from "../plan/restricted-set.ts";
import { storeParts } from "../store-parts.ts";

const findRecords = `
  SELECT named.organization_id, named.resource_type, named.resource_id FROM ${existingRecords}
  --citus WHERE record.resource_id = ANY ($3::text[])
  `;

/** On SQLite, the former numbers of the records find their changes. */
const findChanges = `
  SELECT DISTINCT named.organization_id, named.resource_type, named.resource_id
  FROM ${named("organization_id", "resource_type", "resource_id", "record_no bigint")}
    --sqlite CROSS JOIN change ON change.record_no = named.record_no
    --postgres JOIN change ON ${sameOnServer("change")}
  --citus WHERE change.resource_id = ANY ($3::text[])
  `;

const findRelationsTo = `
  SELECT DISTINCT named.organization_id, named.resource_type, named.resource_id
  FROM ${relationsToRecords}
  --citus WHERE relation.to_id = ANY ($3::text[])
  `;

const findRelationsFrom = `
  SELECT DISTINCT named.organization_id, named.resource_type, named.resource_id
  FROM ${relationsFromRecords}`;

/**
 * `found`: the plan was extended. `large`: the plan must be extended by the cascade of this record, which is too large
 * to be planned here. `held`: a hold or a floor protects something that was found. `partly`: there is more to verify
 * first.
 */
export type Verification =
  | PartyVerification
  | { readonly result: "large"; readonly deletion: Deletion; readonly record: RecordKey };

export interface VerifyingOptions extends VerifyingParties {
  readonly bounds: PlanBounds;
  /** How many targets are verified; otherwise all that are left. */
  readonly targetsMax?: number;
}

/**
 * Verifies what `chooseNext` has chosen. A plan that has more targets than this bound is `partly` verified. Removes the
 * targets that are verified. Returns the result of each deletion, in order.
 */
export function* verifyDeletions(
  deletions: readonly Deletion[],
  options: VerifyingOptions,
): Statements<readonly Verification[]> {
  const ofRecords = deletions.filter((deletion) => !isOfOrganization(deletion));
  const parts = yield* findUnverified(ofRecords, options.targetsMax);
  const left = yield* findLeft(parts.flatMap(({ targets }) => targets.filter(isErasure)));
  const unverified = yield* verifyRedactions(parts, options.now);
  const byId = new Map(parts.map((part) => [part.deletion.deletionRequestId, part]));
  const results: Verification[] = [];
  const verified: PlanPart[] = [];
  for (const deletion of deletions) {
    const part = byId.get(deletion.deletionRequestId);
    if (part === undefined) {
      results.push(yield* verifyAll(deletion, options.now));
      continue;
    }
    const leftTargets = part.targets.filter((row) => isErasure(row) && left.has(rowKeyText(row)));
    const result = unverified.get(deletion.deletionRequestId);
    if (leftTargets.length > 0) results.push(yield* planAgain(deletion, leftTargets, options));
    else if (result !== undefined) results.push({ result });
    else {
      results.push({ result: part.isLast ? "clean" : "partly" });
      verified.push(part);
    }
  }
  if (verified.length > 0) yield* removeVerified(verified);
  const clean = deletions.filter((_, index) => results[index]?.result === "clean");
  const parties = yield* verifyParties(clean, options);
  return results.map((result, at) => parties.get(deletions[at]?.deletionRequestId ?? "") ?? result);
}

function isErasure({ action }: TargetRow): boolean {
  return action === "erase";
}

function* verifyAll(deletion: Deletion, now: number): Statements<Verification> {
  const isErased = yield* verifyOrganization(deletion);
  return { result: isErased ? yield* verifyKept(deletion, now) : "found" };
}

/** The keys of targets with something left: the record, a change of it, a relation, or a row of a feature. */
function* findLeft(targets: readonly TargetRow[]): Statements<ReadonlySet<string>> {
  if (targets.length === 0) return new Set();
  const keys = keyRows(targets.map(toKey));
  const numbered = targets.map((row) => ({ ...toKey(row), recordNo: row.record_no ?? null }));
  const rows = [
    ...(yield* all<KeyRow>(findRecords, keys)),
    ...(yield* all<KeyRow>(findChanges, numberedRows(numbered))),
    ...(yield* all<KeyRow>(findRelationsTo, keys)),
    ...(yield* all<KeyRow>(findRelationsFrom, keys)),
  ];
  for (const { ofRecords } of (yield* storeParts()).list) {
    if (ofRecords !== undefined) rows.push(...(yield* ofRecords.find(numbered)));
  }
  return new Set(rows.map(rowKeyText));
}

function* planAgain(
  deletion: Deletion,
  remains: readonly TargetRow[],
  { now, bounds }: VerifyingOptions,
): Statements<Verification> {
  for (const [index, row] of remains.slice(0, limits.erasureStepRecordsMax).entries()) {
    const root = nodeKey(row.resource_type, row.resource_id);
    const [plan = "large"] = yield* planRecords([{ deletion, root }], { now, bounds });
    if (typeof plan === "string") {
      if (index > 0) break;
      return { result: "large", deletion, record: toKey(row) };
    }
    if (isObstacle(plan)) {
      yield* postpone(deletion, plan, now);
      return { result: "held", waitingFor: plan.waitingFor };
    }
    yield* extendPlans([{ deletion, targets: targetsOf(plan) }]);
  }
  return { result: "found" };
}

const removePlans = `DELETE FROM deletion_target WHERE ${inNamedIds("deletion_request_id")}`;

const setCompleted = `
  UPDATE deletion SET
    status = 'completed', completed_at = $2, waiting_for = NULL, held = false, floor_until = NULL,
    next_attempt_at = NULL, lease_until = NULL, claimant = NULL, cursor = NULL, plan_end = 0
  WHERE ${inNamedIds("deletion_request_id")}
  RETURNING *`;

/** A verified deletion and its receipt, which is missing only in tests of an engine. */
export interface Completing {
  readonly deletion: Deletion;
  readonly sealed: SealedReceipt | undefined;
}

/** Must run in the transaction of the last verification. The receipts follow the head of their chain. */
export function* finishDeletions(
  completing: readonly Completing[],
  act: Act,
): Statements<readonly CompletedDeletion[]> {
  if (completing.length === 0) return [];
  const deletions = completing.map(({ deletion }) => deletion);
  const ids = deletions.map(({ deletionRequestId }) => deletionRequestId);
  yield* run(removePlans, ids);
  yield* removePseudonyms(ids);
  const opened = yield* openSets(deletions, act);
  for (const deletion of deletions) yield* endSet(deletion);
  const completed = yield* all<DeletionRow>(setCompleted, ids, act.now);
  const noted = deletions.filter((one) => !isOfOrganization(one));
  const notified: ReadonlySet<string>[] = [];
  for (const { onCompleted } of (yield* storeParts()).list) {
    if (onCompleted !== undefined) notified.push(yield* onCompleted(noted, act));
  }
  yield* storeReceipts(
    completing.flatMap(({ sealed }) => sealed ?? []),
    act,
  );
  // The notes contain no numbers, because readers of the audit trail must not learn that there was a report.
  const notes = completing.map(({ deletion, sealed }) =>
    noteOfDeletion(deletion, "complete", { ...describeReceipt(sealed) }),
  );
  yield* auditActs([...opened, ...notes].map((note) => ({ ...act, note })));
  return inOrderOf(ids, completed).map((deletion) => {
    const notices = notified.filter((some) => some.has(deletion.deletionRequestId)).length;
    return { result: "completed", deletion, notices };
  });
}
