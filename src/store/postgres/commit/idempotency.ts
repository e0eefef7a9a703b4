// What a request with an Idempotency-Key came to, kept so that the same request gives the same outcome again, in any
// process. What is kept holds no content, and neither the key nor the request but as their hashes.

import { AppError } from "../../../domain/error.ts";
import { limits } from "../../../domain/limits.ts";
import type { IdempotencyMark } from "../../../domain/record/record-write.ts";
import { type KeptReply, replyText } from "../../group/group-replies.ts";
import { Collision } from "../failure.ts";
import { inTransaction, type Transaction } from "../transaction.ts";

const findKept = `
  SELECT reply.organization_id, reply.key_hash, fingerprint, outcome, created_at
  FROM unnest($1::text[], $2::bytea[]) AS named (organization_id, key_hash)
    JOIN idempotent_reply AS reply USING (organization_id, key_hash)`;

/** One that is past its time gives way to a new one. */
const keep = `
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

const removeOld = `
  DELETE FROM idempotent_reply WHERE (organization_id, key_hash) IN (
    SELECT organization_id, key_hash FROM idempotent_reply WHERE created_at < $1 LIMIT $2)`;

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

/** By replyText. */
export async function findReplies(
  transaction: Transaction,
  names: readonly ReplyName[],
): Promise<ReadonlyMap<string, KeptReply>> {
  if (names.length === 0) return new Map();
  const rows = await transaction.all<ReplyRow>(findKept, ...nameColumns(names));
  return new Map(
    rows.map((row) => [replyText(row.organization_id, row.key_hash), toReply(row)] as const),
  );
}

/** How many were kept; fewer than given if another process has kept one of them meanwhile. */
export async function addReplies(
  transaction: Transaction,
  replies: readonly KeptReply[],
): Promise<number> {
  if (replies.length === 0) return 0;
  return transaction.run(
    keep,
    ...nameColumns(replies),
    replies.map(({ fingerprint }) => fingerprint),
    replies.map(({ outcome }) => outcome),
    replies.map(({ createdAt }) => createdAt),
    limits.idempotencyKeptMs,
  );
}

/** Throws Collision if another process has kept one of them meanwhile. */
export async function keepReplies(
  transaction: Transaction,
  replies: readonly KeptReply[],
): Promise<void> {
  const kept = await addReplies(transaction, replies);
  if (kept < replies.length) throw new Collision("another process has kept the reply");
}

export async function forgetReplies(
  transaction: Transaction,
  names: readonly ReplyName[],
): Promise<void> {
  if (names.length > 0) await transaction.run(remove, ...nameColumns(names));
}

export async function purgeReplies(
  transaction: Transaction,
  { before, rowsMax }: { readonly before: number; readonly rowsMax: number },
): Promise<void> {
  await transaction.run(removeOld, before, rowsMax);
}

export interface Marked {
  readonly organizationId: string;
  readonly mark: IdempotencyMark | undefined;
  readonly now: number;
}

/**
 * Performs, unless the mark is known: then it gives the kept outcome. Throws AppError idempotency_reused for a known
 * key with another request. The outcome has to survive JSON.
 */
export async function once<Outcome>(
  transaction: Transaction,
  { organizationId, mark, now }: Marked,
  perform: () => Promise<Outcome>,
): Promise<Outcome> {
  if (mark === undefined) return perform();
  const { keyHash, fingerprint } = mark;
  const known = await findReplies(transaction, [{ organizationId, keyHash }]);
  const reply = known.get(replyText(organizationId, keyHash));
  if (reply !== undefined && now - reply.createdAt < limits.idempotencyKeptMs) {
    if (Buffer.compare(reply.fingerprint, fingerprint) !== 0) {
      throw new AppError("idempotency_reused");
    }
    return JSON.parse(reply.outcome) as Outcome;
  }
  const outcome = await perform();
  const kept = { organizationId, keyHash, fingerprint, createdAt: now };
  await keepReplies(transaction, [{ ...kept, outcome: JSON.stringify(outcome) }]);
  return outcome;
}

function nameColumns(names: readonly ReplyName[]): [string[], Uint8Array[]] {
  return [names.map(({ organizationId }) => organizationId), names.map(({ keyHash }) => keyHash)];
}

function toReply(row: ReplyRow): KeptReply {
  return {
    organizationId: row.organization_id,
    keyHash: row.key_hash,
    fingerprint: row.fingerprint,
    outcome: row.outcome,
    createdAt: row.created_at,
  };
}
