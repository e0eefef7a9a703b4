// Pages of the rules for identities of programs: the rules of an organization, a single rule, and the forms that create
// and revoke one.

import {
  createRule,
  findRule,
  listRules,
  revokeRule,
  type TrustingRule,
} from "../../actions/identity/rules.ts";
import { OperatorError } from "../../actions/operator/operator-error.ts";
import { identityLimits, readWantedClaims } from "../../domain/identity-rule.ts";
import { limits } from "../../domain/limits.ts";
import { describeScopes } from "../../domain/scope.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { redirectTo, showPage, type Person, readForm } from "../page.ts";
import { renderConfirmation, whenTyped } from "../html/confirmation.ts";
import { readDuration, readText, renderInput } from "../html/field.ts";
import { type Html, html, renderFacts, renderTable } from "../html/html.ts";
import { pathTo } from "../html/link.ts";
import { renderAgo, renderTime } from "../html/time.ts";
import { readScopes, renderScopes } from "./keys.ts";
import { renderOrganizationLink } from "./organizations.ts";

const screen = "/console/organizations";

export function renderIdentitiesLink(organizationId: string): Html {
  return html`<p><a href="${pathTo("identities", organizationId)}">Identities of programs</a></p>`;
}

export async function showIdentities(person: Person): Promise<Answer> {
  const { app, id } = person;
  const rules = await listRules(app, id);
  const table = renderTable<TrustingRule>(
    [
      ["Rule", renderRuleLink, "bare"],
      ["Name", ({ name }) => html`<bdi>${name}</bdi>`],
      ["Issuer", ({ identityRule }) => html`<bdi>${identityRule.issuer}</bdi>`],
      ["Claims", renderClaims],
      ["Status", describeStatus],
      ["Last used", ({ lastUsedAt }) => renderAgo(lastUsedAt)],
    ],
    rules,
  );
  const none = html`<p class="empty">
    There is no rule yet. With one, a program gets access tokens with a token of its platform, and
    needs no API key.
  </p>`;
  const body = html`${rules.length === 0 ? none : table}
  ${app.viewer.may("key.create") && renderCreation(id)}`;
  return showPage(person, { title: `Identities of programs of ${id}`, screen, body });
}

function renderRuleLink({ keyId }: TrustingRule): Html {
  return html`<a href="${pathTo("identity", keyId)}"><code>${keyId}</code></a>`;
}

function renderClaims({ identityRule }: TrustingRule): Html {
  const claims = Object.entries(identityRule.claims).map(([name, value]) => `${name}=${value}`);
  return html`<bdi>${claims.join(" ")}</bdi>`;
}

function describeStatus({ revokedAt }: TrustingRule): string {
  return revokedAt === undefined ? "active" : "revoked";
}

function renderCreation(organizationId: string): Html {
  const { claimCharactersMax: maxlength } = identityLimits;
  return html`<details>
    <summary>Create a rule</summary>
    <form class="settings" method="post" action="${pathTo("identities", organizationId)}">
      ${renderInput("Name, which says what it is for", "name", {
        maxlength: limits.nameCharactersMax,
        required: true,
      })}
      ${renderInput("Issuer (iss)", "issuer", { maxlength, required: true })}
      ${renderInput("Audience (aud)", "audience", { maxlength, required: true })}
      <label
        >Claims, one a line, such as sub=intake; a * at the end stands for any rest
        <textarea name="claims" rows="3" required spellcheck="false"></textarea>
      </label>
      ${renderInput("Longest lifetime of an access token", "lifetime", {
        value: "1h",
        required: true,
      })}
      ${renderInput("Address of the public keys; empty for what the issuer says", "jwks_url")}
      <label
        >Public keys (a JWK Set), for an issuer that can't be reached
        <textarea name="jwks" rows="3" spellcheck="false"></textarea>
      </label>
      <label class="tick"
        ><input type="checkbox" name="reusable" value="on" /> Accept a token more than once, as a
        file of Kubernetes needs it</label
      >
      ${renderScopes()}
      <button type="submit" class="main">Create the rule</button>
    </form>
  </details>`;
}

export async function createOneIdentity(person: Person): Promise<Answer> {
  const form = await readForm(person);
  const claims = readWantedClaims((readText(form, "claims") ?? "").split(/\r?\n/));
  if (typeof claims === "string") {
    throw new OperatorError("invalid", `${claims} Nothing was changed.`);
  }
  const jwksUrl = readText(form, "jwks_url");
  const { keyId } = await createRule(person.app, {
    organizationId: person.id,
    name: readText(form, "name"),
    scopes: readScopes(form),
    issuer: readText(form, "issuer") ?? "",
    audience: readText(form, "audience") ?? "",
    claims,
    lifetimeSeconds: (readDuration(form, "lifetime", "Lifetime") ?? 0) / 1_000,
    reusable: form.get("reusable") === "on",
    ...(jwksUrl !== undefined && { jwksUrl }),
    jwks: readText(form, "jwks"),
  });
  return redirectTo(pathTo("identity", keyId));
}

export async function showIdentity(person: Person): Promise<Answer> {
  const { app, id } = person;
  const rule = await findRule(app, id);
  const { identityRule, revokedAt } = rule;
  const body = html`${renderFacts([
    ["Name", html`<bdi>${rule.name}</bdi>`],
    ["Organization", renderOrganizationLink(rule)],
    [
      "Rules",
      html`<a href="${pathTo("identities", rule.organizationId)}">all of the organization</a>`,
    ],
    ["Status", revokedAt === undefined ? "active" : html`revoked ${renderTime(revokedAt)}`],
    ["Issuer", html`<bdi>${identityRule.issuer}</bdi>`],
    ["Audience", html`<bdi>${identityRule.audience}</bdi>`],
    ["Claims", renderClaims(rule)],
    ["Public keys", describeKeys(rule)],
    ["Longest lifetime of an access token", `${identityRule.lifetimeSeconds} seconds`],
    ["A token can be used", identityRule.reusable ? "more than once" : "once"],
    ["Scopes", describeScopes(rule.scopes, ", ")],
    ["Created", renderTime(rule.createdAt)],
    ["Last used for a token", renderTime(rule.lastUsedAt)],
  ])}
  ${
    revokedAt === undefined &&
    app.viewer.may("key.revoke") &&
    renderConfirmation({
      verb: "Revoke",
      what: "rule",
      path: pathTo("identity/revoke", id),
      effect: "The rule and all tokens that were issued by it end within two seconds, for good.",
    })
  }`;
  return showPage(person, { title: `Rule ${rule.keyId}`, screen, body });
}

function describeKeys({ identityRule: { jwks, jwksUrl } }: TrustingRule): string {
  if (jwks !== undefined) return `${jwks.keys.length} in the rule`;
  return jwksUrl ?? "as the metadata of the issuer say";
}

export const revokeOneIdentity = whenTyped("rule", revokeRule, "identity");
