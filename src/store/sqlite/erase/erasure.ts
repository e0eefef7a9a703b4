// Processes the plan of a deletion, part by part: removes records with everything that holds them, and takes references
// out of records that stay. Counts what it did in the same transaction; never decides what goes.

import type { Deletion, ErasedCounts } from "../../../domain/deletion/deletion.ts";
import { nodeKey, type NodeKey } from "../../../domain/deletion/erasure.ts";
import { limits } from "../../../domain/limits.ts";
import type { Change } from "../../../domain/record/record-write.ts";
import { payloadDigest } from "../../payload-digest.ts";
import type { Act, ErasureStep } from "../../store.ts";
import type { Connection } from "../connection.ts";
import { readExistingDeletion } from "../deletion.ts";
import type { Group } from "../commit/group.ts";
import { forgetReply } from "../commit/idempotency.ts";
import { readRecordNo } from "../commit/record.ts";
import { redactPayload } from "./redaction.ts";

/** Changes that are removed in one transaction, so that writers wait only briefly. */
export const erasureStepChangesMax = 2_000;

interface TargetRow {
  readonly position: number;
  readonly organization_id: string;
  readonly action: "erase" | "redact";
  readonly resource_type: string;
  readonly resource_id: string;
  readonly record_no: number | null;
  readonly to_type: string | null;
  readonly to_id: string | null;
}

const findNext = `
  SELECT * FROM deletion_target INDEXED BY deletion_target_to_do
  WHERE deletion_request_id = ? AND done = 0 ORDER BY position LIMIT ?`;

const setDone = `
  UPDATE deletion_target INDEXED BY deletion_target_to_do SET done = 1
  WHERE deletion_request_id = ? AND done = 0 AND position <= ?`;

const setProgress = `
  UPDATE deletion SET erased = ?2, redacted = ?3, lease_until = max(lease_until, ?4)
  WHERE deletion_request_id = ?1`;

const findReplyKeys = `
  SELECT DISTINCT reply_key FROM (
    SELECT reply_key FROM change WHERE record_no = ? ORDER BY change_no LIMIT ?)
  WHERE reply_key IS NOT NULL`;

const removeChanges = `
  DELETE FROM change WHERE record_no = ?1 AND change_no IN (
    SELECT change_no FROM change WHERE record_no = ?1 ORDER BY change_no LIMIT ?2)`;

const removeRelations = `
  DELETE FROM relation WHERE organization_id = ? AND from_type = ? AND from_id = ?`;

const removeRelation = `
  DELETE FROM relation
  WHERE organization_id = ? AND from_type = ? AND from_id = ? AND to_type = ? AND to_id = ?`;

const removeRecord = `
  DELETE FROM record WHERE organization_id = ? AND resource_type = ? AND resource_id = ?`;

const readPayloads = `
  SELECT change_no AS changeNo, payload FROM change WHERE record_no = ? ORDER BY change_no`;

const rewritePayload = `
  UPDATE change SET payload = ?, digest = ? WHERE record_no = ? AND change_no = ?`;

export function eraseStep(
  { connection }: Group,
  args: {
    readonly deletionRequestId: string;
    readonly recordsMax: number;
    readonly act: Act;
  },
): ErasureStep {
  const { deletionRequestId, recordsMax, act } = args;
  const deletion = readExistingDeletion(connection, deletionRequestId);
  if (deletion.status !== "processing") {
    throw new TypeError(`the deletion ${deletionRequestId} is ${deletion.status}, not processing`);
  }
  const next = connection.all<TargetRow>(findNext, deletionRequestId, recordsMax);
  if (next.length === 0) return { done: true };
  const { erased, targets } = eraseAll(connection, deletion, next);
  const redacted = redactAll(connection, deletion, targets);
  const last = targets.at(-1);
  if (last !== undefined) connection.run(setDone, deletionRequestId, last.position);
  connection.run(
    setProgress,
    deletionRequestId,
    JSON.stringify(erased),
    deletion.redacted + redacted,
    act.now + limits.deletionLeaseMs,
  );
  return { done: targets.length === next.length && next.length < recordsMax };
}

