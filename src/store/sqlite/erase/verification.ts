// Verifies that an erasure is complete, by other statements than those that erased, and completes the deletion only if
// nothing is left. Adds what it finds to the plan; erases nothing.

import { isDeepStrictEqual } from "node:util";
import type { Deletion } from "../../../domain/deletion/deletion.ts";
import { isOfOrganization } from "../../../domain/deletion/organization-deletion.ts";
import { countsOf } from "../../../domain/deletion/receipt-count.ts";
import { limits } from "../../../domain/limits.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import type { PartyErasure } from "../../naming.ts";
import { followsHead } from "../../row/receipt-row.ts";
import { putOff } from "../../sql/claim.ts";
import { readExistingDeletion } from "../../sql/deletion.ts";
import { requireProcessing } from "../../sql/erasure.ts";
import { verifyOrganization } from "../../sql/organization-erasure.ts";
import { readConfidentialTypes } from "../../sql/organization.ts";
import { isObstacle, planningOf, targetsOf } from "../../sql/plan.ts";
import { readReceiptHead } from "../../sql/receipt.ts";
import { verifyKept } from "../../sql/redact-kept.ts";
import { finishDeletion, reopenUnredacted } from "../../sql/verification.ts";
import type { Act, SealedReceipt } from "../../store.ts";
import { planFrom, writePlan } from "./cascade.ts";
import { takePseudonym, verifyLastNamings, verifyNextNamings } from "./late-namings.ts";
import { planRelationsAtOnceMax } from "./claim.ts";
import type { Connection } from "../connection.ts";
import type { Group } from "../commit/group.ts";
import { redactPayload } from "./redaction.ts";

/** How many targets of a plan share a transaction that verifies them. */
export const verifiedTargetsAtOnceMax = 200;

/**
 * `found`: the plan was extended. `large`: it must be extended in steps, by the cascade of this record. `held`: a
 * hold or a floor protects something that was found. `moved`: the receipt no longer fits the chain and must be signed again.
 */
export type VerificationResult =
  | { readonly result: "moved" }
  | { readonly result: "clean"; readonly erasure?: PartyErasure | undefined }
  | { readonly result: "found" }
  | { readonly result: "large"; readonly deletion: Deletion; readonly record: RecordKey }
  | { readonly result: "held"; readonly waitingFor: string };

export interface SealedCompletion {
  readonly deletionRequestId: string;
  readonly act: Act;
  /** Left out only by tests of the engine. */
  readonly sealed?: SealedReceipt | undefined;
  /** Of a person or a company, as the first verification pass has removed it. */
  readonly erasure?: PartyErasure | undefined;
}

/** Targets to be erased of which anything is left: the record, a change of it, or a relation from or to it. */
const findLeft = `
  SELECT resource_type AS resourceType, resource_id AS resourceId
  FROM deletion_target AS target
  WHERE deletion_request_id = ?1 AND action = 'erase' AND position <= ?3 AND (
    EXISTS (
      SELECT 1 FROM relation
      WHERE organization_id = target.organization_id
        AND to_type = target.resource_type AND to_id = target.resource_id)
    OR EXISTS (
      SELECT 1 FROM relation
      WHERE organization_id = target.organization_id
        AND from_type = target.resource_type AND from_id = target.resource_id)
    OR EXISTS (
      SELECT 1 FROM record
      WHERE organization_id = target.organization_id
        AND resource_type = target.resource_type AND resource_id = target.resource_id)
    OR EXISTS (SELECT 1 FROM change WHERE change.record_no = target.record_no))
  ORDER BY position LIMIT ?2`;

/**
 * The position of the last target of the next part that can be removed; null if there are fewer targets. Those of confidential
 * types don't count for the others, so that they don't decide how many parts there are.
 */
const findEndOfPart = `
  WITH target AS (
    SELECT position, resource_type IN (SELECT value FROM json_each(?5)) AS confidential
    FROM deletion_target
    WHERE deletion_request_id = ?1 AND restricted = 0 AND NOT (
      action = 'erase' AND resource_type = ?2 AND resource_id = ?3)
    ORDER BY position LIMIT ?4 * 2)
  SELECT min(position) AS position FROM (
    SELECT position, row_number() OVER (PARTITION BY confidential ORDER BY position) AS place FROM target)
  WHERE place = ?4`;

/**
 * The root's target stays until the end; the deletion itself contains its id anyway. So do those of records that were moved, which
 * nobody may write again before the deletion is completed.
 */
