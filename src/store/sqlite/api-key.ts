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
import type { Connection } from "./connection.ts";
import type { Group } from "./group.ts";
import { credentialsChanged } from "./organization.ts";

const insertKey = `
  INSERT INTO api_key (key_id, organization_id, name, secret_hash, scopes, created_at, expires_at)
  VALUES (?, ?, ?, ?, ?, ?, ?)`;

const findOne = `SELECT ${keyColumns} FROM api_key WHERE key_id = ?`;

const findBySecret = `
  SELECT ${keyColumns}, organization.*
  FROM api_key JOIN organization USING (organization_id) WHERE secret_hash = ?`;

const findAll = `SELECT ${keyColumns} FROM api_key ORDER BY created_at, key_id`;

const findOfOrganization = `
  SELECT ${keyColumns} FROM api_key WHERE organization_id = ? ORDER BY created_at, key_id`;

const setRevoked = `UPDATE api_key SET revoked_at = ? WHERE key_id = ? AND revoked_at IS NULL`;

/** An end that is nearer already stays. */
const setEnd = `
  UPDATE api_key SET expires_at = min(coalesce(expires_at, ?2), ?2) WHERE key_id = ?1`;

export function createKey(
  { connection }: Group,
  { key, act }: { readonly key: NewKey; readonly act: Act },
): void {
  storeKey(connection, key);
  note(connection, { key, action: "key.create", detail: describeKey(key), act });
}

/** Revoking a key a second time changes nothing. */
export function revokeKey(
  { connection }: Group,
  { keyId, act }: { readonly keyId: string; readonly act: Act },
): ApiKey | undefined {
  const revoked = connection.run(setRevoked, act.now, keyId);
  const key = findKey(connection, keyId);
  if (key !== undefined && revoked === 1) {
    note(connection, { key, action: "key.revoke", detail: {}, act });
  }
  return key;
}

/** Gives the old key as it is now; nothing is made if there is no such key. */
export function rotateKey(
  { connection }: Group,
  args: {
    readonly keyId: string;
    readonly successor: NewKey;
    readonly oldExpiresAt: number;
    readonly act: Act;
  },
): ApiKey | undefined {
  const { keyId, successor, oldExpiresAt, act } = args;
  const ended = connection.run(setEnd, keyId, oldExpiresAt);
  if (ended === 0) return undefined;
  storeKey(connection, successor);
  const old = findKey(connection, keyId);
  if (old === undefined) throw new TypeError("a key that was just changed is gone");
  const detail = { ...describeKey(successor), successor: successor.keyId, oldExpiresAt };
  note(connection, { key: old, action: "key.rotate", detail, act });
  return old;
}

export function findKey(connection: Connection, keyId: string): ApiKey | undefined {
  const row = connection.get<KeyRow>(findOne, keyId);
  return row === undefined ? undefined : toKey(row);
}

export function findKeyBySecret(
  connection: Connection,
  secretHash: Uint8Array,
): KeyHolder | undefined {
  const row = connection.get<KeyRow & OrganizationRow>(findBySecret, secretHash);
  return row === undefined ? undefined : { key: toKey(row), organization: toOrganization(row) };
}

export function listKeys(
  connection: Connection,
  organizationId: string | undefined,
): readonly ApiKey[] {
  const rows =
    organizationId === undefined
      ? connection.all<KeyRow>(findAll)
      : connection.all<KeyRow>(findOfOrganization, organizationId);
  return rows.map(toKey);
}

function storeKey(connection: Connection, key: NewKey): void {
  connection.run(
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

function note(
  connection: Connection,
  change: {
    readonly key: Pick<ApiKey, "keyId" | "organizationId">;
    readonly action: string;
    readonly detail: Readonly<Record<string, unknown>>;
    readonly act: Act;
  },
): void {
  const { key, action, detail, act } = change;
  credentialsChanged(connection);
  appendAudit(connection, {
    at: act.now,
    actor: act.actor,
    action,
    organizationId: key.organizationId,
    subject: key.keyId,
    detail,
  });
}
