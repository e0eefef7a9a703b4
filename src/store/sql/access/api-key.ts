// API keys, the rules of features that stand for keys without a secret, and the access tokens of both. Stores the
// SHA-256 of a secret, never the secret.

import type { ApiKey, KeyHolder, AccessToken, Caller } from "../../../domain/access.ts";
import { keyColumns, toKey, toOrganization, callerColumns, toToken } from "../../row/access-row.ts";
import type { Row } from "../../row/reader.ts";
import type { Act } from "../../interface/act.ts";
import type { NewKey } from "../../interface/access.ts";
import type { AuditNote } from "../../interface/trail.ts";
import { auditAct } from "../trail/audit.ts";
import { credentialsChanged } from "./organization.ts";
import { find, list, run, type Statements } from "../statement/statements.ts";
import { insertion } from "../statement/insertion.ts";
import type { UsedOnce } from "../../interface/operators.ts";
import { insertOneTimeToken } from "./operator.ts";

const insertKey = insertion<NewKey & { readonly createdBy: string }>(
  "api_key",
  "key_id organization_id name secret_hash scopes created_at expires_at rule created_by",
);

export const holders = `
  SELECT ${keyColumns}, organization.*
  FROM api_key JOIN organization USING (organization_id)`;

/** Those of one organization, or of all if none is named. */
export const findBy = (condition: string) => `
  SELECT ${keyColumns} FROM api_key
  WHERE (CAST($1 AS text) IS NULL OR organization_id = $1) AND ${condition}
  ORDER BY created_at, key_id`;
const findAll = findBy("rule IS NULL");

const setRevoked = `UPDATE api_key SET revoked_at = $1 WHERE key_id = $2 AND revoked_at IS NULL`;

/** An earlier expiry remains. */
const setEnd = `
  UPDATE api_key SET
    expires_at = CASE WHEN expires_at < $2 THEN expires_at ELSE $2 END, rotated_at = $3
  WHERE key_id = $1`;

export function* createKey(key: NewKey, act: Act): Statements<void> {
  yield* addKey(key, act, { action: "key.create", detail: describeKey(key) });
}

/** The detail of the audit entry of a new key. */
export function describeKey({ name, scopes, expiresAt }: NewKey) {
  return { name, scopes, expiresAt: expiresAt ?? null };
}

/** Adds a key or a rule. */
export function* addKey(key: NewKey, act: Act, note: KeyNote): Statements<void> {
  yield* insertKey({ ...key, createdBy: act.actor });
  yield* changed(key, note, act);
}

export function* revokeKey(keyId: string, act: Act): Statements<ApiKey | undefined> {
  return yield* endKey(keyId, act, "key.revoke");
}

/** Undefined if there is no such key or rule. Revoking one a second time changes nothing. */
export function* endKey(
  keyId: string,
  act: Act,
  action: AuditNote["action"],
): Statements<ApiKey | undefined> {
  const revoked = yield* run(setRevoked, act.now, keyId);
  const key = yield* findKey(keyId);
  if (key !== undefined && revoked === 1) yield* changed(key, { action, detail: {} }, act);
  return key;
}

/** Sets the end of the old key and returns it as it is then. Creates nothing if there is no such key. */
export function* rotateKey(
  keyId: string,
  successor: NewKey,
  oldExpiresAt: number,
  act: Act,
): Statements<ApiKey | undefined> {
  const ended = yield* run(setEnd, keyId, oldExpiresAt, act.now);
  if (ended === 0) return undefined;
  yield* insertKey({ ...successor, createdBy: act.actor });
  const old = yield* findKey(keyId);
  if (old === undefined) throw new TypeError("a key that was just changed does not exist");
  const detail = { ...describeKey(successor), successor: successor.keyId, oldExpiresAt };
  yield* changed(old, { action: "key.rotate", detail }, act);
  return old;
}

export function* findKey(keyId: string) {
  return yield* find(toKey, `SELECT ${keyColumns} FROM api_key WHERE key_id = $1`, keyId);
}

export function* findKeyBySecret(secretHash: Uint8Array) {
  return yield* find(toKeyHolder, `${holders} WHERE secret_hash = $1`, secretHash);
}

export function toKeyHolder(row: Row): KeyHolder {
  return { key: toKey(row), organization: toOrganization(row) };
}

/** Lists the keys of one organization, or of all if none is named. */
export function* listKeys(organizationId: string | undefined) {
  return yield* list(toKey, findAll, organizationId ?? null);
}

type KeyNote = Pick<AuditNote, "action" | "detail">;

function* changed(
  { organizationId, keyId: subject }: Pick<ApiKey, "organizationId" | "keyId">,
  note: KeyNote,
  act: Act,
): Statements<void> {
  yield* credentialsChanged();
  yield* auditAct({ ...note, organizationId, subject }, act);
}

export interface NewToken extends AccessToken {
  readonly tokenHash: Uint8Array;
  readonly usedOnce?: UsedOnce | undefined;
}

const insertToken = insertion<NewToken>(
  "access_token",
  "token_hash key_id organization_id scopes created_at expires_at subject",
);

const setLastUse = `UPDATE api_key SET last_used_at = $1 WHERE key_id = $2`;

const findByHash = `
  SELECT ${callerColumns}
  FROM access_token
    JOIN api_key ON api_key.key_id = access_token.key_id
    JOIN organization ON organization.organization_id = access_token.organization_id
  WHERE token_hash = $1`;

/** Returns false, and stores nothing, if what can be exchanged only once was exchanged before. */
export function* createToken(token: NewToken): Statements<boolean> {
  const { keyId, createdAt, usedOnce } = token;
  if (usedOnce !== undefined) {
    const use = { ...usedOnce, purpose: "exchange", operatorId: null } as const;
    if ((yield* insertOneTimeToken(use)) === 0) return false;
  }
  yield* insertToken(token);
  yield* run(setLastUse, createdAt, keyId);
  return true;
}

export function* findCaller(tokenHash: Uint8Array) {
  return yield* find(toCaller, findByHash, tokenHash);
}

function toCaller(row: Row): Caller {
  return { token: toToken(row), key: toKey(row), organization: toOrganization(row) };
}
