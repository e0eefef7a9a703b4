// Rewrites the payloads of records: removes references to what is erased, and replaces the ids of parties. Callers
// decide which records and which references.

import type { RecordKey } from "../../../domain/record/record-write.ts";
import { payloadDigest } from "../../shared/payload-digest.ts";
import { redactPayload, type ErasedRecords } from "../../shared/redact-payload.ts";
import { type KeyRow, rowKeyText } from "../../shared/record-key.ts";
import { all, runTogether, type Statements, Rows, run } from "../statement/statements.ts";
import { keyRows, namedRecords, hashText } from "../statement/named.ts";

const readAll = `
  SELECT organization_id, resource_type, resource_id, change_no, payload, reply_key
  FROM ${namedRecords}
    --sqlite CROSS JOIN record USING (organization_id, resource_type, resource_id)
    --sqlite CROSS JOIN change USING (record_no)
    --postgres JOIN change USING (organization_id, resource_type, resource_id)
  --citus WHERE change.resource_id = ANY ($3::text[])
  ORDER BY organization_id, resource_type, resource_id, change_no`;

const readPage = `
  SELECT organization_id, resource_type, resource_id, change_no, payload, reply_key
  FROM record JOIN change
  --sqlite USING (record_no)
  --postgres USING (organization_id, resource_type, resource_id)
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3 AND change_no > $4
  ORDER BY change_no LIMIT $5`;

/** Not every change has a digest. */
const rewriteOne = `
  UPDATE change SET payload = $5, digest = CASE WHEN digest IS NULL THEN NULL ELSE CAST($6 AS bigint) END
  WHERE
    --sqlite record_no = (
    --sqlite   SELECT record_no FROM record
    --sqlite   WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3)
    --postgres organization_id = $1 AND resource_type = $2 AND resource_id = $3
    AND change_no = $4`;

export interface PayloadRow extends KeyRow {
  readonly change_no: number;
  readonly payload: string;
  readonly reply_key: Uint8Array | null;
}

export interface Rewritten extends PayloadRow {
  readonly after: string;
}

/** Reads all changes of these records. */
export function* readChanges(keys: readonly RecordKey[]): Statements<readonly PayloadRow[]> {
  return yield* all<PayloadRow>(readAll, keyRows(keys));
}

/** Reads the changes of one record that arrived after this one, in order. */
export function* readChangesAfter(
  { organizationId, resourceType, resourceId }: RecordKey,
  after: number,
  changesMax: number,
): Statements<readonly PayloadRow[]> {
  const key = [organizationId, resourceType, resourceId] as const;
  return yield* all<PayloadRow>(readPage, ...key, after, changesMax);
}

/**
 * Returns the changes with their redacted payloads. `erasedOf` is called with the text of a record's key
 * (record-key.ts).
 */
export function redactAll(
  changes: readonly PayloadRow[],
  erasedOf: (record: string) => ErasedRecords,
): readonly Rewritten[] {
  return changes.map((change) => ({
    ...change,
    after: redactPayload(change.resource_type, change.payload, erasedOf(rowKeyText(change))),
  }));
}

/** Stores the payloads that differ. The caller must lock the records first. */
export function* storeRewritten(changes: readonly Rewritten[]): Statements<void> {
  const rewritten = changes.filter(({ payload, after }) => after !== payload);
  if (rewritten.length === 0) return;
  yield* runTogether(
    ...rewritten.map(({ organization_id, resource_type, resource_id, change_no, after }) => {
      const key = [organization_id, resource_type, resource_id] as const;
      return [rewriteOne, ...key, change_no, after, payloadDigest(after)] as const;
    }),
  );
  yield* removeRepliesOf(rewritten);
}

const removeReplies = `
  DELETE FROM idempotent_reply
  --postgres USING unnest($1::text[], $2::bytea[]) AS named (organization_id, key_hash)
  WHERE
    --sqlite (organization_id, key_hash) IN (SELECT value ->> 0, unhex(substr(value ->> 1, 3)) FROM json_each($1))
    --postgres idempotent_reply.organization_id = named.organization_id
    --postgres AND idempotent_reply.key_hash = named.key_hash
  `;

export interface RepliedRow {
  readonly organization_id: string;
  /** Null for a change without an idempotency key. */
  readonly reply_key: Uint8Array | null;
}

/**
 * Removes the stored replies of changes that are erased or rewritten: each has a hash of the request, from which what
 * was removed could be guessed.
 */
export function* removeRepliesOf(changes: readonly RepliedRow[]): Statements<void> {
  const keys = new Map<string, readonly [string, string]>();
  for (const { organization_id: organizationId, reply_key: key } of changes) {
    if (key === null) continue;
    const hash = hashText(key);
    keys.set(`${organizationId} ${hash}`, [organizationId, hash]);
  }
  if (keys.size > 0) yield* run(removeReplies, new Rows([...keys.values()], 2));
}
