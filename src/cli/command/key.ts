// `sluice key …`: the commands about API keys. A secret is printed only when a key is created.

import { createKey, keyStatus, listKeys, revokeKey, rotateKey } from "../../actions/access/keys.ts";
import type { ApiKey } from "../../domain/access.ts";
import { describeScopes } from "../../domain/scope.ts";
import { defineStoreCommand, optional, required, withDefault } from "../command.ts";
import { duration, keyArguments, scopeList, text } from "../input/kinds.ts";
import { type Column, formatTime, renderFields, renderTable, timeOrNull } from "../output/table.ts";

export const keyCreate = defineStoreCommand({
  name: "key create",
  summary: "Create an API key for an organization. The key is shown only once.",
  examples: [
    "sluice key create --organization acme",
    "sluice key create --organization acme --scopes transactions:write,person:read --name nightly --expires 90d",
  ],
  rights: ["key.create"],
  options: {
    organization: required(text("ID"), "Organization that the key belongs to."),
    scopes: optional(
      scopeList,
      "Scopes of the key, separated by commas. Default: all but those of the change feed, changes:read and changes:content.",
    ),
    name: optional(text("NAME"), "Name that says what the key is for."),
    expires: optional(duration, "Lifetime of the key, such as 90d. Default: it never expires."),
  },
  run: async (app, { organization, scopes, name, expires }) => {
    const created = await createKey(app, {
      organizationId: organization,
      scopes,
      name,
      lifetimeMs: expires,
    });
    return { json: viewNewKey(created), text: describeNewKey(created) };
  },
});

export const keyList = defineStoreCommand({
  name: "key list",
  summary: "List API keys with their status and the time of their last use.",
  examples: ["sluice key list --organization acme"],
  rights: ["key.read"],
  options: { organization: optional(text("ID"), "Only the keys of this organization.") },
  run: async (app, { organization }, { paint }) => {
    const keys = await listKeys(app, organization);
    return {
      json: { keys: keys.map((key) => viewKey(key, app.now())) },
      text:
        keys.length === 0
          ? "There is no key. Create one with: sluice key create --organization ID"
          : renderTable(columns(app.now()), keys, paint),
    };
  },
});

function columns(now: number): readonly Column<ApiKey>[] {
  return [
    ["key", ({ keyId }) => keyId],
    ["organization", ({ organizationId }) => organizationId],
    ["name", ({ name }) => name],
    [
      "status",
      (key) => formatKeyStatus(key, now),
      { tone: (key) => (keyStatus(key, now) === "active" ? "good" : "bad") },
    ],
    ["created", ({ createdAt }) => formatTime(createdAt)],
    ["last used", ({ lastUsedAt }) => formatTime(lastUsedAt)],
    ["scopes", formatScopes],
  ];
}

export const keyRevoke = defineStoreCommand({
  name: "key revoke",
  summary: "Revoke an API key and all its tokens. A running server applies it within 2 seconds.",
  examples: ["sluice key revoke key_4fQ2mN8sT1vXc7Za"],
  rights: ["key.revoke"],
  arguments: keyArguments,
  restoring: true,
  run: async (app, { keyId }) => {
    const key = await revokeKey(app, keyId);
    return {
      json: viewKey(key, app.now()),
      text: `The key ${key.keyId} of organization ${key.organizationId} was revoked at ${formatTime(key.revokedAt)}.`,
    };
  },
});

export const keyRotate = defineStoreCommand({
  name: "key rotate",
  summary: "Replace an API key: create a successor, and expire the old key after an overlap.",
  details:
    "The successor has the same name, scopes and lifetime, and is shown only once. Both keys work during the overlap.",
  examples: ["sluice key rotate key_4fQ2mN8sT1vXc7Za --overlap 24h"],
  rights: ["key.rotate"],
  arguments: keyArguments,
  options: {
    overlap: withDefault(
      duration,
      "How long the old key and its tokens remain valid; 0s ends them at once.",
      "24h",
    ),
  },
  run: async (app, { keyId, overlap }) => {
    const rotated = await rotateKey(app, { keyId, overlapMs: overlap });
    const oldExpiresAt = formatTime(rotated.oldExpiresAt);
    return {
      json: { ...viewNewKey(rotated), old_key_id: keyId, old_key_expires_at: oldExpiresAt },
      text: `${describeNewKey(rotated)}\nThe old key ${keyId} works until ${oldExpiresAt}.`,
    };
  },
});

function viewKey(key: ApiKey, now: number) {
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

function viewNewKey({ key, secret }: NewKey) {
  return {
    key_id: key.keyId,
    api_key: secret,
    organization_id: key.organizationId,
    scopes: key.scopes,
  };
}

function describeNewKey({ key, secret }: NewKey): string {
  const fields = renderFields([
    ["key", key.keyId],
    ["name", key.name],
    ["organization", key.organizationId],
    ["scopes", formatScopes(key)],
    ["expires", key.expiresAt === undefined ? "never" : formatTime(key.expiresAt)],
    ["API key", secret],
  ]);
  return `${fields}\n\nThe API key is shown only once. Store it now.`;
}

function formatScopes({ scopes }: ApiKey): string {
  return describeScopes(scopes, ",");
}

/** `active`, or when the key ended or will end. */
function formatKeyStatus(key: ApiKey, now: number): string {
  const status = keyStatus(key, now);
  if (status === "revoked") return `revoked ${formatTime(key.revokedAt)}`;
  if (status === "expired") return `expired ${formatTime(key.expiresAt)}`;
  return key.expiresAt === undefined ? "active" : `active until ${formatTime(key.expiresAt)}`;
}
