// Processes the plan of a deletion, part by part: removes records with their changes, relations and stored replies, and
// redacts references from records that stay. Stores its progress in the same transaction; never decides what to erase.

import { nodeKey } from "../../../domain/deletion/erasure.ts";
import { isOfOrganization } from "../../../domain/deletion/organization-deletion.ts";
import type { Change, RecordKey } from "../../../domain/record/record-write.ts";
import type { Gone } from "../../gone.ts";
import { payloadDigest } from "../../payload-digest.ts";
import { evaluateParties } from "../../rewritten-parties.ts";
import { readExistingDeletion } from "../../sql/deletion.ts";
import {
  findNextTargets,
  goneOf,
  type NextTargets,
  type Reference,
  keptReferencesOf,
  referencesOf,
  requireProcessing,
  storeProgress,
  type TargetRow,
} from "../../sql/erasure.ts";
import { eraseOrganizationStep } from "../../sql/organization-erasure.ts";
import { keepPseudonym } from "../../sql/kept-pseudonym.ts";
import { updateReferences } from "../../sql/restricted-reference.ts";
import { deleteOrphans } from "../../sql/orphan.ts";
import { findPartyErasure } from "../../sql/pseudonym.ts";
import type { Act, ErasureStep } from "../../store.ts";
import type { Connection } from "../connection.ts";
import type { Group } from "../commit/group.ts";
import { removeReplyOf } from "../commit/idempotency.ts";
import { readRecordNo } from "../commit/record.ts";
import { eraseNumberedRecords } from "./organization-records.ts";
import { redactPayload } from "./redaction.ts";
import { moveRecord, removeRepliesOfRecord } from "./restriction.ts";

/** Changes that are removed in one transaction, so that writers wait only briefly. */
export const erasureStepChangesMax = 2_000;

