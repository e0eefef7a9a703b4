// What a request with an Idempotency-Key came to, kept so that the same request gives the same outcome again. What is
// kept holds no content, and neither the key nor the request but as their hashes.

import { AppError } from "../../../domain/error.ts";
import { limits } from "../../../domain/limits.ts";
import type { IdempotencyMark } from "../../../domain/record/record-write.ts";
import type { Connection } from "../connection.ts";
import type { Group } from "./group.ts";

const findReply = `
  SELECT fingerprint, outcome, created_at FROM idempotent_reply
  WHERE organization_id = ? AND key_hash = ?`;

const keepReply = `
  INSERT INTO idempotent_reply (organization_id, key_hash, fingerprint, outcome, created_at)
  VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET
    fingerprint = excluded.fingerprint, outcome = excluded.outcome, created_at = excluded.created_at`;

const removeReply = `DELETE FROM idempotent_reply WHERE organization_id = ? AND key_hash = ?`;

const removeOld = `
  DELETE FROM idempotent_reply WHERE (organization_id, key_hash) IN (
    SELECT organization_id, key_hash FROM idempotent_reply WHERE created_at < ? LIMIT ?)`;

interface ReplyRow {
  readonly fingerprint: Uint8Array;
  readonly outcome: string;
  readonly created_at: number;
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
export function once<Outcome>(group: Group, marked: Marked, perform: () => Outcome): Outcome {
  const { organizationId, mark, now } = marked;
  if (mark === undefined) return perform();
  const known = group.connection.get<ReplyRow>(findReply, organizationId, mark.keyHash);
  if (known !== undefined && now - known.created_at < limits.idempotencyKeptMs) {
    if (Buffer.compare(known.fingerprint, mark.fingerprint) !== 0) {
      throw new AppError("idempotency_reused");
    }
    return JSON.parse(known.outcome) as Outcome;
  }
  const outcome = perform();
  group.connection.run(
    keepReply,
    organizationId,
    mark.keyHash,
    mark.fingerprint,
    JSON.stringify(outcome),
    now,
  );
  return outcome;
}

export function forgetReply(
  connection: Connection,
  organizationId: string,
  keyHash: Uint8Array,
): void {
  connection.run(removeReply, organizationId, keyHash);
}

export function purgeReplies(connection: Connection, before: number, rowsMax: number): void {
  connection.run(removeOld, before, rowsMax);
}
