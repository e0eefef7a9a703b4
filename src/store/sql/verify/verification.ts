// Completes deletions in the transaction of the verification pass that found nothing left.

import { isOfOrganization } from "../../../domain/deletion/organization-deletion.ts";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import type { Act } from "../../interface/act.ts";
import { describeReceipt } from "../../row/audit-row.ts";
import type { CompletedDeletion } from "../../interface/deletion.ts";
import type { SealedReceipt } from "../../interface/receipt.ts";
import { auditActs } from "../trail/audit.ts";
import type { DeletionRow } from "../../row/deletion-row.ts";
import { inOrderOf, noteOfDeletion } from "../deletion/deletion.ts";
import { inNamedIds } from "../statement/named.ts";
import { removePseudonyms } from "../erase/pseudonym.ts";
import { storeReceipts } from "../trail/receipt.ts";
import { endSet, openSets } from "../plan/restricted-set.ts";
import { all, run, type Statements } from "../statement/statements.ts";
import { storeParts } from "../store-parts.ts";

const removeTargets = `DELETE FROM deletion_target WHERE ${inNamedIds("deletion_request_id")}`;

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
  yield* run(removeTargets, ids);
  yield* removePseudonyms(ids);
  const opened = yield* openSets(deletions, act);
  for (const deletion of deletions) yield* endSet(deletion);
  const completed = yield* all<DeletionRow>(setCompleted, ids, act.now);
  const noted = deletions.filter((one) => !isOfOrganization(one));
  const told: ReadonlySet<string>[] = [];
  for (const { onCompleted } of (yield* storeParts()).list) {
    if (onCompleted !== undefined) told.push(yield* onCompleted(noted, act));
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
    const notices = told.filter((some) => some.has(deletion.deletionRequestId)).length;
    return { result: "completed", deletion, notices };
  });
}
