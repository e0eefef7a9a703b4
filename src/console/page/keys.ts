// API keys: the keys of an organization, one key, and the forms for it. A secret is only in the reply that creates it:
// in no address, no redirect and no later page.

import {
  type CreatedKey,
  createKey,
  findKey,
  keyStatus,
  revokeKey,
  rotateKey,
} from "../../actions/access/keys.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import type { ApiKey, Organization } from "../../domain/access.ts";
import { limits } from "../../domain/limits.ts";
import { allScopes, describeScopes, isScope, type Scope } from "../../domain/scope.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { showPage, type Person, readForm } from "../page.ts";
import { renderConfirmation, whenTyped } from "../html/confirmation.ts";
import { type Form, readDuration, readText, renderBoxes, renderInput } from "../html/field.ts";
import { type Html, html, renderFacts, renderTable } from "../html/html.ts";
import { renderChip } from "../html/chip.ts";
import { pathTo } from "../html/link.ts";
import { renderAgo, renderTime } from "../html/time.ts";
import { renderOrganizationLink } from "./organizations.ts";

const screen = "/console/organizations";

const overlapMsDefault = 24 * 60 * 60 * 1_000;

function renderKeyLink({ keyId }: ApiKey): Html {
  return html`<a href="${pathTo("key", keyId)}"><code>${keyId}</code></a>`;
}

export function renderKeys(keys: readonly ApiKey[], now: number): Html {
  if (keys.length === 0) {
    return html`<p class="empty">
      There is no key yet. A program needs one to get access tokens and send records.
    </p>`;
  }
  return renderTable(
    [
      ["Key", renderKeyLink, "bare"],
      ["Name", ({ name }) => html`<bdi>${name}</bdi>`],
      ["Status", (key) => renderKeyStatus(keyStatus(key, now))],
      ["Last used", ({ lastUsedAt }) => renderAgo(lastUsedAt)],
      ["Expires", ({ expiresAt }) => renderAgo(expiresAt)],
    ],
    keys,
  );
}

function renderKeyStatus(status: ReturnType<typeof keyStatus>): Html {
  return renderChip(status === "active" ? "good" : "over", status);
}

export function renderKeyCreation({ organizationId }: Organization): Html {
  return html`<details>
    <summary>Create a key</summary>
    <form class="settings" method="post" action="${pathTo("organization/key", organizationId)}">
      ${renderInput("Name, which says what it is for", "name", {
        maxlength: limits.nameCharactersMax,
        required: true,
      })}
      ${renderInput("Lifetime, such as 90d; empty for a key that never expires", "lifetime")}
      ${renderScopes()}
      <p class="note">
        The secret is shown once, on the next page. Loading that page again would create another
        key.
      </p>
      <button type="submit" class="main">Create the key</button>
    </form>
  </details>`;
}

/** The scopes of a form, which `readScopes` reads. */
export function renderScopes(): Html {
  return renderBoxes("Scopes", "scope", { values: allScopes.map((scope) => [scope, scope]) });
}

export async function createOneKey(person: Person): Promise<Answer> {
  const form = await readForm(person);
  const created = await createKey(person.app, {
    organizationId: person.id,
    name: readText(form, "name") ?? "",
    scopes: readScopes(form),
    lifetimeMs: readDuration(form, "lifetime", "Lifetime"),
  });
  return showSecret(person, created);
}

/** Throws OperatorError invalid. */
export function readScopes(form: Form): readonly Scope[] {
  return form.getAll("scope").map((scope) => {
    if (isScope(scope)) return scope;
    throw new OperatorError("invalid", `There is no scope "${scope}". Nothing was changed.`);
  });
}

function showSecret(person: Person, { key, secret }: CreatedKey, note?: Html): Promise<Answer> {
  const body = html`<section>
    <p role="status">
      This is the only time that the secret is shown; only its hash is stored. Copy it to where the
      program reads it. If it is lost, rotate the key.
    </p>
    <pre><code>${secret}</code></pre>
    ${renderFacts([
      ["Key", html`${renderKeyLink(key)} <bdi>${key.name}</bdi>`],
      ["Organization", renderOrganizationLink(key)],
      ["Expires", key.expiresAt === undefined ? "never" : renderTime(key.expiresAt)],
    ])}
    ${note}
  </section>`;
  return showPage(person, { title: "The new key", screen, body }, { status: 201 });
}

export async function showKey(person: Person): Promise<Answer> {
  const { app, id } = person;
  const key = await findKey(app, id);
  const isActive = keyStatus(key, app.now()) === "active";
  const body = html`${renderFacts([
    ["Name", html`<bdi>${key.name}</bdi>`],
    ["Organization", renderOrganizationLink(key)],
    ["Created", renderTime(key.createdAt)],
    ["Last used for a token", renderTime(key.lastUsedAt)],
    ["Expires", key.expiresAt === undefined ? "never" : renderTime(key.expiresAt)],
    ["Scopes", describeScopes(key.scopes, ", ")],
  ])}
  ${isActive && app.viewer.may("key.rotate") && renderRotation(key)}
  ${isActive && app.viewer.may("key.revoke") && renderRevocation(key)}`;
  const { organizationId } = key;
  const within = [[pathTo("organization", organizationId), organizationId] as const];
  const aside = renderKeyStatus(keyStatus(key, app.now()));
  return showPage(person, { title: `Key ${key.keyId}`, screen, within, body, aside });
}

function renderRotation({ keyId }: ApiKey): Html {
  return html`<section aria-labelledby="rotate">
    <h2 id="rotate">Rotate</h2>
    <p>
      Creates a successor with the same name, scopes and lifetime, and shows its secret once. Both
      keys work during the overlap, in which programs change over.
    </p>
    <form class="settings" method="post" action="${pathTo("key/rotate", keyId)}">
      ${renderInput("Overlap; 0s ends the old key at once", "overlap", {
        value: "24h",
        required: true,
      })}
      <button type="submit">Rotate the key</button>
    </form>
  </section>`;
}

function renderRevocation({ keyId }: ApiKey): Html {
  return renderConfirmation({
    verb: "Revoke",
    what: "key",
    path: pathTo("key/revoke", keyId),
    effect: "The key and all tokens that were issued with it end within two seconds, for good.",
  });
}

export async function rotateOne(person: Person): Promise<Answer> {
  const form = await readForm(person);
  const overlapMs = readDuration(form, "overlap", "Overlap") ?? overlapMsDefault;
  const rotated = await rotateKey(person.app, { keyId: person.id, overlapMs });
  const note = html`<p>
    The old key <code>${person.id}</code> works until ${renderTime(rotated.oldExpiresAt)}.
  </p>`;
  return showSecret(person, rotated, note);
}

export const revokeOne = whenTyped("key", revokeKey);
