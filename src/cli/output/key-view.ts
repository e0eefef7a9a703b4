// API keys as the command line prints them. The secret is printed only when a key is created.

import { keyStatus } from "../../actions/access/find-key.ts";
import type { ApiKey } from "../../domain/access.ts";
import { allScopes } from "../../domain/scope.ts";
import { formatTime, renderFields, timeOrNull } from "./table.ts";

export function viewKey(key: ApiKey, now: number) {
  return {
    key_id: key.keyId,
    organization_id: key.organizationId,
    name: key.name,
    status: keyStatus(key, now),
    scopes: key.scopes,
    created_at: formatTime(key.createdAt),
    expires_at: timeOrNull(key.expiresAt),
    revoked_at: timeOrNull(key.revokedAt),
    last_used_at: timeOrNull(key.lastUsedAt),
  };
}

export interface NewKey {
  readonly key: ApiKey;
  readonly secret: string;
}

export function viewNewKey({ key, secret }: NewKey) {
  return {
    key_id: key.keyId,
    api_key: secret,
    organization_id: key.organizationId,
    scopes: key.scopes,
  };
}

export function describeNewKey({ key, secret }: NewKey): string {
  const fields = renderFields([
    ["key", key.keyId],
    ["name", key.name],
    ["organization", key.organizationId],
    ["scopes", formatScopes(key)],
    ["expires", key.expiresAt === undefined ? "never" : formatTime(key.expiresAt)],
    ["API key", secret],
  ]);
  return `${fields}\n\nThe API key is shown only this once. Store it now.`;
}

export function formatScopes({ scopes }: ApiKey): string {
  return scopes.length === allScopes.length ? "all" : scopes.join(",");
}

/** `active`, or when the key ended or will end. */
export function formatKeyStatus(key: ApiKey, now: number): string {
  const status = keyStatus(key, now);
  if (status === "revoked") return `revoked ${formatTime(key.revokedAt)}`;
  if (status === "expired") return `expired ${formatTime(key.expiresAt)}`;
  return key.expiresAt === undefined ? "active" : `active until ${formatTime(key.expiresAt)}`;
}
