// The results of requests with an Idempotency-Key that are not writes of records. They hold no content, and of the key
// and the request only hashes.

import { limits } from "../../../domain/limits.ts";
import type { IdempotencyMark } from "../../../domain/record/record-write.ts";
import { repeatedOutcome } from "../../group/group-replies.ts";
import { Collision, get, run, type Statements } from "../statement/statements.ts";

const findReply = `
  SELECT fingerprint, outcome, created_at FROM idempotent_reply
  WHERE organization_id = $1 AND key_hash = $2`;

/** Replaces a reply that has expired. */
const storeReply = `
  INSERT INTO idempotent_reply (organization_id, key_hash, fingerprint, outcome, created_at)
  VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (organization_id, key_hash) DO UPDATE SET
    fingerprint = excluded.fingerprint, outcome = excluded.outcome, created_at = excluded.created_at
  WHERE idempotent_reply.created_at <= excluded.created_at - $6`;

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
 * Runs `work` unless the mark is known; then it returns the stored outcome. Throws AppError idempotency_reused if the
 * key was used for a different request. The outcome has to survive JSON.
 */
export function* once<Outcome>(
  { organizationId, mark, now }: Marked,
  work: () => Statements<Outcome>,
): Statements<Outcome> {
  if (mark === undefined) return yield* work();
  const { keyHash, fingerprint } = mark;
  const row = yield* get<ReplyRow>(findReply, organizationId, keyHash);
  const known = row && { ...row, createdAt: row.created_at };
  const repeated = repeatedOutcome(known, { fingerprint, now });
  if (repeated !== undefined) return JSON.parse(repeated) as Outcome;
  const outcome = yield* work();
  const reply = [organizationId, keyHash, fingerprint, JSON.stringify(outcome), now] as const;
  if ((yield* run(storeReply, ...reply, limits.idempotencyKeptMs)) === 0) {
    throw new Collision("another process has stored the reply");
  }
  return outcome;
}
