// Access tokens: kept as their SHA-256, found with everything that deciding on a request needs, forgotten some time
// after they expired.

import type { AccessToken, Caller } from "../../domain/access.ts";
import type { Scope } from "../../domain/scope.ts";
import type { NewToken } from "../store.ts";
import { keyColumns, type KeyRow, toKey } from "./api-key.ts";
import { type OrganizationRow, toOrganization } from "./organization.ts";
import type { Transaction } from "./transaction.ts";

interface TokenRow {
  readonly token_key_id: string;
  readonly token_organization_id: string;
  readonly token_scopes: string;
  readonly token_created_at: number;
  readonly token_expires_at: number;
}

const insertToken = `
  INSERT INTO access_token (token_hash, key_id, organization_id, scopes, created_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6)`;

const noteUse = `UPDATE api_key SET last_used_at = $1 WHERE key_id = $2`;

const findByHash = `
  SELECT
    access_token.key_id AS token_key_id, access_token.organization_id AS token_organization_id,
    access_token.scopes AS token_scopes, access_token.created_at AS token_created_at,
    access_token.expires_at AS token_expires_at,
    ${keyColumns}, organization.*
  FROM access_token
    JOIN api_key ON api_key.key_id = access_token.key_id
    JOIN organization ON organization.organization_id = access_token.organization_id
  WHERE token_hash = $1`;

const removeExpired = `
  DELETE FROM access_token WHERE token_hash IN (
    SELECT token_hash FROM access_token WHERE expires_at < $1 LIMIT $2)`;

export async function createToken(transaction: Transaction, token: NewToken): Promise<void> {
  const { tokenHash, keyId, organizationId, scopes, createdAt, expiresAt } = token;
  await transaction.run(
    insertToken,
    tokenHash,
    keyId,
    organizationId,
    JSON.stringify(scopes),
    createdAt,
    expiresAt,
  );
  await transaction.run(noteUse, createdAt, keyId);
}

export async function findCaller(
  transaction: Transaction,
  tokenHash: Uint8Array,
): Promise<Caller | undefined> {
  const row = await transaction.get<TokenRow & KeyRow & OrganizationRow>(findByHash, tokenHash);
  if (row === undefined) return undefined;
  return { token: toToken(row), key: toKey(row), organization: toOrganization(row) };
}

export async function purgeTokens(
  transaction: Transaction,
  { before, rowsMax }: { readonly before: number; readonly rowsMax: number },
): Promise<void> {
  await transaction.run(removeExpired, before, rowsMax);
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
