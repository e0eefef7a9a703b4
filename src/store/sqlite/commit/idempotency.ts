// The stored outcomes of writes with an Idempotency-Key. They contain hashes of the key and the request, and no
// content. The code has no generators, because every such write runs it.

import { repeatedOutcome } from "../../group/group-replies.ts";
import type { Marked } from "../../sql/access/idempotency.ts";
import type { Connection } from "../connection.ts";
import type { Group } from "./group.ts";

const findReply = `
  SELECT fingerprint, outcome, created_at FROM idempotent_reply
  WHERE organization_id = ? AND key_hash = ?`;

const storeReply = `
  INSERT INTO idempotent_reply (organization_id, key_hash, fingerprint, outcome, created_at)
  VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET
    fingerprint = excluded.fingerprint, outcome = excluded.outcome, created_at = excluded.created_at`;

const removeReply = `DELETE FROM idempotent_reply WHERE organization_id = ? AND key_hash = ?`;

interface ReplyRow {
  readonly fingerprint: Uint8Array;
  readonly outcome: string;
  readonly created_at: number;
}

/**
 * Calls `perform` unless the mark is known; then it returns the stored outcome. Throws AppError idempotency_reused if
 * the key was used for a different request. The outcome has to survive JSON.
 */
export function once<Outcome>(group: Group, marked: Marked, perform: () => Outcome): Outcome {
  const { organizationId, mark, now } = marked;
  if (mark === undefined) return perform();
  const known = group.connection.get<ReplyRow>(findReply, organizationId, mark.keyHash);
  const repeated = repeatedOutcome(known && { ...known, createdAt: known.created_at }, {
    fingerprint: mark.fingerprint,
    now,
  });
  if (repeated !== undefined) return JSON.parse(repeated) as Outcome;
  const outcome = perform();
  group.connection.run(
    storeReply,
    organizationId,
    mark.keyHash,
    mark.fingerprint,
    JSON.stringify(outcome),
    now,
  );
  return outcome;
}

export function removeReplyOf(
  connection: Connection,
  organizationId: string,
  keyHash: Uint8Array,
): void {
  connection.run(removeReply, organizationId, keyHash);
}
