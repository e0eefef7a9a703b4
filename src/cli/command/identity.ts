// `sluice identity …`: the rules by which programs get access tokens with a token of their platform instead of an API
// key.

import {
  createRule,
  listRules,
  revokeRule,
  testToken,
  type TrustingRule,
} from "../../actions/identity/rules.ts";
import { UsageError } from "../../actions/operator/operator-error.ts";
import { identityLimits, readWantedClaims } from "../../domain/identity-rule.ts";
import { describeScopes } from "../../domain/scope.ts";
import { defineStoreCommand, flag, optional, required, several, withDefault } from "../command.ts";
import { duration, scopeList, text } from "../input/kinds.ts";
import { readText } from "../input/proof.ts";
import { type Column, formatTime, renderTable, timeOrNull } from "../output/table.ts";
import { exitCode } from "../exit-code.ts";

export const identityCreate = defineStoreCommand({
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
    organization: required(text("ID"), "Organization that trusts the issuer."),
    scopes: required(scopeList, "Scopes of the programs, separated by commas."),
    issuer: required(text("ISSUER"), "The claim iss: the https URL of the issuer."),
    audience: required(text("AUDIENCE"), "The claim aud: for whom the tokens are made."),
    claim: several(text("NAME=VALUE"), "A further claim that has to match; may be repeated."),
    name: optional(text("NAME"), "Name that says what the rule is for."),
    lifetime: withDefault(duration, "The longest lifetime of an access token.", "1h"),
    jwksUrl: optional(text("ADDRESS"), "Where the public keys of the issuer are."),
    jwksFile: optional(
      text("FILE"),
      "A file with the public keys, for an issuer that can't be reached.",
    ),
    reusable: flag("Accept a token more than once, as token files of Kubernetes require."),
  },
  run: async (app, { claim: claims, ...given }) => {
    const { organization, name, issuer, audience, scopes, lifetime, reusable } = given;
    if (given.jwksUrl !== undefined && given.jwksFile !== undefined) {
      throw new UsageError("Use --jwks-url or --jwks-file, not both.");
    }
    const wanted = readWantedClaims(claims);
    if (typeof wanted === "string") throw new UsageError(wanted);
    const rule = await createRule(app, {
      organizationId: organization,
      name,
      scopes,
      issuer,
      audience,
      claims: wanted,
      lifetimeSeconds: Math.floor(lifetime / 1_000),
      reusable,
      ...(given.jwksUrl !== undefined && { jwksUrl: given.jwksUrl }),
      ...(given.jwksFile !== undefined && {
        jwks: readText(given.jwksFile, identityLimits.keySetBytesMax),
      }),
    });
    return {
      json: viewRule(rule),
      text: `The rule ${rule.keyId} of organization ${organization} trusts ${issuer}. Try a token: sluice identity test`,
    };
  },
});

export const identityList = defineStoreCommand({
  name: "identity list",
  summary:
    "List the rules by which programs are trusted, with their status and the time of their last use.",
  examples: ["sluice identity list --organization acme"],
  rights: ["key.read"],
  options: { organization: optional(text("ID"), "Only the rules of this organization.") },
  run: async (app, { organization }, { paint }) => {
    const rules = await listRules(app, organization);
    return {
      json: { identities: rules.map(viewRule) },
      text:
        rules.length === 0
          ? "There is no rule. Create one with: sluice identity create"
          : renderTable(columns, rules, paint),
    };
  },
});

const columns: readonly Column<TrustingRule>[] = [
  ["identity", ({ keyId }) => keyId],
  ["organization", ({ organizationId }) => organizationId],
  ["name", ({ name }) => name],
  [
    "status",
    ({ revokedAt }) => (revokedAt === undefined ? "active" : `revoked ${formatTime(revokedAt)}`),
    { tone: ({ revokedAt }) => (revokedAt === undefined ? "good" : "bad") },
  ],
  ["issuer", ({ identityRule }) => identityRule.issuer],
  ["audience", ({ identityRule }) => identityRule.audience],
  [
    "claims",
    ({ identityRule }) =>
      Object.entries(identityRule.claims)
        .map(([name, value]) => `${name}=${value}`)
        .join(" "),
  ],
  ["last used", ({ lastUsedAt }) => formatTime(lastUsedAt)],
  ["scopes", ({ scopes }) => describeScopes(scopes, ",")],
];

export const identityRevoke = defineStoreCommand({
  name: "identity revoke",
  summary:
    "Revoke a rule and all tokens issued by it. A running server applies it within 2 seconds.",
  examples: ["sluice identity revoke idn_4fQ2mN8sT1vXc7Za"],
  rights: ["key.revoke"],
  arguments: {
    identityId: required(text("IDENTITY_ID"), "Id of the rule as `identity list` shows it."),
  },
  restoring: true,
  run: async (app, { identityId }) => {
    const rule = await revokeRule(app, identityId);
    return {
      json: viewRule(rule),
      text: `The rule ${rule.keyId} of organization ${rule.organizationId} was revoked at ${formatTime(rule.revokedAt)}.`,
    };
  },
});

export const identityTest = defineStoreCommand({
  name: "identity test",
  summary: "Show which rules accept a token of a platform, or why none does. Issues nothing.",
  details: "Exits with 3 if no rule accepts it. The token is not used up, and is shown nowhere.",
  examples: ["sluice identity test /var/run/secrets/tokens/sluice --organization acme"],
  rights: ["key.read"],
  arguments: { file: required(text("FILE"), "A file with the token.") },
  options: { organization: required(text("ID"), "Organization whose rules are tried.") },
  run: async (app, { file, organization }) => {
    const token = readText(file, identityLimits.tokenCharactersMax + 2).trim();
    const { fault, rules } = await testToken(app, organization, token);
    const accepting = rules.find((rule) => rule.fault === undefined);
    const lines = rules.map((rule) => `${rule.keyId} ${rule.name}: ${rule.fault ?? "accepts it"}`);
    const none =
      fault === undefined ? "The organization has no active rule." : `The token: ${fault}.`;
    return {
      json: {
        accepted_by: accepting?.keyId ?? null,
        fault: fault ?? null,
        rules: rules.map((rule) => ({ identity_id: rule.keyId, fault: rule.fault ?? null })),
      },
      text: lines.length === 0 ? none : lines.join("\n"),
      exitCode: accepting === undefined ? exitCode.finding : exitCode.success,
    };
  },
});

function viewRule({ identityRule, ...rule }: TrustingRule) {
  return {
    identity_id: rule.keyId,
    organization_id: rule.organizationId,
    name: rule.name,
    status: rule.revokedAt === undefined ? "active" : "revoked",
    scopes: rule.scopes,
    issuer: identityRule.issuer,
    audience: identityRule.audience,
    claims: identityRule.claims,
    lifetime_seconds: identityRule.lifetimeSeconds,
    reusable: identityRule.reusable,
    jwks_url: identityRule.jwksUrl ?? null,
    jwks: identityRule.jwks ?? null,
    created_at: formatTime(rule.createdAt),
    revoked_at: timeOrNull(rule.revokedAt),
    last_used_at: timeOrNull(rule.lastUsedAt),
  };
}
