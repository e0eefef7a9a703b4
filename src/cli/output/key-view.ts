// API keys as the command line prints them: never their secrets, but for the one moment after they are made.

import { type KeyStatus, keyStatus } from "../../actions/find-key.ts";
import type { ApiKey } from "../../domain/access.ts";
import { allScopes } from "../../domain/scope.ts";
import { formatTime, renderFields } from "./table.ts";

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

/** A new key with its secret, for people. */
export function describeNewKey(key: ApiKey, secret: string): string {
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

/** `active`, or how the key ended or will end. */
export function formatKeyStatus(key: ApiKey, now: number): string {
  const status: KeyStatus = keyStatus(key, now);
  if (status === "revoked") return `revoked ${formatTime(key.revokedAt)}`;
  if (status === "expired") return `expired ${formatTime(key.expiresAt)}`;
  return key.expiresAt === undefined ? "active" : `active until ${formatTime(key.expiresAt)}`;
}

function timeOrNull(unixMs: number | undefined): string | null {
  return unixMs === undefined ? null : formatTime(unixMs);
}