interface NumberedTarget extends TargetRow {
  readonly record_no: number | null;
}

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
  SELECT change_no AS changeNo, payload, reply_key AS replyKey FROM change
  WHERE record_no = ? ORDER BY change_no`;

const rewritePayload = `
  UPDATE change SET payload = ?1, digest = CASE WHEN digest IS NULL THEN NULL ELSE ?2 END
  WHERE record_no = ?3 AND change_no = ?4`;

export function eraseStep(
  group: Group,
  deletionRequestId: string,
  recordsMax: number,
  act: Act,
): ErasureStep {
  const { connection } = group;
  const deletion = requireProcessing(connection.perform(readExistingDeletion, deletionRequestId));
  if (isOfOrganization(deletion)) {
    const startedAt = performance.now();
    const redacting = { redact: redactPayload };
    const args = { rowsMax: recordsMax, act, eraseRecords: eraseNumberedRecords, ...redacting };
    const { done, latestArrival } = connection.perform(eraseOrganizationStep, deletion, args);
    return { done, latestArrival, workMs: performance.now() - startedAt };
  }
  const next = connection.perform(findNextTargets<NumberedTarget>, deletion, recordsMax);
  if (next.targets.length === 0) return { done: true };
  const { erased, moved, targets } = eraseAll(connection, next, act);
  const pseudonym = connection.perform(findPartyErasure, deletionRequestId)?.pseudonym;
  const { redactedTypes, renamed, orphans } = redactAll(connection, targets, pseudonym);
  if (pseudonym !== undefined && renamed.length > 0) {
    connection.perform(keepPseudonym, deletion, renamed, { pseudonym, now: act.now });
  }
  if (orphans.length > 0) {
    connection.perform(deleteOrphans, deletion, orphans, act);
    group.deletionsChanged();
  }
  const { organizationId } = deletion;
  connection.perform(updateReferences, { organizationId, deletionRequestId, erased, moved });
  const erasedTypes = erased.map(({ resourceType }) => resourceType);
  const keptTypes = moved.map(({ resourceType }) => resourceType);
  const progress = { last: targets.at(-1), erasedTypes, keptTypes, redactedTypes };
  connection.perform(storeProgress, deletion, progress, act);
  return { done: targets.length === next.targets.length && next.isLast };
}

/**
 * The records that were erased or moved, and the targets that are done. A record with more changes than one transaction may
 * remove ends the step; the next step continues with it.
 */
function eraseAll(
  connection: Connection,
  { targets, isConfidential }: NextTargets<NumberedTarget>,
  act: Act,
) {
  const erased: RecordKey[] = [];
  const moved: RecordKey[] = [];
  const left = { open: erasureStepChangesMax, confidential: erasureStepChangesMax };
  for (const [index, target] of targets.entries()) {
    if (target.action !== "erase") continue;
    const kind = isConfidential(target) ? "confidential" : "open";
    left[kind] -= target.restricted
      ? removeRepliesOfRecord(connection, toKey(target), left[kind])
      : eraseChanges(connection, target, left[kind]);
    if (left[kind] === 0) return { erased, moved, targets: targets.slice(0, index) };
    const key = toKey(target);
    if (!target.restricted) {
      if (eraseRecord(connection, target)) erased.push(key);
    } else if (moveRecord(connection, key, target.deletion_request_id, act)) {
      moved.push(key);
    }
  }
  return { erased, moved, targets };
}

function toKey({ organization_id, resource_type, resource_id }: TargetRow): RecordKey {
  return {
    organizationId: organization_id,
    resourceType: resource_type,
    resourceId: resource_id,
  };
}

/** False if the record did not exist any more. Its changes have to be removed before. */
function eraseRecord(connection: Connection, target: TargetRow): boolean {
  const { organization_id, resource_type, resource_id } = target;
  connection.run(removeRelations, organization_id, resource_type, resource_id);
  return connection.run(removeRecord, organization_id, resource_type, resource_id) === 1;
}

/** Removes up to `changesMax` changes with their stored replies; returns how many changes. */
function eraseChanges(connection: Connection, target: NumberedTarget, changesMax: number): number {
  const { organization_id: organizationId, record_no } = target;
  let removed = 0;
  for (const recordNo of new Set([record_no, readRecordNo(connection, toKey(target))])) {
    if (typeof recordNo !== "number" || removed === changesMax) continue;
    const part = [recordNo, changesMax - removed] as const;
    for (const { reply_key } of connection.all<{ reply_key: Uint8Array }>(findReplyKeys, ...part)) {
      removeReplyOf(connection, organizationId, reply_key);
    }
    removed += connection.run(removeChanges, ...part);
  }
  return removed;
}

interface Redacted {
  /** The types of the records, one entry for each reference or id that was removed. */
  readonly redactedTypes: string[];
  /** Records in which a pseudonym has replaced an id. */
  readonly renamed: RecordKey[];
  /** Records that name no party any more that is not erased. */
  readonly orphans: RecordKey[];
}

/** A record with several references is rewritten once. */
function redactAll(
  connection: Connection,
  targets: readonly TargetRow[],
  pseudonym: string | undefined,
): Redacted {
  const byRecord = Map.groupBy(referencesOf(targets), ({ from_type, from_id }) =>
    nodeKey(from_type, from_id),
  );
  for (const reference of keptReferencesOf(targets)) removeRelationOf(connection, reference);
  const result: Redacted = { redactedTypes: [], renamed: [], orphans: [] };
  for (const references of byRecord.values()) {
    redactRecord(connection, { references, pseudonym, result });
  }
  return result;
}

function removeRelationOf(connection: Connection, reference: Reference): number {
  const { organization_id, from_type, from_id, to_type, to_id } = reference;
  return connection.run(removeRelation, organization_id, from_type, from_id, to_type, to_id);
}

function redactRecord(
  connection: Connection,
  args: {
    readonly references: readonly Reference[];
    readonly pseudonym: string | undefined;
    readonly result: Redacted;
  },
): void {
  const { references, pseudonym, result } = args;
  for (const reference of references) {
    if (removeRelationOf(connection, reference) > 0) result.redactedTypes.push(reference.from_type);
  }
  const first = references[0];
  if (first === undefined) return;
  const { organization_id: organizationId, from_type: resourceType, from_id: resourceId } = first;
  const record = { organizationId, resourceType, resourceId };
  const gone = goneOf(references, pseudonym);
  const rewritten = rewriteChanges(connection, record, gone);
  if (pseudonym === undefined || rewritten === undefined) return;
  const { isNew, isOrphan } = evaluateParties(resourceType, { ...rewritten, pseudonym });
  if (!isNew) return;
  result.redactedTypes.push(resourceType);
  result.renamed.push(record);
  if (isOrphan) result.orphans.push(record);
}

interface StoredPayload extends Pick<Change, "changeNo" | "payload"> {
  readonly replyKey: Uint8Array | null;
}

/** The payloads of the record before and after; undefined if there is no such record. */
function rewriteChanges(connection: Connection, record: RecordKey, gone: Gone) {
  const { organizationId, resourceType } = record;
  const recordNo = readRecordNo(connection, record);
  if (recordNo === undefined) return undefined;
  const changes = connection.all<StoredPayload>(readPayloads, recordNo);
  const after: string[] = [];
  for (const { changeNo, payload, replyKey } of changes) {
    const rewritten = redactPayload(resourceType, payload, gone);
    after.push(rewritten);
    if (rewritten === payload) continue;
    connection.run(rewritePayload, rewritten, payloadDigest(rewritten), recordNo, changeNo);
    // It has a hash of the request, from which the id could be guessed.
    if (replyKey !== null) removeReplyOf(connection, organizationId, replyKey);
  }
  return { before: changes.map(({ payload }) => payload), after };
}
