// Verifies that an erasure is complete, by other statements than those that erased, and completes the deletion only if
// nothing is left, both in parts with rests. Adds what it finds to the plan; erases nothing.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { isOfOrganization } from "../../../domain/deletion/organization-deletion.ts";
import { limits } from "../../../domain/limits.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import { redactPayload } from "../../redact-payload.ts";
import { putOff } from "../../sql/claim.ts";
import { verifyOrganization } from "../../sql/organization-erasure.ts";
import { findPlanEnd, isObstacle, planningOf } from "../../sql/plan.ts";
import { verifyKept } from "../../sql/redact-kept.ts";
import { finishDeletion, reopenUnredacted } from "../../sql/verification.ts";
import type { Act, SealReceipt } from "../../store.ts";
import { planFrom, writePlan } from "./cascade.ts";
import { lockPlansFor } from "./enter.ts";
import { verifyLateNamings } from "./party-scan.ts";
import { findRecords } from "../commit/record.ts";
import { Pace, rowsAtOnceMax } from "../pace.ts";
import { keyColumns, type KeyRow, keyText, rowKeyText, toKey } from "../record-key.ts";
import { findRelationsFrom, findRelationsTo } from "./relation.ts";
import type { Transaction } from "../transaction.ts";
import { inSequence } from "../commit/in-sequence.ts";

/** `found`: the plan was extended. `held`: a hold or a floor protects what was found. */
export type VerificationResult =
  | { readonly result: "completed"; readonly deletion: Deletion }
  | { readonly result: "found" }
  | { readonly result: "held"; readonly waitingFor: string };

const readTargets = `
  SELECT organization_id, resource_type, resource_id FROM deletion_target
  WHERE deletion_request_id = $1 AND action = 'erase' AND position > $2 AND position <= $3
  ORDER BY position`;

const removeTargets = `
  DELETE FROM deletion_target
  WHERE deletion_request_id = $1 AND position > $2 AND position <= $3`;

const findChanged = `
  SELECT DISTINCT change.organization_id, change.resource_type, change.resource_id
  FROM unnest($1::text[], $2::text[], $3::text[]) AS named (organization_id, resource_type, resource_id)
    JOIN change USING (organization_id, resource_type, resource_id)
  --citus WHERE change.resource_id = ANY ($3::text[])
  `;

/** The caller must lock the deletion first. Only tests of the engine omit `seal`; then there is no receipt. */
export async function completeDeletion(
  transaction: Transaction,
  deletion: Deletion,
  { act, seal }: { readonly act: Act; readonly seal: SealReceipt | undefined },
): Promise<VerificationResult> {
  const { deletionRequestId } = deletion;
  await lockPlansFor(transaction, deletion);
  if (isOfOrganization(deletion)) {
    const isErased = await transaction.perform(verifyOrganization, deletion);
    const isClean = await transaction.perform(verifyKept, deletion, redactPayload);
    if (!isErased || !isClean) return { result: "found" };
    await transaction.run(removeTargets, deletionRequestId, 0, Number.MAX_SAFE_INTEGER);
  } else {
    const left = await verifyTargets(transaction, deletion, act);
    if (left !== undefined) return left;
  }
  const completed = await transaction.perform(finishDeletion, deletion, {
    act,
    seal: seal && ((deleted, head) => seal(deleted, { head, engine: "postgres" })),
  });
  return { result: "completed", deletion: completed };
}

/** Divides the targets of a plan by their positions. */
async function eachPart(
  end: number,
  work: (range: { readonly after: number; readonly upTo: number }) => Promise<void>,
): Promise<void> {
  const pace = new Pace();
  for (let after = 0; after < end; after += rowsAtOnceMax) {
    await work({ after, upTo: after + rowsAtOnceMax });
    await pace.rest();
  }
}

/** Removes the targets if nothing of them is left; otherwise what was found. */
async function verifyTargets(
  transaction: Transaction,
  deletion: Deletion,
  act: Act,
): Promise<VerificationResult | undefined> {
  const { deletionRequestId } = deletion;
  const end = await transaction.perform(findPlanEnd, deletionRequestId);
  const left = await findLeft(transaction, deletionRequestId, end);
  if (left.length > 0) return planAgain(transaction, deletion, { left, act });
  let unredacted = 0;
  await eachPart(end, async (range) => {
    const check = { ...range, redact: redactPayload };
    unredacted += await transaction.perform(reopenUnredacted, deletionRequestId, check);
  });
  if (unredacted > 0) return { result: "found" };
  const late = await verifyLateNamings(transaction, deletion, act);
  if (late !== undefined) return late;
  await eachPart(end, async ({ after, upTo }) => {
    await transaction.run(removeTargets, deletionRequestId, after, upTo);
  });
  return undefined;
}

async function planAgain(
  transaction: Transaction,
  deletion: Deletion,
  { left, act }: { readonly left: readonly RecordKey[]; readonly act: Act },
): Promise<VerificationResult> {
  for (const record of left) {
    const planned = await planFrom(transaction, record, planningOf(deletion, act.now));
    if (isObstacle(planned)) {
      await transaction.perform(putOff, deletion, planned, act.now);
      return { result: "held", waitingFor: planned.waitingFor };
    }
    await writePlan(transaction, deletion, planned);
  }
  return { result: "found" };
}

/** Targets to be erased of which anything is left: the record, a change of it, or a relation from or to it. */
async function findLeft(
  transaction: Transaction,
  deletionRequestId: string,
  end: number,
): Promise<readonly RecordKey[]> {
  const left = new Map<string, RecordKey>();
  await eachPart(end, async ({ after, upTo }) => {
    const targets = await transaction.all<KeyRow>(readTargets, deletionRequestId, after, upTo);
    const found = await findAnything(transaction, targets.map(toKey));
    for (const target of targets) {
      const key = rowKeyText(target);
      if (found.has(key) && left.size < limits.erasureStepRecordsMax) left.set(key, toKey(target));
    }
  });
  return [...left.values()];
}

async function findAnything(
  transaction: Transaction,
  keys: readonly RecordKey[],
): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  const [records, changes, to, from] = await inSequence([
    findRecords(transaction, keys),
    transaction.all<KeyRow>(findChanged, ...keyColumns(keys)),
    findRelationsTo(transaction, keys),
    findRelationsFrom(transaction, keys),
  ] as const);
  return new Set([
    ...records.keys(),
    ...changes.map(rowKeyText),
    ...to.map(({ organization_id, to_type, to_id }) => nameKey(organization_id, to_type, to_id)),
    ...from.map((row) => nameKey(row.organization_id, row.from_type, row.from_id)),
  ]);
}

function nameKey(...[organizationId, resourceType, resourceId]: [string, string, string]): string {
  return keyText({ organizationId, resourceType, resourceId });
}
