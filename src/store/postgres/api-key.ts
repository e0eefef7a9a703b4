// API keys: made, revoked, replaced and read. Holds the SHA-256 of a secret, never a secret.

import type { ApiKey, KeyHolder } from "../../domain/access.ts";
import {
  describeKey,
  keyColumns,
  type KeyRow,
  type OrganizationRow,
  toKey,
  toOrganization,
} from "../access-row.ts";
import type { Act, NewKey } from "../store.ts";
import { appendAudit } from "./audit.ts";
import { credentialsChanged } from "./organization.ts";
import type { Transaction } from "./transaction.ts";

const insertKey = `
  INSERT INTO api_key (key_id, organization_id, name, secret_hash, scopes, created_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`;

const findOne = `SELECT ${keyColumns} FROM api_key WHERE key_id = $1`;

const findBySecret = `
  SELECT ${keyColumns}, organization.*
  FROM api_key JOIN organization USING (organization_id) WHERE secret_hash = $1`;

const findAll = `SELECT ${keyColumns} FROM api_key ORDER BY created_at, key_id`;

const findOfOrganization = `
  SELECT ${keyColumns} FROM api_key WHERE organization_id = $1 ORDER BY created_at, key_id`;

const setRevoked = `UPDATE api_key SET revoked_at = $1 WHERE key_id = $2 AND revoked_at IS NULL`;

/** An end that is nearer already stays. */
const setEnd = `UPDATE api_key SET expires_at = least(expires_at, $2::bigint) WHERE key_id = $1`;

export async function createKey(transaction: Transaction, key: NewKey, act: Act): Promise<void> {
  await storeKey(transaction, key);
  await note(transaction, { key, action: "key.create", detail: describeKey(key), act });
}

/** Revoking a key a second time changes nothing. */
export async function revokeKey(
  transaction: Transaction,
  keyId: string,
  act: Act,
): Promise<ApiKey | undefined> {
  const revoked = await transaction.run(setRevoked, act.now, keyId);
  const key = await findKey(transaction, keyId);
  if (key !== undefined && revoked === 1) {
    await note(transaction, { key, action: "key.revoke", detail: {}, act });
  }
  return key;
}

/** Gives the old key as it is now; nothing is made if there is no such key. */
export async function rotateKey(
  transaction: Transaction,
  args: {
    readonly keyId: string;
    readonly successor: NewKey;
    readonly oldExpiresAt: number;
    readonly act: Act;
  },
): Promise<ApiKey | undefined> {
  const { keyId, successor, oldExpiresAt, act } = args;
  const ended = await transaction.run(setEnd, keyId, oldExpiresAt);
  if (ended === 0) return undefined;
  await storeKey(transaction, successor);
  const old = await findKey(transaction, keyId);
  if (old === undefined) throw new TypeError("a key that was just changed is gone");
  const detail = { ...describeKey(successor), successor: successor.keyId, oldExpiresAt };
  await note(transaction, { key: old, action: "key.rotate", detail, act });
  return old;
}

export async function findKey(
  transaction: Transaction,
  keyId: string,
): Promise<ApiKey | undefined> {
  const row = await transaction.get<KeyRow>(findOne, keyId);
  return row === undefined ? undefined : toKey(row);
}

export async function findKeyBySecret(
  transaction: Transaction,
  secretHash: Uint8Array,
): Promise<KeyHolder | undefined> {
  const row = await transaction.get<KeyRow & OrganizationRow>(findBySecret, secretHash);
  return row === undefined ? undefined : { key: toKey(row), organization: toOrganization(row) };
}

export async function listKeys(
  transaction: Transaction,
  organizationId: string | undefined,
): Promise<readonly ApiKey[]> {
  const rows =
    organizationId === undefined
      ? await transaction.all<KeyRow>(findAll)
      : await transaction.all<KeyRow>(findOfOrganization, organizationId);
  return rows.map(toKey);
}

async function storeKey(transaction: Transaction, key: NewKey): Promise<void> {
  await transaction.run(
    insertKey,
    key.keyId,
    key.organizationId,
    key.name,
    key.secretHash,
    JSON.stringify(key.scopes),
    key.createdAt,
    key.expiresAt ?? null,
  );
}

async function note(
  transaction: Transaction,
  change: {
    readonly key: Pick<ApiKey, "keyId" | "organizationId">;
    readonly action: string;
    readonly detail: Readonly<Record<string, unknown>>;
    readonly act: Act;
  },
): Promise<void> {
  const { key, action, detail, act } = change;
  await credentialsChanged(transaction);
  await appendAudit(transaction, {
    at: act.now,
    actor: act.actor,
    action,
    organizationId: key.organizationId,
    subject: key.keyId,
    detail,
  });
}
