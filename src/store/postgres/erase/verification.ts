// The proof that an erasure is complete: checks again, by other ways than those by which it was processed, and completes
// the deletion only if nothing is left. What it finds it adds to the plan; it erases nothing.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { limits } from "../../../domain/limits.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import { describeReceipt } from "../../row/audit-row.ts";
import { auditDeletion, readExistingDeletion } from "../../sql/deletion.ts";
import { lockReceiptHead, storeReceipt } from "../../sql/receipt.ts";
import type { Act, SealedReceipt, SealReceipt } from "../../store.ts";
import { isObstacle, planFrom, writePlan } from "./cascade.ts";
import { wait } from "./claim.ts";
import { lockPlansOf } from "../hold.ts";
import { findRecords } from "../commit/record.ts";
import { keyColumns, type KeyRow, keyText, rowKeyText, toKey } from "../record-key.ts";
import { findRelationsFrom, findRelationsTo } from "./relation.ts";
import type { Transaction } from "../transaction.ts";
import { reopenUnredacted } from "./unredacted.ts";
import { inSequence } from "../commit/in-sequence.ts";

/** `found`: the plan was extended. `held`: what was found may not be touched. */
export type VerificationResult =
  | { readonly result: "completed"; readonly deletion: Deletion }
  | { readonly result: "found" }
  | { readonly result: "held"; readonly waitingFor: string };

const targetsAtOnce = 5_000;

const readTargets = `
  SELECT position, organization_id, resource_type, resource_id FROM deletion_target
  WHERE deletion_request_id = $1 AND action = 'erase' AND position > $2
  ORDER BY position LIMIT $3`;

const findChanged = `
  SELECT DISTINCT change.organization_id, change.resource_type, change.resource_id
  FROM unnest($1::text[], $2::text[], $3::text[]) AS named (organization_id, resource_type, resource_id)
    JOIN change USING (organization_id, resource_type, resource_id)
  --citus WHERE change.resource_id = ANY ($3::text[])
  `;

const removeTargets = `DELETE FROM deletion_target WHERE deletion_request_id = $1`;

const setCompleted = `
  UPDATE deletion SET
    status = 'completed', completed_at = $2, waiting_for = NULL, held = false,
    next_attempt_at = NULL, lease_until = NULL, claimant = NULL
  WHERE deletion_request_id = $1 AND status = 'processing'`;

/** The caller has locked the deletion. Without `seal` there is no receipt, as only tests of the engine have it. */
export async function completeDeletion(
  transaction: Transaction,
  deletion: Deletion,
  { act, seal }: { readonly act: Act; readonly seal: SealReceipt | undefined },
): Promise<VerificationResult> {
  const { deletionRequestId, organizationId, erased, redacted } = deletion;
  await lockPlansOf(transaction, organizationId);
  const left = await findLeft(transaction, deletionRequestId);
  if (left.length > 0) return planAgain(transaction, deletion, { left, act });
  if ((await reopenUnredacted(transaction, deletionRequestId)) > 0) return { result: "found" };
  await transaction.run(removeTargets, deletionRequestId);
  await transaction.run(setCompleted, deletionRequestId, act.now);
  const completed = await transaction.perform(readExistingDeletion, deletionRequestId);
  const sealed = await sealAndStore(transaction, completed, { act, seal });
  const detail = { erased, redacted, ...describeReceipt(sealed) };
  const event = { action: "complete", detail, act } as const;
  await transaction.perform(auditDeletion, deletion, event);
  return { result: "completed", deletion: completed };
}

async function sealAndStore(
  transaction: Transaction,
  completed: Deletion,
  { act, seal }: { readonly act: Act; readonly seal: SealReceipt | undefined },
): Promise<SealedReceipt | undefined> {
  if (seal === undefined) return undefined;
  const head = await transaction.perform(lockReceiptHead);
  const sealed = seal(completed, { head, engine: "postgres" });
  await transaction.perform(storeReceipt, sealed, act);
  return sealed;
}

async function planAgain(
  transaction: Transaction,
  deletion: Deletion,
  { left, act }: { readonly left: readonly RecordKey[]; readonly act: Act },
): Promise<VerificationResult> {
  for (const record of left) {
    const planned = await planFrom(transaction, record);
    if (isObstacle(planned)) {
      const until = act.now + limits.heldDeletionRetryMs;
      await wait(transaction, deletion, { ...planned, until });
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
): Promise<readonly RecordKey[]> {
  const left = new Map<string, RecordKey>();
  let after = 0;
  for (;;) {
    const targets = await transaction.all<KeyRow & { position: number }>(
      readTargets,
      deletionRequestId,
      after,
      targetsAtOnce,
    );
    const found = await findAnything(transaction, targets.map(toKey));
    for (const target of targets) {
      const key = rowKeyText(target);
      if (found.has(key) && left.size < limits.erasureStepRecordsMax) left.set(key, toKey(target));
    }
    const last = targets.at(-1);
    if (last === undefined || targets.length < targetsAtOnce) return [...left.values()];
    after = last.position;
  }
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
