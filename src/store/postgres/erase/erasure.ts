// Processes the plan of a deletion, part by part: removes records with everything that holds them, and takes references
// out of records that stay. Counts what it did in the same transaction; never decides what goes.

import type { Deletion, ErasedCounts } from "../../../domain/deletion/deletion.ts";
import { nodeKey, type NodeKey } from "../../../domain/deletion/erasure.ts";
import { limits } from "../../../domain/limits.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import { payloadDigest } from "../../payload-digest.ts";
import { redactPayload } from "../../redact-payload.ts";
import type { Act, ErasureStep } from "../../store.ts";
import { forgetReplies } from "../commit/idempotency.ts";
import { lockRecords } from "../commit/record.ts";
import { keyColumns, type KeyRow, rowKeyText, toKey } from "../record-key.ts";
import { removeRelations, removeRelationsFrom } from "./relation.ts";
import type { Transaction } from "../transaction.ts";

interface TargetRow extends KeyRow {
  readonly position: number;
  readonly action: "erase" | "redact";
  readonly to_type: string | null;
  readonly to_id: string | null;
}

const findNext = `
  SELECT * FROM deletion_target WHERE deletion_request_id = $1 AND NOT done
  ORDER BY position LIMIT $2`;

const setDone = `
  UPDATE deletion_target SET done = true
  WHERE deletion_request_id = $1 AND NOT done AND position <= $2`;

const setProgress = `
  UPDATE deletion SET erased = $2, redacted = $3, lease_until = greatest(lease_until, $4)
  WHERE deletion_request_id = $1`;

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
  RETURNING record.resource_type`;

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

/** The caller has locked the deletion. */
export async function eraseStep(
  transaction: Transaction,
  deletion: Deletion,
  { recordsMax, act }: { readonly recordsMax: number; readonly act: Act },
): Promise<ErasureStep> {
  const { deletionRequestId } = deletion;
  const targets = await transaction.all<TargetRow>(findNext, deletionRequestId, recordsMax);
  const last = targets.at(-1);
  if (last === undefined) return { done: true };
  // Once a record is locked, nothing is added to it that this step would not see.
  await lockRecords(transaction, uniqueKeys(targets));
  const redacted = await redactAll(transaction, targets);
  const erased = await eraseAll(transaction, targets);
  await transaction.run(setDone, deletionRequestId, last.position);
  await transaction.run(
    setProgress,
    deletionRequestId,
    JSON.stringify(addCounts(deletion.erased, erased)),
    deletion.redacted + redacted,
    act.now + limits.deletionLeaseMs,
  );
  return { done: targets.length < recordsMax };
}

/** The types of the records that were there, one entry each. */
async function eraseAll(
  transaction: Transaction,
  targets: readonly TargetRow[],
): Promise<readonly string[]> {
  const keys = uniqueKeys(targets.filter(({ action }) => action === "erase"));
  if (keys.length === 0) return [];
  const columns = keyColumns(keys);
  const changes = await transaction.all<{ organization_id: string; reply_key: Uint8Array | null }>(
    removeChanges,
    ...columns,
  );
  const replies = changes.flatMap(({ organization_id: organizationId, reply_key: keyHash }) =>
    keyHash === null ? [] : [{ organizationId, keyHash }],
  );
  await forgetReplies(transaction, replies);
  await removeRelationsFrom(transaction, keys);
  const records = await transaction.all<{ resource_type: string }>(removeRecords, ...columns);
  return records.map(({ resource_type }) => resource_type);
}

function addCounts(before: ErasedCounts, types: readonly string[]): ErasedCounts {
  const counts = new Map(Object.entries(before));
  for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  return Object.fromEntries(counts);
}

/** How many references were taken out. */
async function redactAll(transaction: Transaction, targets: readonly TargetRow[]): Promise<number> {
  const references = targets.flatMap(toReference);
  if (references.length === 0) return 0;
  const gone = new Map<string, Set<NodeKey>>();
  for (const { key, to_type, to_id } of references) {
    const nodes = gone.get(key) ?? new Set();
    gone.set(key, nodes.add(nodeKey(to_type, to_id)));
  }
  const redacted = await removeRelations(transaction, references);
  await rewriteChanges(transaction, {
    keys: uniqueKeys(targets.filter(({ action }) => action === "redact")),
    goneFrom: (key) => gone.get(key) ?? new Set(),
  });
  return redacted;
}

interface ReferenceRow {
  readonly key: string;
  readonly organization_id: string;
  readonly from_type: string;
  readonly from_id: string;
  readonly to_type: string;
  readonly to_id: string;
}

function toReference(target: TargetRow): readonly ReferenceRow[] {
  const { action, organization_id, resource_type, resource_id, to_type, to_id } = target;
  if (action !== "redact") return [];
  if (to_type === null || to_id === null) throw new TypeError("a redaction names no reference");
  const from = { from_type: resource_type, from_id: resource_id };
  return [{ key: rowKeyText(target), organization_id, ...from, to_type, to_id }];
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
