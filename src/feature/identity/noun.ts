// Rules by which programs get access tokens with a token of their platform instead of an API key: their values, the
// commands `sluice identity …`, and the pages of the rules of an organization and of a single one.

import type { App } from "../../actions/app.ts";
import { createRule, findRule, listRules, revokeRule, testToken } from "./rules.ts";
import type { TrustingRule } from "./store/part.ts";
import { UsageError } from "../../actions/operator/operator-error.ts";
import {
  defineStoreCommand,
  flag,
  optional,
  required,
  several,
  type Values,
  withDefault,
} from "../../cli/command.ts";
import { duration, scopeList, text } from "../../cli/input/kinds.ts";
import { readText } from "../../cli/input/read-file.ts";
import { formatTime } from "../../cli/output/table.ts";
import { html, renderFacts } from "../../console/html/html.ts";
import { pathTo } from "../../console/html/link.ts";
import { identityLimits, readWantedClaims } from "./identity-rule.ts";
import {
  defineAct,
  defineForm,
  defineList,
  type NounPage,
  onlyOf,
  renderForms,
} from "../../noun/act.ts";
import { nameField, scopesField, scopesValue, statusValue } from "../../noun/key.ts";
import { defineNoun, idValue, organizationValue } from "../../noun/noun.ts";
import { sluice } from "../../basics/program-name.ts";

const screen = "/console/organizations";

type Rule = Omit<TrustingRule, "rule"> & TrustingRule["rule"];

function flatten({ rule, ...key }: TrustingRule): Rule {
  return { ...key, ...rule };
}

const rules = defineNoun<Rule>({
  values: {
    keyId: idValue("identity", "keyId", ({ name }) => name),
    organizationId: organizationValue,
    status: statusValue,
    scopes: scopesValue,
    claims: { text: describeClaims },
    lifetimeSeconds: { fact: ({ lifetimeSeconds }) => `${lifetimeSeconds} seconds` },
    reusable: { fact: ({ reusable }) => (reusable ? "more than once" : "once") },
    jwks: { fact: describeKeys },
  },
  json:
    "keyId: identity_id, organizationId, name, status, scopes, issuer, audience, claims, lifetimeSeconds, reusable, " +
    "jwksUrl, jwks, createdAt, revokedAt, lastUsedAt",
  columns:
    "keyId: identity, organizationId, name, status, issuer, audience, claims, lastUsedAt, scopes",
  headings: "keyId: Rule, issuer, claims, status, lastUsedAt",
  facts:
    "name, organizationId, status, issuer, audience, claims, jwks: Public keys, " +
    "lifetimeSeconds: Longest lifetime of an access token, reusable: A token can be used, scopes, createdAt, " +
    "lastUsedAt: Last used for a token",
});

function describeClaims({ claims }: Rule): string {
  return Object.entries(claims)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}

function describeKeys({ jwks, jwksUrl }: Rule): string {
  if (jwks !== undefined) return `${jwks.keys.length} in the rule`;
  return jwksUrl ?? "as the metadata of the issuer say";
}

async function list(app: App, organizationId: string | undefined): Promise<readonly Rule[]> {
  return (await listRules(app, organizationId)).map(flatten);
}

const createOptions = {
  organization: required(text("ID"), "Organization that trusts the issuer."),
  scopes: required(scopeList, "Scopes of the programs, separated by commas."),
  issuer: required(text("ISSUER"), "The claim iss: the https URL of the issuer."),
  audience: required(text("AUDIENCE"), "The claim aud: for whom the tokens are made."),
  claim: several(text("NAME=VALUE"), "A further claim that has to match; may be repeated."),
  name: optional(text("NAME"), "Name that says what the rule is for."),
  lifetime: withDefault(duration, "The longest lifetime of an access token.", "1h"),
  jwksUrl: optional(text("ADDRESS"), "Where the public keys of the issuer are."),
  reusable: flag("Accept a token more than once, as token files of Kubernetes require."),
};

const { reusable, ...otherOptions } = createOptions;

/** `jwks`: the text of a JWK Set. Throws UsageError. */
function create(
  app: App,
  options: Values<typeof createOptions> & { readonly jwks: string | undefined },
): Promise<TrustingRule> {
  const { organization: organizationId, claim, lifetime, jwksUrl, ...others } = options;
  const claims = readWantedClaims(claim);
  if (typeof claims === "string") throw new UsageError(claims);
  return createRule(app, {
    ...others,
    organizationId,
    claims,
    lifetimeSeconds: Math.floor(lifetime / 1_000),
    ...(jwksUrl !== undefined && { jwksUrl }),
  });
}

const identityCreate = defineStoreCommand({
  name: "identity create",
  summary:
    "Trust the tokens of a platform: programs get access tokens with them, without an API key.",
  details:
    "Issuer, audience and every claim have to match exactly; a value may end with *. A token can be used once unless " +
    "the rule says otherwise. The public keys are found by the metadata of the issuer, at --jwks-url, or in a file.",
  examples: [
    "sluice identity create --organization acme --scopes transactions:write --issuer https://token.actions.githubusercontent.com --audience https://sluice.example.com --claim repository=acme/ledger --claim ref=refs/heads/main",
    "sluice identity create --organization acme --scopes transactions:write --issuer https://kubernetes.default.svc.cluster.local --audience sluice --claim sub=system:serviceaccount:payments:intake --jwks-file jwks.json --reusable",
  ],
  rights: ["key.create"],
  options: {
    ...otherOptions,
    jwksFile: optional(
      text("FILE"),
      "A file with the public keys, for an issuer that can't be reached.",
    ),
    reusable,
  },
  run: async (app, { jwksFile: path, ...options }) => {
    if (options.jwksUrl !== undefined && path !== undefined) {
      throw new UsageError("Use --jwks-url or --jwks-file, not both.");
    }
    const jwks = path === undefined ? undefined : readText(path, identityLimits.keySetBytesMax);
    const rule = await create(app, { ...options, jwks });
    return {
      json: rules.json(flatten(rule), app),
      text: `The rule ${rule.keyId} of organization ${rule.organizationId} trusts ${options.issuer}. Try a token: ${sluice} identity test`,
    };
  },
});

