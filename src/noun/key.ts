// API keys: their values, the commands `sluice key …`, and the page of a key. A secret is shown only by the act that
// creates it: in no address, no redirect and no later page.

import {
  type CreatedKey,
  createKey,
  findKey,
  type KeyStatus,
  keyStatus,
  listKeys,
  revokeKey,
  rotateKey,
} from "../actions/access/keys.ts";
import type { App } from "../actions/app.ts";
import { optional, required, withDefault } from "../cli/command.ts";
import { duration, keyArguments, scopeList, text } from "../cli/input/kinds.ts";
import { formatTime } from "../cli/output/table.ts";
import { renderChip } from "../console/html/chip.ts";
import { type Html, html, renderFacts } from "../console/html/html.ts";
import { pathTo } from "../console/html/link.ts";
import { renderTime } from "../console/html/time.ts";
import type { ApiKey } from "../domain/access.ts";
import { limits } from "../domain/limits.ts";
import { allScopes, describeScopes } from "../domain/scope.ts";
import { defineAct, defineList, type NounPage, onlyOf, renderForms, secretPage } from "./act.ts";
import { defineNoun, idValue, organizationValue, type Value } from "./noun.ts";
import { sluice } from "../basics/program-name.ts";

const screen = "/console/organizations";

export const scopesValue: Value<Pick<ApiKey, "scopes">> = {
  text: ({ scopes }) => describeScopes(scopes, ","),
  html: ({ scopes }) => describeScopes(scopes, ", "),
};

export const statusValue: Value<ApiKey> = {
  json: (key, app) => keyStatus(key, app.now()),
  text: (key, app) => describeStatus(key, keyStatus(key, app.now())),
  html: renderStatus,
};

const keyLink = idValue("key", "keyId", ({ name }: ApiKey) => name);

const keys = defineNoun<ApiKey>({
  values: {
    keyId: keyLink,
    organizationId: organizationValue,
    status: statusValue,
    expiresAt: { fact: renderExpiry },
    scopes: scopesValue,
  },
  json: "keyId, organizationId, name, status, scopes, createdAt, expiresAt, revokedAt, lastUsedAt",
  columns: "keyId, organizationId, name, status, createdAt, lastUsedAt, scopes",
  headings: "keyId: Key, status, lastUsedAt, expiresAt",
  facts: "name, organizationId, createdAt, lastUsedAt: Last used for a token, expiresAt, scopes",
});

const newKeys = defineNoun<ApiKey & { readonly secret: string }, void>({
  values: {
    keyId: keyLink,
    organizationId: organizationValue,
    scopes: { text: ({ scopes }) => describeScopes(scopes, ",") },
    expiresAt: {
      text: ({ expiresAt }) => (expiresAt === undefined ? "never" : formatTime(expiresAt)),
      fact: renderExpiry,
    },
  },
  json: "keyId, secret: api_key, organizationId, scopes",
  fields: "keyId, name, organizationId, scopes, expiresAt, secret: API key",
  facts: "keyId: Key, organizationId, expiresAt",
});

function renderExpiry({ expiresAt }: ApiKey): Html | string {
  return expiresAt === undefined ? "never" : renderTime(expiresAt);
}

function describeStatus({ expiresAt, revokedAt }: ApiKey, status: KeyStatus): string {
  if (status === "revoked") return `revoked ${formatTime(revokedAt)}`;
  if (status === "expired") return `expired ${formatTime(expiresAt)}`;
  return expiresAt === undefined ? "active" : `active until ${formatTime(expiresAt)}`;
}

function renderStatus(key: ApiKey, app: App): Html {
  const status = keyStatus(key, app.now());
  return renderChip(status === "active" ? "good" : "over", status);
}

export const nameField = {
  label: "Name, which says what it is for",
  maxlength: limits.nameCharactersMax,
  required: true,
};

export const scopesField = {
  label: "Scopes",
  boxes: allScopes.map((scope) => [scope, scope] as const),
};

