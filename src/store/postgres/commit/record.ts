// Records and their changes: the statements of a group, and lookups. Every statement handles many rows. Evaluates
// nothing.

import { sameOnServer } from "../../sql/statement/named.ts";
import {
  refusalOf,
  type WriteRestriction,
} from "../../../domain/deletion/organization-deletion.ts";
import type { AppError } from "../../../domain/error.ts";
import type { RecordKey, RecordWrite, Sighting } from "../../../domain/record/record-write.ts";
import {
  type ChangeOfGroup,
  type KnownRecord,
  type RecordOfGroup,
  relationColumns,
  type RelationRow,
} from "../../group/group-records.ts";
import { payloadDigest } from "../../shared/payload-digest.ts";
import { keyColumns, type KeyRow, rowKeyText } from "../../shared/record-key.ts";
import type { Insertion } from "../../sql/statement/statements.ts";
import { inTransaction, type Transaction } from "../transaction.ts";
import { inSequence } from "./settle-all.ts";

interface SightingRow {
  readonly first_seen: string;
  readonly last_seen: string;
}

const namedRecord = sameOnServer("record");

const lockRows = `
  SELECT record.organization_id, record.resource_type, record.resource_id, first_seen, last_seen
  FROM unnest($1::text[], $2::text[], $3::text[]) AS named (organization_id, resource_type, resource_id)
    JOIN record ON ${namedRecord}
  ORDER BY named.organization_id, named.resource_type, named.resource_id
  FOR NO KEY UPDATE OF record`;

/** Citus can lock rows of several shards only by updating them. */
const lockRowsOnCitus = `
  UPDATE record SET first_seen = record.first_seen
  FROM unnest($1::text[], $2::text[], $3::text[]) AS named (organization_id, resource_type, resource_id)
  WHERE ${namedRecord}
    --citus AND record.resource_id = ANY ($3::text[])
  RETURNING record.organization_id, record.resource_type, record.resource_id, first_seen, last_seen`;

const insertRecords = `
  INSERT INTO record (organization_id, resource_type, resource_id, first_seen, last_seen)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
  WHERE ${inTransaction}
  ON CONFLICT DO NOTHING`;

const insertRecordsOnCitus: Insertion = {
  into: `INSERT INTO record (organization_id, resource_type, resource_id, first_seen, last_seen) VALUES`,
  row: "(?, ?, ?, ?, ?)",
  end: "ON CONFLICT DO NOTHING",
};

const widenRecords = `
  UPDATE record SET first_seen = named.first_seen, last_seen = named.last_seen
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
    AS named (organization_id, resource_type, resource_id, first_seen, last_seen)
  WHERE ${namedRecord}
    --citus AND record.resource_id = ANY ($3::text[])
  `;

/** In the same list as `unnest`, `nextval` would be called once too often. */
const insertChanges = `
  INSERT INTO change
    (organization_id, resource_type, resource_id, change_no, received_at, reply_key, payload, digest)
  SELECT organization_id, resource_type, resource_id, nextval('arrival'),
    received_at, reply_key, payload, digest
  FROM (
    SELECT unnest($1::text[]) AS organization_id, unnest($2::text[]) AS resource_type,
      unnest($3::text[]) AS resource_id, unnest($4::bigint[]) AS received_at, unnest($5::bytea[]) AS reply_key,
      unnest($6::text[]) AS payload, unnest($7::bigint[]) AS digest
    WHERE ${inTransaction}) AS added`;

const insertChangesOnCitus: Insertion = {
  into: `
    INSERT INTO change
      (organization_id, resource_type, resource_id, change_no, received_at, reply_key, payload, digest)
    VALUES`,
  row: "(?, ?, ?, nextval('arrival'), ?, ?, ?, ?)",
  end: "",
};

const findSightings = `
  SELECT record.organization_id, record.resource_type, record.resource_id, first_seen, last_seen
  FROM unnest($1::text[], $2::text[], $3::text[]) AS named (organization_id, resource_type, resource_id)
    JOIN record ON ${namedRecord}
  --citus WHERE record.resource_id = ANY ($3::text[])
  `;

/** Returns the records that exist, and locks them in the order of their keys until the end of the transaction. */
export async function lockRecords(
  transaction: Transaction,
  keys: readonly RecordKey[],
): Promise<ReadonlyMap<string, KnownRecord>> {
  if (keys.length === 0) return new Map();
  const sql = transaction.distributed ? lockRowsOnCitus : lockRows;
  return transaction.inShardOrder(async () =>
    toKnown(await transaction.all<KeyRow & SightingRow>(sql, ...keyColumns(keys))),
  );
}

export async function findRecords(
  transaction: Transaction,
  keys: readonly RecordKey[],
): Promise<ReadonlyMap<string, KnownRecord>> {
  return toKnown(await transaction.all<KeyRow & SightingRow>(findSightings, ...keyColumns(keys)));
}

