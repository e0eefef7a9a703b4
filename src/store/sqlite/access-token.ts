// Access tokens: kept as their SHA-256, found with everything that deciding on a request needs, forgotten some time
// after they expired.

import type { AccessToken, Caller } from "../../domain/access.ts";
import type { Scope } from "../../domain/scope.ts";
import type { NewToken } from "../store.ts";
import { keyColumns, type KeyRow, toKey } from "./api-key.ts";
import type { Connection } from "./connection.ts";
import type { Group } from "./group.ts";
import { type OrganizationRow, toOrganization } from "./organization.ts";

interface TokenRow {
  readonly token_key_id: string;
  readonly token_organization_id: string;
  readonly token_scopes: string;
  readonly token_created_at: number;
  readonly token_expires_at: number;
}

const insertToken = `
  INSERT INTO access_token (token_hash, key_id, organization_id, scopes, created_at, expires_at)
  VALUES (?, ?, ?, ?, ?, ?)`;

const noteUse = `UPDATE api_key SET last_used_at = ? WHERE key_id = ?`;

const findByHash = `
  SELECT
    access_token.key_id AS token_key_id, access_token.organization_id AS token_organization_id,
    access_token.scopes AS token_scopes, access_token.created_at AS token_created_at,
    access_token.expires_at AS token_expires_at,
    ${keyColumns}, organization.*
  FROM access_token
    JOIN api_key ON api_key.key_id = access_token.key_id
    JOIN organization ON organization.organization_id = access_token.organization_id
  WHERE token_hash = ?`;

const removeExpired = `
  DELETE FROM access_token WHERE token_hash IN (
    SELECT token_hash FROM access_token WHERE expires_at < ? LIMIT ?)`;

export function createToken({ connection }: Group, { token }: { readonly token: NewToken }): void {
  const { tokenHash, keyId, organizationId, scopes, createdAt, expiresAt } = token;
  connection.run(
    insertToken,
    tokenHash,
    keyId,
    organizationId,
    JSON.stringify(scopes),
    createdAt,
    expiresAt,
  );
  connection.run(noteUse, createdAt, keyId);
}

export function findCaller(connection: Connection, tokenHash: Uint8Array): Caller | undefined {
  const row = connection.get<TokenRow & KeyRow & OrganizationRow>(findByHash, tokenHash);
  if (row === undefined) return undefined;
  return { token: toToken(row), key: toKey(row), organization: toOrganization(row) };
}

export function purgeTokens(connection: Connection, before: number, rowsMax: number): void {
  connection.run(removeExpired, before, rowsMax);
}

function toToken(row: TokenRow): AccessToken {
  return {
    keyId: row.token_key_id,
    organizationId: row.token_organization_id,
    scopes: JSON.parse(row.token_scopes) as readonly Scope[],
    createdAt: row.token_created_at,
    expiresAt: row.token_expires_at,
  };
}
