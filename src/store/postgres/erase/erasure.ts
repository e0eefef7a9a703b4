// Processes the plan of a deletion, part by part: removes records with their changes, relations and stored replies, and
// redacts references from records that stay. Stores its progress in the same transaction; never decides what to erase.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";
import { restrictedId } from "../../../domain/deletion/restricted-set.ts";
import { payloadDigest } from "../../payload-digest.ts";
import type { Gone } from "../../gone.ts";
import { redactPayload } from "../../redact-payload.ts";
import { evaluateParties } from "../../rewritten-parties.ts";
import {
  findNextTargets,
  goneOf,
  keptReferencesOf,
  type Reference,
  referencesOf,
  storeProgress,
  type TargetRow,
} from "../../sql/erasure.ts";
import { keepPseudonym } from "../../sql/kept-pseudonym.ts";
import { updateReferences } from "../../sql/restricted-reference.ts";
import { deleteOrphans } from "../../sql/orphan.ts";
import { findPartyErasure } from "../../sql/pseudonym.ts";
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
  SELECT change.organization_id, change.resource_type, change.resource_id, change_no, payload, digest,
    reply_key
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
  const erasure = await transaction.perform(findPartyErasure, deletionRequestId);
  const pseudonym = erasure?.pseudonym;
  const { redactedTypes, renamed, orphans } = await redactAll(transaction, targets, pseudonym);
  if (pseudonym !== undefined && renamed.length > 0) {
    await transaction.perform(keepPseudonym, deletion, renamed, { pseudonym, now: act.now });
  }
  if (orphans.length > 0) await transaction.perform(deleteOrphans, deletion, orphans, act);
  const erased = await eraseAll(transaction, targets);
  const moving = uniqueKeys(targets.filter((target) => isErased(target) && target.restricted));
  const set = restrictedId(deletionRequestId);
  const moved = await moveRecords(transaction, moving, { organizationId, set, act });
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

interface Redacted {
  /** The types of the records, one entry for each reference or id that was removed. */
  readonly redactedTypes: readonly string[];
  /** Records in which a pseudonym has replaced an id. */
  readonly renamed: readonly RecordKey[];
  /** Records that name no party any more that is not erased. */
  readonly orphans: readonly RecordKey[];
}

async function redactAll(
  transaction: Transaction,
  targets: readonly TargetRow[],
  pseudonym: string | undefined,
): Promise<Redacted> {
  const kept = keptReferencesOf(targets);
  await removeRelations(transaction, kept);
  const references = referencesOf(targets);
  const redactedTypes = await removeRelations(transaction, references);
  const byRecord = Map.groupBy(references, referringText);
  const changes = await rewriteChanges(transaction, {
    keys: uniqueKeys(
      targets.filter(({ action, restricted }) => action === "redact" && !restricted),
    ),
    goneFrom: (key) => goneOf(byRecord.get(key) ?? [], pseudonym),
  });
  if (pseudonym === undefined) return { redactedTypes, renamed: [], orphans: [] };
  const { renamed, orphans } = findRenamed(changes, pseudonym);
  const renamedTypes = renamed.map(({ resourceType }) => resourceType);
  return { redactedTypes: [...redactedTypes, ...renamedTypes], renamed, orphans };
}

function referringText({ organization_id, from_type, from_id }: Reference): string {
  return rowKeyText({ organization_id, resource_type: from_type, resource_id: from_id });
}

interface PayloadRow extends KeyRow {
  readonly change_no: number;
  readonly payload: string;
  /** Null for the first change of a record. */
  readonly digest: number | null;
  readonly reply_key: Uint8Array | null;
}

interface Rewritten extends PayloadRow {
  readonly after: string;
}

/** Returns all changes of the records, rewritten or not. */
async function rewriteChanges(
  transaction: Transaction,
  args: {
    readonly keys: readonly RecordKey[];
    readonly goneFrom: (key: string) => Gone;
  },
): Promise<readonly Rewritten[]> {
  const rows = await transaction.all<PayloadRow>(readPayloads, ...keyColumns(args.keys));
  const changes = rows.map((row) => {
    const gone = args.goneFrom(rowKeyText(row));
    return { ...row, after: redactPayload(row.resource_type, row.payload, gone) };
  });
  const rewritten = changes.filter(({ payload, after }) => after !== payload);
  if (rewritten.length === 0) return changes;
  await transaction.run(
    rewritePayloads,
    ...keyColumns(rewritten.map(toKey)),
    rewritten.map(({ change_no }) => change_no),
    rewritten.map(({ after }) => after),
    rewritten.map(({ after, digest }) => (digest === null ? null : payloadDigest(after))),
  );
  // They have a hash of the request, from which what was removed could be guessed.
  const replies = rewritten.flatMap(({ organization_id: organizationId, reply_key: keyHash }) =>
    keyHash === null ? [] : [{ organizationId, keyHash }],
  );
  await removeReplies(transaction, replies);
  return changes;
}

/** The records that name the pseudonym only now, and those of them that are orphaned. */
function findRenamed(changes: readonly Rewritten[], pseudonym: string) {
  const renamed: RecordKey[] = [];
  const orphans: RecordKey[] = [];
  for (const [, ofRecord] of Map.groupBy(changes, rowKeyText)) {
    const [first] = ofRecord;
    if (first === undefined) continue;
    const before = ofRecord.map(({ payload }) => payload);
    const after = ofRecord.map((change) => change.after);
    const parties = evaluateParties(first.resource_type, { before, after, pseudonym });
    if (!parties.isNew) continue;
    renamed.push(toKey(first));
    if (parties.isOrphan) orphans.push(toKey(first));
  }
  return { renamed, orphans };
}

function uniqueKeys(rows: readonly KeyRow[]): readonly RecordKey[] {
  return [...new Map(rows.map((row) => [rowKeyText(row), toKey(row)])).values()];
}
