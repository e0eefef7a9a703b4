// Rewrites the payloads of records: removes references to what is erased, and replaces the ids of parties. Callers
// decide which records and which references, and how much of it one transaction reads.

import type { RecordKey } from "../../../domain/record/record-write.ts";
import { limits } from "../../../domain/limits.ts";
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

const changesOf = `
  FROM record JOIN change
  --sqlite USING (record_no)
  --postgres USING (organization_id, resource_type, resource_id)
  WHERE organization_id = $1 AND resource_type = $2 AND resource_id = $3 AND change_no > $4
  `;

const readSizes = `
  SELECT change_no, octet_length(payload) AS bytes ${changesOf} ORDER BY change_no LIMIT $5`;

const readPage = `
  SELECT organization_id, resource_type, resource_id, change_no, payload, reply_key ${changesOf}
    AND change_no <= $5
  ORDER BY change_no`;

/** A record with more changes than this is read part by part. */
const changesOfShortMax = 16;

/** The records without a long history: none of them exceeds the room of a step. */
const measureShort = `
  SELECT organization_id, resource_type, resource_id, count(*) AS changes, sum(octet_length(payload)) AS bytes
  FROM ${namedRecords}
    --sqlite CROSS JOIN record USING (organization_id, resource_type, resource_id)
    --sqlite CROSS JOIN change ON change.record_no = record.record_no
    --postgres JOIN record USING (organization_id, resource_type, resource_id)
    --postgres JOIN change USING (organization_id, resource_type, resource_id)
  WHERE NOT EXISTS (
    SELECT 1 FROM change AS one
    --sqlite WHERE one.record_no = record.record_no
    --postgres WHERE one.organization_id = record.organization_id
    --postgres   AND one.resource_type = record.resource_type AND one.resource_id = record.resource_id
    LIMIT 1 OFFSET ${changesOfShortMax})
    --citus AND record.resource_id = ANY ($3::text[])
  GROUP BY organization_id, resource_type, resource_id`;

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

export interface Size {
  readonly changes: number;
  readonly bytes: number;
}

/** How much one transaction may still read of payloads, of which it may rewrite all. */
export class Room {
  #changes = limits.rewrittenChangesMax;
  #bytes = limits.rewrittenBytesMax;

  get changes(): number {
    return this.#changes;
  }

  /** A change, and a record with few changes, always fit into an unused room. */
  take({ changes, bytes }: Size): boolean {
    if (changes > this.#changes || bytes > this.#bytes) return false;
    this.#changes -= changes;
    this.#bytes -= bytes;
    return true;
  }
}

/** Returns the sizes of those records that exist and have few changes, by the texts of their keys. */
export function* measureShortRecords(
  keys: readonly RecordKey[],
): Statements<ReadonlyMap<string, Size>> {
  const rows = yield* all<KeyRow & Size>(measureShort, keyRows(keys));
  return new Map(rows.map((row) => [rowKeyText(row), row]));
}

export interface ChangesPart {
  readonly changes: readonly PayloadRow[];
  /** Whether no later change exists. */
  readonly isLast: boolean;
}

/** Reads the changes of one record that arrived after this one, in order, as many as there is room for. */
export function* readChangesAfter(
  { organizationId, resourceType, resourceId }: RecordKey,
  after: number,
  room: Room,
): Statements<ChangesPart> {
  const key = [organizationId, resourceType, resourceId] as const;
  const sizesMax = room.changes + 1;
  const sizes = yield* all<{ change_no: number; bytes: number }>(
    readSizes,
    ...key,
    after,
    sizesMax,
  );
  const end = sizes.findIndex(({ bytes }) => !room.take({ changes: 1, bytes }));
  const last = sizes.at(end === -1 ? -1 : end - 1);
  if (last === undefined || end === 0) return { changes: [], isLast: sizes.length === 0 };
  const changes = yield* all<PayloadRow>(readPage, ...key, after, last.change_no);
  return { changes, isLast: end === -1 && sizes.length < sizesMax };
}

export function* readChange(
  { organizationId, resourceType, resourceId }: RecordKey,
  changeNo: number,
): Statements<readonly PayloadRow[]> {
  const key = [organizationId, resourceType, resourceId] as const;
  return yield* all<PayloadRow>(readPage, ...key, changeNo - 1, changeNo);
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
    rewritten.map(({ organization_id, resource_type, resource_id, change_no, after }) => {
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
