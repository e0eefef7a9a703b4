// Access tokens: kept as their SHA-256, found with everything that deciding on a request needs, forgotten some time
// after they expired.

import type { Caller } from "../../domain/access.ts";
import {
  callerColumns,
  type KeyRow,
  type OrganizationRow,
  toKey,
  toOrganization,
  toToken,
  type TokenRow,
} from "../access-row.ts";
import type { NewToken } from "../store.ts";
import type { Connection } from "./connection.ts";
import type { Group } from "./group.ts";

const insertToken = `
  INSERT INTO access_token (token_hash, key_id, organization_id, scopes, created_at, expires_at)
  VALUES (?, ?, ?, ?, ?, ?)`;

const noteUse = `UPDATE api_key SET last_used_at = ? WHERE key_id = ?`;

const findByHash = `
  SELECT ${callerColumns}
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
