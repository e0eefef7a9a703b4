// Removes expired access tokens, sessions and links, the stored results of old requests, and the progress of old
// imports, a bounded part at a time. Never touches records.

import { limits } from "../../../domain/limits.ts";
import { run, type Statements } from "../statement/statements.ts";

const removeTokens = `
  DELETE FROM access_token WHERE token_hash IN (
    SELECT token_hash FROM access_token WHERE expires_at < $1 LIMIT $2)`;

const removeReplies = `
  DELETE FROM idempotent_reply WHERE (organization_id, key_hash) IN (
    SELECT organization_id, key_hash FROM idempotent_reply WHERE created_at < $1 LIMIT $2)`;

const removeSessions = `
  DELETE FROM operator_session WHERE session_id IN (
    SELECT session_id FROM operator_session WHERE expires_at <= $1 LIMIT $2)`;

const removeOneTimeTokens = `
  DELETE FROM one_time_token WHERE token_hash IN (
    SELECT token_hash FROM one_time_token WHERE expires_at <= $1 LIMIT $2)`;

const removeImports = `
  DELETE FROM import_run WHERE (organization_id, import_id) IN (
    SELECT organization_id, import_id FROM import_run WHERE started_at < $1 LIMIT $2)`;

/** Returns whether more rows may have expired. */
export function* purgeExpired(now: number): Statements<boolean> {
  const rowsMax = limits.purgedRowsMax;
  const removed = [
    yield* run(removeTokens, now - limits.expiredTokensKeptMs, rowsMax),
    yield* run(removeReplies, now - limits.idempotencyKeptMs, rowsMax),
    yield* run(removeSessions, now, rowsMax),
    yield* run(removeOneTimeTokens, now, rowsMax),
    yield* run(removeImports, now - limits.importsKeptMs, rowsMax),
  ];
  return removed.includes(rowsMax);
}
