// Removes expired access tokens, sessions and links, and the stored results of old requests, and corrects what was
// stored while the clock was ahead, a bounded part at a time. Never touches records.

import { inLists } from "../statement/index-conditions.ts";
import { dayMs } from "../../../basics/duration.ts";
import { limits } from "../../../domain/limits.ts";
import { run, type Statements } from "../statement/statements.ts";
import { credentialsChanged } from "./organization.ts";

/** Ends that are further away than anything lasts were stored while the clock was ahead. */
const removeTokens = `
  DELETE FROM access_token WHERE token_hash IN (
    SELECT token_hash FROM access_token WHERE expires_at < $1 OR expires_at > $3 LIMIT $2)`;

const removeReplies = `
  DELETE FROM idempotent_reply WHERE (organization_id, key_hash) IN (
    SELECT organization_id, key_hash FROM idempotent_reply WHERE created_at < $1 LIMIT $2)`;

const removeSessions = `
  DELETE FROM operator_session WHERE session_id IN (
    SELECT session_id FROM operator_session WHERE expires_at <= $1 OR expires_at > $3 LIMIT $2)`;

const removeOneTimeTokens = `
  DELETE FROM one_time_token WHERE token_hash IN (
    SELECT token_hash FROM one_time_token
    WHERE expires_at <= $1 OR (purpose = 'link' AND expires_at > $3) LIMIT $2)`;

/** An overlap after a rotation, or the life of a key that was made with an end. */
const restartKeys = `
  UPDATE api_key SET
    expires_at = $1 + expires_at - CASE
      WHEN rotated_at > $2 THEN rotated_at WHEN rotated_at IS NULL THEN created_at ELSE $1 END,
    created_at = CASE WHEN created_at > $2 THEN $1 ELSE created_at END,
    rotated_at = CASE WHEN rotated_at > $2 THEN $1 ELSE rotated_at END
  WHERE key_id IN (
    SELECT key_id FROM api_key WHERE created_at > $2 OR rotated_at > $2 LIMIT $3)`;

/** What was stored while the clock was ahead, by more than a day ($2): the time that it lasts begins now ($1). */
const restarts = [
  `UPDATE idempotent_reply SET created_at = $1 WHERE (organization_id, key_hash) IN (
    SELECT organization_id, key_hash FROM idempotent_reply WHERE created_at > $2 LIMIT $3)`,
  `UPDATE proposal SET expires_at = $1 + expires_at - proposed_at WHERE proposal_id IN (
    SELECT proposal_id FROM proposal
    WHERE status = 'open' AND proposed_at > $2 AND expires_at > proposed_at LIMIT $3)`,
  `UPDATE deletion SET due_at = $1 + due_at - requested_at, next_attempt_at = NULL
  WHERE deletion_request_id
    --sqlite IN (
    --postgres = ANY (ARRAY (
    SELECT deletion_request_id FROM deletion
    WHERE status = 'pending' ${inLists} AND requested_at > $2 AND due_at >= requested_at LIMIT $3
    --postgres )
    )`,
];

/** Call with a time that is trusted. Returns whether there may be more rows to remove or to correct. */
export function* purgeExpired(now: number): Statements<boolean> {
  const rowsMax = limits.purgedRowsMax;
  const ahead = now + dayMs;
  const tokensMax = now + 2 * limits.tokenSecondsMax * 1_000;
  const keys = yield* run(restartKeys, now, ahead, rowsMax);
  if (keys > 0) yield* credentialsChanged();
  const changed = [
    keys,
    yield* run(removeTokens, now - limits.expiredTokensKeptMs, rowsMax, tokensMax),
    yield* run(removeReplies, now - limits.idempotencyKeptMs, rowsMax),
    yield* run(removeSessions, now, rowsMax, ahead),
    yield* run(removeOneTimeTokens, now, rowsMax, ahead),
  ];
  for (const restart of restarts) changed.push(yield* run(restart, now, ahead, rowsMax));
  return changed.includes(rowsMax);
}