/**
 * The counts by type so far, and the targets that are done. A record with more changes than one transaction may remove ends
 * the step; the next one goes on with it.
 */
function eraseAll(
  connection: Connection,
  deletion: Deletion,
  targets: readonly TargetRow[],
): { readonly erased: ErasedCounts; readonly targets: readonly TargetRow[] } {
  const counts = new Map(Object.entries(deletion.erased));
  let changesLeft: number = erasureStepChangesMax;
  for (const [index, target] of targets.entries()) {
    if (target.action !== "erase") continue;
    changesLeft -= eraseChanges(connection, target, changesLeft);
    if (changesLeft === 0) {
      return { erased: Object.fromEntries(counts), targets: targets.slice(0, index) };
    }
    if (eraseRecord(connection, target)) {
      counts.set(target.resource_type, (counts.get(target.resource_type) ?? 0) + 1);
    }
  }
  return { erased: Object.fromEntries(counts), targets };
}

/** False if there was no such record any more. Its changes have to be gone. */
function eraseRecord(connection: Connection, target: TargetRow): boolean {
  const { organization_id, resource_type, resource_id } = target;
  connection.run(removeRelations, organization_id, resource_type, resource_id);
  return connection.run(removeRecord, organization_id, resource_type, resource_id) === 1;
}

/** Removes up to `changesMax` changes, with the kept replies that they belong to; gives how many. */
function eraseChanges(connection: Connection, target: TargetRow, changesMax: number): number {
  const { organization_id: organizationId, resource_type, resource_id, record_no } = target;
  const key = { organizationId, resourceType: resource_type, resourceId: resource_id };
  let removed = 0;
  for (const recordNo of new Set([record_no, readRecordNo(connection, key)])) {
    if (typeof recordNo !== "number" || removed === changesMax) continue;
    const part = [recordNo, changesMax - removed] as const;
    for (const { reply_key } of connection.all<{ reply_key: Uint8Array }>(findReplyKeys, ...part)) {
      forgetReply(connection, organizationId, reply_key);
    }
    removed += connection.run(removeChanges, ...part);
  }
  return removed;
}

/** How many references were taken out. A record with several is rewritten once. */
function redactAll(
  connection: Connection,
  { organizationId }: Deletion,
  targets: readonly TargetRow[],
): number {
  const byRecord = Map.groupBy(
    targets.filter(({ action }) => action === "redact"),
    ({ resource_type, resource_id }) => nodeKey(resource_type, resource_id),
  );
  let redacted = 0;
  for (const references of byRecord.values()) {
    redacted += redactRecord(connection, organizationId, references);
  }
  return redacted;
}

function redactRecord(
  connection: Connection,
  organizationId: string,
  references: readonly TargetRow[],
): number {
  const gone = new Set<NodeKey>();
  let redacted = 0;
  for (const { resource_type, resource_id, to_type, to_id } of references) {
    if (to_type === null || to_id === null) throw new TypeError("a redaction names no reference");
    gone.add(nodeKey(to_type, to_id));
    const from = [resource_type, resource_id] as const;
    redacted += connection.run(removeRelation, organizationId, ...from, to_type, to_id);
  }
  const first = references[0];
  if (first === undefined) return redacted;
  const { resource_type: resourceType, resource_id: resourceId } = first;
  const recordNo = readRecordNo(connection, { organizationId, resourceType, resourceId });
  if (recordNo !== undefined) rewriteChanges(connection, { resourceType, recordNo, gone });
  return redacted;
}

function rewriteChanges(
  connection: Connection,
  args: {
    readonly resourceType: string;
    readonly recordNo: number;
    readonly gone: ReadonlySet<NodeKey>;
  },
): void {
  const { resourceType, recordNo, gone } = args;
  const changes = connection.all<Pick<Change, "changeNo" | "payload">>(readPayloads, recordNo);
  for (const { changeNo, payload } of changes) {
    const rewritten = redactPayload(resourceType, payload, gone);
    if (rewritten === payload) continue;
    const digest = changeNo === recordNo ? null : payloadDigest(rewritten);
    connection.run(rewritePayload, rewritten, digest, recordNo, changeNo);
  }
}