const { claimCharactersMax: maxlength } = identityLimits;

const createForm = defineForm({
  rights: ["key.create"],
  options: { ...createOptions, jwks: optional(text("JWKS"), "") },
  act: create,
  form: {
    path: "/console/identities/:id",
    heading: "Create a rule",
    fields: {
      name: nameField,
      issuer: { label: "Issuer (iss)", maxlength, required: true },
      audience: { label: "Audience (aud)", maxlength, required: true },
      claim: {
        label: "Claims, one a line, such as sub=intake; a * at the end stands for any rest",
        area: "lines",
        required: true,
      },
      lifetime: { label: "Longest lifetime of an access token", required: true },
      jwksUrl: {
        label: "Address of the public keys; empty for what the issuer says",
      },
      jwks: {
        label: "Public keys (a JWK Set), for an issuer that can't be reached",
        area: "text",
      },
      reusable: { label: "Accept a token more than once, as a file of Kubernetes needs it" },
      scopes: scopesField,
    },
    folded: true,
    next: ({ keyId }) => pathTo("identity", keyId),
  },
});

const identityList = defineList({
  name: "identity list",
  plural: "identities",
  summary:
    "List the rules by which programs are trusted, with their status and the time of their last use.",
  examples: ["sluice identity list --organization acme"],
  rights: ["key.read"],
  options: onlyOf("rules"),
  rows: rules,
  find: (app, { organization }) => list(app, organization),
  none: `There is no rule. Create one with: ${sluice} identity create`,
});

const identityRevoke = defineAct({
  name: "identity revoke",
  summary:
    "Revoke a rule and all tokens issued by it. A running server applies it within 2 seconds.",
  examples: ["sluice identity revoke idn_4fQ2mN8sT1vXc7Za"],
  rights: ["key.revoke"],
  arguments: {
    identityId: required(text("IDENTITY_ID"), "Id of the rule as `identity list` shows it."),
  },
  restoring: true,
  act: (app, { identityId }) => revokeRule(app, identityId),
  json: (rule, app) => rules.json(flatten(rule), app),
  said: ({ keyId, organizationId, revokedAt }) =>
    `The rule ${keyId} of organization ${organizationId} was revoked at ${formatTime(revokedAt)}.`,
  form: {
    path: "/console/identity/revoke/:id",
    heading: "Revoke",
    text: "The rule and all tokens that were issued by it end within two seconds, for good.",
    confirm: "rule",
  },
});

const identityTest = defineStoreCommand({
  name: "identity test",
  summary: "Show which rules accept a token of a platform, or why none does. Issues nothing.",
  details: "Exits with 3 if no rule accepts it. The token is not used up, and is shown nowhere.",
  examples: ["sluice identity test /var/run/secrets/tokens/sluice --organization acme"],
  rights: ["key.read"],
  arguments: { file: required(text("FILE"), "A file with the token.") },
  options: { organization: required(text("ID"), "Organization whose rules are tried.") },
  run: async (app, { file, organization }) => {
    const token = readText(file, identityLimits.tokenCharactersMax + 2).trim();
    const { fault, rules: tried } = await testToken(app, organization, token);
    const accepting = tried.find((rule) => rule.fault === undefined);
    const lines = tried.map((rule) => `${rule.keyId} ${rule.name}: ${rule.fault ?? "accepts it"}`);
    const none =
      fault === undefined ? "The organization has no active rule." : `The token: ${fault}.`;
    return {
      json: {
        accepted_by: accepting?.keyId ?? null,
        fault: fault ?? null,
        rules: tried.map((rule) => ({ identity_id: rule.keyId, fault: rule.fault ?? null })),
      },
      text: lines.length === 0 ? none : lines.join("\n"),
      hasFinding: accepting === undefined,
    };
  },
});

export const heading = "Organizations and access";

export const groups = {
  identity: "Create, list, revoke and test rules for identities of programs.",
};

export const commands = [identityCreate, identityList, identityRevoke, identityTest];

const noRule =
  "There is no rule yet. With one, a program gets access tokens with a token of its platform, and needs no API key.";

export const identitiesPage: NounPage = {
  acts: [createForm],
  view: async ({ app, id: organizationId }) => {
    const ownRules = await list(app, organizationId);
    const body = html`${rules.list(ownRules, app, { empty: noRule })}
    ${renderForms(app, identitiesPage.acts, organizationId)}`;
    return { title: "Identities of programs", organizationId, screen, body };
  },
};

export const identityPage: NounPage = {
  acts: [identityRevoke],
  view: async ({ app, id }) => {
    const rule = flatten(await findRule(app, id));
    const body = html`${renderFacts(rules.facts(rule, app))}
    ${rule.revokedAt === undefined && renderForms(app, identityPage.acts, id)}`;
    const within = [[pathTo("identities", rule.organizationId), rule.organizationId]] as const;
    return { title: `Rule ${rule.name}`, id: rule.keyId, screen, within, body };
  },
};
