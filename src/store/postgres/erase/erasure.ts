// Processes the plan of a deletion, part by part: removes records with their changes, relations and stored replies, and
// redacts references from records that stay. Stores its progress in the same transaction; never decides what to erase.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import type { NodeKey } from "../../../domain/deletion/erasure.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import { restrictedId } from "../../../domain/deletion/restricted-set.ts";
import { payloadDigest } from "../../payload-digest.ts";
import { redactPayload } from "../../redact-payload.ts";
import {
  findNextTargets,
  keptReferencesOf,
  nodesOf,
  type Reference,
  referencesOf,
  storeProgress,
  type TargetRow,
} from "../../sql/erasure.ts";
import { updateReferences } from "../../sql/restricted-reference.ts";
import type { Act, ErasureStep } from "../../store.ts";
import { removeReplies } from "../commit/idempotency.ts";
import { lockRecords } from "../commit/record.ts";
import { keyColumns, type KeyRow, rowKeyText, toKey } from "../record-key.ts";
import { removeRelations, removeRelationsFrom } from "./relation.ts";
import { moveRecords } from "./restriction.ts";
import type { Transaction } from "../transaction.ts";

const removeChanges = `
  DELETE FROM change
  USING unnest($1::text[], $2::text[], $3::text[]) AS named (organization_id, resource_type, resource_id)
  WHERE change.organization_id = named.organization_id
    AND change.resource_type = named.resource_type AND change.resource_id = named.resource_id
    --citus AND change.resource_id = ANY ($3::text[])
  RETURNING change.organization_id, reply_key`;

const removeRecords = `
  DELETE FROM record
  USING unnest($1::text[], $2::text[], $3::text[]) AS named (organization_id, resource_type, resource_id)
  WHERE record.organization_id = named.organization_id
    AND record.resource_type = named.resource_type AND record.resource_id = named.resource_id
    --citus AND record.resource_id = ANY ($3::text[])
  RETURNING record.organization_id, record.resource_type, record.resource_id`;

const readPayloads = `
  SELECT change.organization_id, change.resource_type, change.resource_id, change_no, payload, digest
  FROM unnest($1::text[], $2::text[], $3::text[]) AS named (organization_id, resource_type, resource_id)
    JOIN change USING (organization_id, resource_type, resource_id)
  --citus WHERE change.resource_id = ANY ($3::text[])
  `;

const rewritePayloads = `
  UPDATE change SET payload = rewritten.payload, digest = rewritten.digest
  FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::bigint[])
    AS rewritten (organization_id, resource_type, resource_id, change_no, payload, digest)
  WHERE change.organization_id = rewritten.organization_id
    AND change.resource_type = rewritten.resource_type
    AND change.resource_id = rewritten.resource_id AND change.change_no = rewritten.change_no
    --citus AND change.resource_id = ANY ($3::text[])
  `;

/** The caller has to lock the deletion first. */
export async function eraseStep(
  transaction: Transaction,
  deletion: Deletion,
  { recordsMax, act }: { readonly recordsMax: number; readonly act: Act },
): Promise<ErasureStep> {
  const { deletionRequestId, organizationId } = deletion;
  const { targets, isLast } = await transaction.perform(findNextTargets, deletion, recordsMax);
  if (targets.length === 0) return { done: true };
  // Once a record is locked, no change is added to it that this step would not see.
  await lockRecords(transaction, uniqueKeys(targets));
  const redactedTypes = await redactAll(transaction, targets);
  const erased = await eraseAll(transaction, targets);
  const moving = uniqueKeys(targets.filter((target) => isErased(target) && target.restricted));
  const set = restrictedId(deletionRequestId);
  const moved = await moveRecords(transaction, moving, { set, act });
  const leaving = { organizationId, deletionRequestId, erased, moved };
  await transaction.perform(updateReferences, leaving);
  const erasedTypes = erased.map(({ resourceType }) => resourceType);
  const keptTypes = moved.map(({ resourceType }) => resourceType);
  const progress = { last: targets.at(-1), erasedTypes, keptTypes, redactedTypes };
  await transaction.perform(storeProgress, deletion, progress, act);
  return { done: isLast };
}

function isErased({ action }: TargetRow): boolean {
  return action === "erase";
}

/** Returns those that still existed. */
async function eraseAll(
  transaction: Transaction,
  targets: readonly TargetRow[],
): Promise<readonly RecordKey[]> {
  const keys = uniqueKeys(targets.filter((target) => isErased(target) && !target.restricted));
  if (keys.length === 0) return [];
  const columns = keyColumns(keys);
  const changes = await transaction.all<{ organization_id: string; reply_key: Uint8Array | null }>(
    removeChanges,
    ...columns,
  );
  const replies = changes.flatMap(({ organization_id: organizationId, reply_key: keyHash }) =>
    keyHash === null ? [] : [{ organizationId, keyHash }],
  );
  await removeReplies(transaction, replies);
  await removeRelationsFrom(transaction, keys);
  return (await transaction.all<KeyRow>(removeRecords, ...columns)).map(toKey);
}

/** The types of the records, one entry for each reference that was removed. */
async function redactAll(
  transaction: Transaction,
  targets: readonly TargetRow[],
): Promise<readonly string[]> {
  const kept = keptReferencesOf(targets);
  if (kept.length > 0) await removeRelations(transaction, kept);
  const references = referencesOf(targets);
  if (references.length === 0) return [];
  const redacted = await removeRelations(transaction, references);
  const byRecord = Map.groupBy(references, referringText);
  await rewriteChanges(transaction, {
    keys: uniqueKeys(
      targets.filter(({ action, restricted }) => action === "redact" && !restricted),
    ),
    goneFrom: (key) => nodesOf(byRecord.get(key) ?? []),
  });
  return redacted;
}

function referringText({ organization_id, from_type, from_id }: Reference): string {
  return rowKeyText({ organization_id, resource_type: from_type, resource_id: from_id });
}

interface PayloadRow extends KeyRow {
  readonly change_no: number;
  readonly payload: string;
  /** Null for the first change of a record. */
  readonly digest: number | null;
}

async function rewriteChanges(
  transaction: Transaction,
  args: {
    readonly keys: readonly RecordKey[];
    readonly goneFrom: (key: string) => ReadonlySet<NodeKey>;
  },
): Promise<void> {
  const rows = await transaction.all<PayloadRow>(readPayloads, ...keyColumns(args.keys));
  const rewritten = rows.flatMap((row) => {
    const payload = redactPayload(row.resource_type, row.payload, args.goneFrom(rowKeyText(row)));
    return payload === row.payload ? [] : [{ ...row, payload }];
  });
  if (rewritten.length === 0) return;
  await transaction.run(
    rewritePayloads,
    ...keyColumns(rewritten.map(toKey)),
    rewritten.map(({ change_no }) => change_no),
    rewritten.map(({ payload }) => payload),
    rewritten.map(({ payload, digest }) => (digest === null ? null : payloadDigest(payload))),
  );
}

function uniqueKeys(rows: readonly KeyRow[]): readonly RecordKey[] {
  return [...new Map(rows.map((row) => [rowKeyText(row), toKey(row)])).values()];
}
