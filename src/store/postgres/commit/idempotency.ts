// The stored outcomes of writes with an Idempotency-Key, for whole groups. They contain hashes of the key and the
// request, and no content.

import { limits } from "../../../domain/limits.ts";
import { type StoredReply, replyText } from "../../group/group-replies.ts";
import { inTransaction, type Transaction } from "../transaction.ts";

const findKept = `
  SELECT reply.organization_id, reply.key_hash, fingerprint, outcome, created_at
  FROM unnest($1::text[], $2::bytea[]) AS named (organization_id, key_hash)
    JOIN idempotent_reply AS reply USING (organization_id, key_hash)`;

/** Replaces a reply that has expired. */
const storeReplies = `
  INSERT INTO idempotent_reply (organization_id, key_hash, fingerprint, outcome, created_at)
  SELECT * FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::text[], $5::bigint[])
  WHERE ${inTransaction}
  ON CONFLICT (organization_id, key_hash) DO UPDATE SET
    fingerprint = excluded.fingerprint, outcome = excluded.outcome, created_at = excluded.created_at
  WHERE idempotent_reply.created_at <= excluded.created_at - $6::bigint`;

const remove = `
  DELETE FROM idempotent_reply
  USING unnest($1::text[], $2::bytea[]) AS named (organization_id, key_hash)
  WHERE idempotent_reply.organization_id = named.organization_id
    AND idempotent_reply.key_hash = named.key_hash`;

interface ReplyRow {
  readonly organization_id: string;
  readonly key_hash: Uint8Array;
  readonly fingerprint: Uint8Array;
  readonly outcome: string;
  readonly created_at: number;
}

export interface ReplyName {
  readonly organizationId: string;
  readonly keyHash: Uint8Array;
}

/** Returns a map from replyText to stored replies. */
export async function findReplies(
  transaction: Transaction,
  names: readonly ReplyName[],
): Promise<ReadonlyMap<string, StoredReply>> {
  if (names.length === 0) return new Map();
  const rows = await transaction.all<ReplyRow>(findKept, ...nameColumns(names));
  return new Map(
    rows.map((row) => [replyText(row.organization_id, row.key_hash), toReply(row)] as const),
  );
}

/** Returns how many replies were stored: fewer than given if another process has stored one of them meanwhile. */
export async function addReplies(
  transaction: Transaction,
  replies: readonly StoredReply[],
): Promise<number> {
  if (replies.length === 0) return 0;
  return transaction.run(
    storeReplies,
    ...nameColumns(replies),
    replies.map(({ fingerprint }) => fingerprint),
    replies.map(({ outcome }) => outcome),
    replies.map(({ createdAt }) => createdAt),
    limits.idempotencyKeptMs,
  );
}

export async function removeReplies(
  transaction: Transaction,
  names: readonly ReplyName[],
): Promise<void> {
  if (names.length > 0) await transaction.run(remove, ...nameColumns(names));
}

function nameColumns(names: readonly ReplyName[]): [string[], Uint8Array[]] {
  return [names.map(({ organizationId }) => organizationId), names.map(({ keyHash }) => keyHash)];
}

function toReply(row: ReplyRow): StoredReply {
  return {
    organizationId: row.organization_id,
    keyHash: row.key_hash,
    fingerprint: row.fingerprint,
    outcome: row.outcome,
    createdAt: row.created_at,
  };
}
