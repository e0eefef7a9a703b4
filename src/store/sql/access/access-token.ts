// Access tokens: stored as their SHA-256, and read together with the key and the organization that a request is checked
// against.

import type { AccessToken, Caller } from "../../../domain/access.ts";
import { callerColumns, toKey, toOrganization, toToken } from "../../row/access-row.ts";
import type { Row } from "../../row/reader.ts";
import { find, run, type Statements } from "../statement/statements.ts";

export interface NewToken extends AccessToken {
  readonly tokenHash: Uint8Array;
}

const insertToken = `
  INSERT INTO access_token (token_hash, key_id, organization_id, scopes, created_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6)`;

const setLastUse = `UPDATE api_key SET last_used_at = $1 WHERE key_id = $2`;

const findByHash = `
  SELECT ${callerColumns}
  FROM access_token
    JOIN api_key ON api_key.key_id = access_token.key_id
    JOIN organization ON organization.organization_id = access_token.organization_id
  WHERE token_hash = $1`;

/** Stores a token, and updates when the key was last used. */
export function* createToken(token: NewToken): Statements<void> {
  const { tokenHash, keyId, organizationId, scopes, createdAt, expiresAt } = token;
  const scopeText = JSON.stringify(scopes);
  yield* run(insertToken, tokenHash, keyId, organizationId, scopeText, createdAt, expiresAt);
  yield* run(setLastUse, createdAt, keyId);
}

export function* findCaller(tokenHash: Uint8Array): Statements<Caller | undefined> {
  return yield* find(toCaller, findByHash, tokenHash);
}

function toCaller(row: Row): Caller {
  return { token: toToken(row), key: toKey(row), organization: toOrganization(row) };
}
