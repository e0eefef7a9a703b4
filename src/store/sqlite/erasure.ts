// Carries out the plan of a deletion, part by part: removes records with everything that holds them, and takes references
// out of records that stay. Counts what it did in the same transaction; never decides what goes.

import type { Deletion, ErasedCounts } from "../../domain/deletion.ts";
import { nodeKey, type NodeKey } from "../../domain/erasure.ts";
import { limits } from "../../domain/limits.ts";
import type { Change } from "../../domain/record-write.ts";
import type { Act, ErasureStep } from "../store.ts";
import type { Connection } from "./connection.ts";
import { readExistingDeletion } from "./deletion.ts";
import type { Group } from "./group.ts";
import { forgetReply } from "./idempotency.ts";
import { readRecordNo } from "./record.ts";
import { redactPayload } from "./redaction.ts";

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
  SELECT DISTINCT reply_key FROM change WHERE record_no = ? AND reply_key IS NOT NULL`;

const removeChanges = `DELETE FROM change WHERE record_no = ?`;

const removeRelations = `
  DELETE FROM relation WHERE organization_id = ? AND from_type = ? AND from_id = ?`;

const removeRelation = `
  DELETE FROM relation
  WHERE organization_id = ? AND from_type = ? AND from_id = ? AND to_type = ? AND to_id = ?`;

const removeRecord = `
  DELETE FROM record WHERE organization_id = ? AND resource_type = ? AND resource_id = ?`;

const readPayloads = `
  SELECT change_no AS changeNo, payload FROM change WHERE record_no = ? ORDER BY change_no`;

const rewritePayload = `UPDATE change SET payload = ? WHERE record_no = ? AND change_no = ?`;

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
  const targets = connection.all<TargetRow>(findNext, deletionRequestId, recordsMax);
  const last = targets.at(-1);
  if (last === undefined) return { done: true };
  const erased = eraseAll(connection, deletion, targets);
  const redacted = redactAll(connection, deletion, targets);
  connection.run(setDone, deletionRequestId, last.position);
  connection.run(
    setProgress,
    deletionRequestId,
    JSON.stringify(erased),
    deletion.redacted + redacted,
    act.now + limits.deletionLeaseMs,
  );
  return { done: targets.length < recordsMax };
}

/** The counts by type so far. */
function eraseAll(
  connection: Connection,
  deletion: Deletion,
  targets: readonly TargetRow[],
): ErasedCounts {
  const counts = new Map(Object.entries(deletion.erased));
  for (const target of targets) {
    if (target.action === "erase" && eraseRecord(connection, target)) {
      counts.set(target.resource_type, (counts.get(target.resource_type) ?? 0) + 1);
    }
  }
  return Object.fromEntries(counts);
}

/** False if there was no such record any more. */
function eraseRecord(connection: Connection, target: TargetRow): boolean {
  const { organization_id, resource_type, resource_id, record_no } = target;
  const key = {
    organizationId: organization_id,
    resourceType: resource_type,
    resourceId: resource_id,
  };
  for (const recordNo of new Set([record_no, readRecordNo(connection, key)])) {
    if (typeof recordNo === "number") eraseChanges(connection, organization_id, recordNo);
  }
  connection.run(removeRelations, organization_id, resource_type, resource_id);
  return connection.run(removeRecord, organization_id, resource_type, resource_id) === 1;
}

function eraseChanges(connection: Connection, organizationId: string, recordNo: number): void {
  for (const { reply_key } of connection.all<{ reply_key: Uint8Array }>(findReplyKeys, recordNo)) {
    forgetReply(connection, organizationId, reply_key);
  }
  connection.run(removeChanges, recordNo);
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
    if (rewritten !== payload) connection.run(rewritePayload, rewritten, recordNo, changeNo);
  }
}