function toKnown(rows: readonly (KeyRow & SightingRow)[]): ReadonlyMap<string, KnownRecord> {
  return new Map(
    rows.map((row) => [
      rowKeyText(row),
      { firstSeen: row.first_seen, lastSeen: row.last_seen } satisfies Sighting,
    ]),
  );
}

/** Inserts records. Returns how many: fewer than given if some exist meanwhile. */
export function insertNewRecords(
  transaction: Transaction,
  records: readonly RecordOfGroup[],
): Promise<number> {
  return transaction.insert(insertRecords, insertRecordsOnCitus, recordColumns(records));
}

export async function widenSightings(
  transaction: Transaction,
  records: readonly RecordOfGroup[],
): Promise<void> {
  if (records.length > 0) await transaction.run(widenRecords, ...recordColumns(records));
}

export function recordColumns(records: readonly RecordOfGroup[]): string[][] {
  return [
    ...keyColumns(records.map(({ record }) => record)),
    records.map(({ firstSeen }) => firstSeen),
    records.map(({ lastSeen }) => lastSeen),
  ];
}

/** The changes are numbered in the given order. */
export async function appendChanges(
  transaction: Transaction,
  changes: readonly ChangeOfGroup[],
): Promise<void> {
  if (changes.length === 0) return;
  const columns = [
    ...keyColumns(changes.map(({ record }) => record)),
    changes.map(({ write }) => write.receivedAt),
    changes.map(({ write }) => write.idempotency?.keyHash ?? null),
    changes.map(({ draft }) => draft.payload),
    changes.map(({ draft, first }) => (first ? null : payloadDigest(draft.payload))),
  ];
  await inSequence([
    markArrival(transaction),
    transaction.insert(insertChanges, insertChangesOnCitus, columns),
  ] as const);
}

const findRestricted = `
  SELECT organization_id, closed_at, writes_paused_until FROM organization
  WHERE organization_id = ANY ($1::text[]) AND (closed_at IS NOT NULL OR writes_paused_until > $2)`;

interface RestrictionRow extends WriteRestriction {
  readonly organization_id: string;
}

interface OfOrganization {
  readonly organizationId: string;
}

/** Why all writes of an organization are refused, for those of which they are. */
export async function findRefusals(
  transaction: Transaction,
  writes: readonly RecordWrite[],
): Promise<ReadonlyMap<string, AppError>> {
  const now = earliestOf(writes);
  const rows = await transaction.all<RestrictionRow>(findRestricted, organizationsOf(writes), now);
  const refusals = new Map<string, AppError>();
  for (const row of rows) {
    const refusal = refusalOf(row, now);
    if (refusal !== undefined) refusals.set(row.organization_id, refusal);
  }
  return refusals;
}

/** When the first of the writes was received; if there are none, no time is later. */
export function earliestOf(writes: readonly RecordWrite[]): number {
  return writes.reduce((at, { receivedAt }) => Math.min(at, receivedAt), Number.MAX_SAFE_INTEGER);
}

/** The distinct organizations. */
export function organizationsOf(asking: readonly OfOrganization[]): readonly string[] {
  return [...new Set(asking.map(({ organizationId }) => organizationId))];
}

/** `belongs` takes precedence over `mentions`, whichever change stated it. */
const outweigh = `
  ON CONFLICT (organization_id, to_type, to_id, from_type, from_id)
  DO UPDATE SET kind = 'belongs' WHERE excluded.kind = 'belongs' AND relation.kind <> 'belongs'`;

const insertRelations = `
  INSERT INTO relation (organization_id, from_type, from_id, to_type, to_id, kind)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
  WHERE ${inTransaction}
  ${outweigh}`;

const insertRelationsOnCitus: Insertion = {
  into: `INSERT INTO relation (organization_id, from_type, from_id, to_type, to_id, kind) VALUES`,
  row: "(?, ?, ?, ?, ?, ?)",
  end: outweigh,
};

export async function addRelations(
  transaction: Transaction,
  rows: readonly RelationRow[],
): Promise<void> {
  const columns = relationColumns.map((name) => rows.map((row) => row[name]));
  await transaction.insert(insertRelations, insertRelationsOnCitus, columns);
}

/** The highest bits of the keys of these marks; the other bits are an arrival number. */
export const markBits = 54;
export const markKey = `(5::bigint << ${markBits})`;

/** Nobody waits for this lock: the numbers that the transaction takes are greater than the one in the key. */
export const markBeginning = `
  SELECT pg_advisory_xact_lock_shared(${markKey} | coalesce(pg_sequence_last_value('arrival'::regclass), 0))`;

const marked = new WeakSet<Transaction>();

/** Sends the mark; must be sent before the transaction takes its first number. */
async function markArrival(transaction: Transaction): Promise<void> {
  if (marked.has(transaction)) return;
  marked.add(transaction);
  await transaction.run(markBeginning);
}