export const keyCreate = defineAct({
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
  act: (app, { organization: organizationId, expires: lifetimeMs, ...given }) =>
    createKey(app, { organizationId, lifetimeMs, ...given }),
  json: viewNewKey,
  said: describeNewKey,
  form: {
    path: "/console/organization/key/:id",
    heading: "Create a key",
    fields: {
      name: nameField,
      expires: {
        label: "Lifetime, such as 90d; empty for a key that never expires",
      },
      scopes: scopesField,
    },
    note: "The secret is shown once, on the next page. Loading that page again would create another key.",
    folded: true,
    next: (created) => showSecret(created),
  },
});

export const keyList = defineList({
  name: "key list",
  plural: "keys",
  summary: "List API keys with their status and the time of their last use.",
  examples: ["sluice key list --organization acme"],
  rights: ["key.read"],
  options: onlyOf("keys"),
  rows: keys,
  find: (app, { organization }) => listKeys(app, organization),
  none: `There is no key. Create one with: ${sluice} key create --organization ID`,
});

export const keyRevoke = defineAct({
  name: "key revoke",
  summary: "Revoke an API key and all its tokens. A running server applies it within 2 seconds.",
  examples: ["sluice key revoke key_4fQ2mN8sT1vXc7Za"],
  rights: ["key.revoke"],
  arguments: keyArguments,
  restoring: true,
  act: (app, { keyId }) => revokeKey(app, keyId),
  json: keys.json,
  said: ({ keyId, organizationId, revokedAt }) =>
    `The key ${keyId} of organization ${organizationId} was revoked at ${formatTime(revokedAt)}.`,
  form: {
    path: "/console/key/revoke/:id",
    heading: "Revoke",
    text: "The key and all tokens that were issued with it end within two seconds, for good.",
    confirm: "key",
  },
});

export const keyRotate = defineAct({
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
  act: (app, { keyId, overlap }) => rotateKey(app, { keyId, overlapMs: overlap }),
  json: (rotated, _, { keyId }) => ({
    ...viewNewKey(rotated),
    old_key_id: keyId,
    old_key_expires_at: formatTime(rotated.oldExpiresAt),
  }),
  said: (rotated, { keyId }) =>
    `${describeNewKey(rotated)}\nThe old key ${keyId} works until ${formatTime(rotated.oldExpiresAt)}.`,
  form: {
    path: "/console/key/rotate/:id",
    heading: "Rotate",
    text:
      "Creates a successor with the same name, scopes and lifetime, and shows its secret once. Both keys work during the " +
      "overlap, in which programs change over.",
    fields: { overlap: { label: "Overlap; 0s ends the old key at once", required: true } },
    button: "Rotate the key",
    next: (rotated, { id }) =>
      showSecret(
        rotated,
        html`The old key <code>${id}</code> works until ${renderTime(rotated.oldExpiresAt)}.`,
      ),
  },
});

function viewNewKey({ key, secret }: CreatedKey) {
  return newKeys.json({ ...key, secret });
}

function describeNewKey({ key, secret }: CreatedKey): string {
  const fields = newKeys.describe({ ...key, secret });
  return `${fields}\n\nThe API key is shown only once. Store it now.`;
}

function showSecret({ key, secret }: CreatedKey, note?: Html) {
  return secretPage("The new key", secret, {
    text: "only its hash is stored. Copy it to where the program reads it. If it is lost, rotate the key.",
    facts: newKeys.facts({ ...key, secret }),
    note,
  });
}

export function renderKeys(found: readonly ApiKey[], app: App): Html {
  const empty = "There is no key yet. A program needs one to get access tokens and send records.";
  return keys.list(found, app, { empty });
}

export const keyPage: NounPage = {
  acts: [keyRotate, keyRevoke],
  view: async ({ app, id }) => {
    const key = await findKey(app, id);
    const { keyId, name, organizationId } = key;
    const isActive = keyStatus(key, app.now()) === "active";
    return {
      title: `Key ${name}`,
      id: keyId,
      screen,
      within: [[pathTo("organization", organizationId), organizationId]],
      aside: renderStatus(key, app),
      body: html`${renderFacts(keys.facts(key, app))}
      ${isActive && renderForms(app, keyPage.acts, keyId)}`,
    };
  },
};