const removeTargetsButRoot = `
  DELETE FROM deletion_target
  WHERE deletion_request_id = ?1 AND position <= ?4 AND restricted = 0 AND NOT (
    action = 'erase' AND resource_type = ?2 AND resource_id = ?3)`;

/** Greater than every position. */
const anyPosition = Number.MAX_SAFE_INTEGER;

/**
 * The first verification pass, of a bounded number of targets; `partly` if there are more. Verified targets are
 * removed, because they contain the ids of erased records: so these can be scrubbed from the file before the deletion
 * is completed.
 */
export function verifyErasure(
  { connection }: Group,
  deletionRequestId: string,
  act: Act,
): VerificationResult | { readonly result: "partly" } {
  const deletion = requireProcessing(connection.perform(readExistingDeletion, deletionRequestId));
  const root = [deletion.resourceType, deletion.resourceId] as const;
  const confidential = connection.perform(readConfidentialTypes, deletion.organizationId);
  const last = connection.get<{ position: number | null }>(
    findEndOfPart,
    deletionRequestId,
    ...root,
    verifiedTargetsAtOnceMax,
    JSON.stringify([...confidential]),
  )?.position;
  const upTo = last ?? anyPosition;
  const verification = verifyTargets(connection, deletion, { act, upTo });
  if (verification.result !== "clean") return verification;
  connection.run(removeTargetsButRoot, deletionRequestId, ...root, upTo);
  if (last !== undefined && last !== null) return { result: "partly" };
  const late = verifyNextNamings(connection, deletion, act);
  if (late.result !== "clean") return late;
  return { result: "clean", erasure: takePseudonym(connection, deletion) };
}

/** The last verification pass, and the completion in the same transaction. */
export function completeDeletion(
  group: Group,
  { deletionRequestId, act, sealed, erasure }: SealedCompletion,
): VerificationResult | Deletion {
  const { connection } = group;
  const deletion = requireProcessing(connection.perform(readExistingDeletion, deletionRequestId));
  const verification = verifyTargets(connection, deletion, { act, upTo: anyPosition });
  if (verification.result !== "clean") return verification;
  const late = verifyLastNamings(group, deletion, { act, erasure });
  if (late.result !== "clean") return late;
  if (sealed !== undefined && !fits(connection, deletion, sealed)) return { result: "moved" };
  const seal = sealed && (() => sealed);
  const completed = connection.perform(finishDeletion, deletion, { act, seal });
  group.deletionsChanged();
  return completed;
}

/** Verifies the targets up to this position. */
function verifyTargets(
  connection: Connection,
  deletion: Deletion,
  { act, upTo }: { readonly act: Act; readonly upTo: number },
): VerificationResult {
  const { deletionRequestId, organizationId } = deletion;
  if (isOfOrganization(deletion)) {
    const isErased = connection.perform(verifyOrganization, deletion);
    const isClean = connection.perform(verifyKept, deletion, redactPayload);
    return { result: isErased && isClean ? "clean" : "found" };
  }
  const left = connection.all<Pick<RecordKey, "resourceType" | "resourceId">>(
    findLeft,
    deletionRequestId,
    limits.erasureStepRecordsMax,
    upTo,
  );
  let relationsLeft: number = planRelationsAtOnceMax;
  for (const [index, found] of left.entries()) {
    const record = { organizationId, ...found };
    const bounds = { relationsMax: relationsLeft, bounded: true };
    const planned = planFrom(connection, record, planningOf(deletion, act.now), bounds);
    if (planned === undefined)
      return index === 0 ? { result: "large", deletion, record } : { result: "found" };
    if (isObstacle(planned)) {
      connection.perform(putOff, deletion, planned, act.now);
      return { result: "held", waitingFor: planned.waitingFor };
    }
    const targets = targetsOf(planned);
    writePlan(connection, deletion, targets);
    relationsLeft -= targets.length;
  }
  if (left.length > 0) return { result: "found" };
  const check = { after: 0, upTo, redact: redactPayload };
  const unredacted = connection.perform(reopenUnredacted, deletionRequestId, check);
  return { result: unredacted > 0 ? "found" : "clean" };
}

/** The receipt was signed before: the chain and the counts have to be as they were then. */
function fits(connection: Connection, deletion: Deletion, sealed: SealedReceipt): boolean {
  return (
    followsHead(sealed, connection.perform(readReceiptHead)) &&
    isDeepStrictEqual(sealed.counts, countsOf(deletion))
  );
}
