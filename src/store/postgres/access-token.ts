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
import type { Transaction } from "./transaction.ts";

const insertToken = `
  INSERT INTO access_token (token_hash, key_id, organization_id, scopes, created_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6)`;

const noteUse = `UPDATE api_key SET last_used_at = $1 WHERE key_id = $2`;

const findByHash = `
  SELECT ${callerColumns}
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
