// Rules for identities of programs as operators see them: creates, lists, tests and revokes them. A rule is a
// credential without a secret, so the rights for API keys apply.

import { limits } from "../../domain/limits.ts";
import { identityLimits, type IdentityRule } from "./identity-rule.ts";
import type { Scope } from "../../domain/scope.ts";
import { isServiceUrl } from "../../basics/url-hostname.ts";
import { actOf, type App } from "../../actions/app.ts";
import { findOpenOrganization } from "../../actions/access/close-organization.ts";
import { requireName } from "../../actions/access/create-organization.ts";
import { requireOrganization } from "../../actions/access/find-organization.ts";
import { requireGrantable } from "../../actions/access/grantable-scopes.ts";
import { hashSecret, makeCredential, makeId } from "../../actions/credential.ts";
import {
  OperatorError,
  reasonOf,
  unknownName,
  requireLine,
} from "../../actions/operator/operator-error.ts";
import { requireRight } from "../../actions/operator/viewer.ts";
import { findFault, readProgramToken } from "./identify-program.ts";
import { readKeySet } from "./issuer-keys.ts";
import { operatorErrors } from "./rows.ts";
import { identityRules, type TrustingRule } from "./store/part.ts";

export interface WantedRule extends Omit<IdentityRule, "jwks"> {
  readonly organizationId: string;
  readonly name?: string | undefined;
  readonly scopes: readonly Scope[];
  /** The text of a JWK Set. */
  readonly jwks?: string | undefined;
}

/** Throws OperatorError not_permitted and no_such_organization. */
export async function listRules(
  app: App,
  organizationId: string | undefined,
): Promise<readonly TrustingRule[]> {
  requireRight(app, "key.read");
  await requireOrganization(app, organizationId);
  return app.store.of(identityRules).list(organizationId);
}

/** Throws OperatorError not_permitted, invalid, no_such_organization, organization_closed and too_many_identities. */
export async function createRule(app: App, wanted: WantedRule): Promise<TrustingRule> {
  const { organizationId, name = "identity", scopes, jwks, ...trust } = wanted;
  requireRight(app, "key.create");
  requireName("The rule's name", name);
  if (scopes.length === 0) throw invalid("A rule needs at least one scope.");
  requireRule(trust);
  const rule = jwks === undefined ? trust : { ...trust, jwks: readKeys(jwks) };
  await findOpenOrganization(app, organizationId);
  await requireGrantable(app, organizationId, scopes);
  const others = await app.store.of(identityRules).findTrusting(organizationId);
  if (others.length >= identityLimits.rulesMax) {
    const text = `The organization has ${identityLimits.rulesMax} rules, which is the maximum. Revoke one first.`;
    throw new OperatorError(operatorErrors.too_many_identities, text);
  }
  const made = {
    keyId: makeId("idn"),
    organizationId,
    name,
    scopes,
    createdAt: app.now(),
    expiresAt: undefined,
    rule,
  };
  // A secret that nobody learns, so that nobody can use the rule as an API key.
  const secretHash = hashSecret(makeCredential("api_key"));
  await app.store.of(identityRules).create({ ...made, secretHash }, actOf(app));
  return { ...made, revokedAt: undefined, lastUsedAt: undefined };
}

function requireRule({ issuer, audience, claims, lifetimeSeconds, jwksUrl }: IdentityRule): void {
  const { issuerCharactersMax, claimCharactersMax, claimsMax } = identityLimits;
  requireAddress("The issuer", issuer, issuerCharactersMax);
  if (jwksUrl !== undefined) requireAddress("The address of the keys", jwksUrl, claimCharactersMax);
  requireLine("The audience", audience, claimCharactersMax);
  const named = Object.entries(claims);
  if (named.length === 0 || named.length > claimsMax) {
    throw invalid(`A rule needs 1 to ${claimsMax} claims: an issuer makes tokens for others, too.`);
  }
  for (const [name, value] of named) {
    requireLine("The name of a claim", name, claimCharactersMax);
    requireLine(`The claim ${name}`, value, claimCharactersMax);
    if (value.slice(0, -1).includes("*") || value === "*") {
      throw invalid(`The claim ${name} may have one *, at its end, after at least one character.`);
    }
  }
  const { tokenSecondsMin, tokenSecondsMax } = limits;
  if (lifetimeSeconds >= tokenSecondsMin && lifetimeSeconds <= tokenSecondsMax) return;
  throw invalid(
    `The longest lifetime must be from ${tokenSecondsMin} to ${tokenSecondsMax} seconds.`,
  );
}

/** The operator has chosen the host, so it may be in a private network. */
function requireAddress(what: string, address: string, charactersMax: number): void {
  requireLine(what, address, charactersMax);
  if (isServiceUrl(address)) return;
  throw invalid(`${what} must be an https URL without a user, a query or a fragment.`);
}

function readKeys(text: string): IdentityRule["jwks"] & {} {
  const { keySetBytesMax } = identityLimits;
  if (Buffer.byteLength(text) > keySetBytesMax) {
    throw invalid(`The key set may have at most ${keySetBytesMax} bytes.`);
  }
  try {
    const { keys } = readKeySet(JSON.parse(text));
    if (keys.length > 0 && keys.every(isPublic)) return { keys };
  } catch (cause) {
    throw invalid(`The key set can't be read: ${reasonOf(cause)}.`);
  }
  throw invalid("The key set must have public keys, and nothing else.");
}

/** RFC 7518, section 6: `d` is the private part, `k` a shared secret. */
function isPublic(key: Readonly<Record<string, unknown>>): boolean {
  return !Object.hasOwn(key, "d") && !Object.hasOwn(key, "k") && key["kty"] !== "oct";
}

/** Throws OperatorError not_permitted and no_such_identity. */
export async function revokeRule(app: App, identityId: string): Promise<TrustingRule> {
  requireRight(app, "key.revoke");
  await findRule(app, identityId);
  await app.store.of(identityRules).revoke(identityId, actOf(app));
  return findRule(app, identityId);
}

/** Throws OperatorError not_permitted and no_such_identity. */
export async function findRule(app: App, identityId: string): Promise<TrustingRule> {
  requireRight(app, "key.read");
  const found = await app.store.findKey(identityId);
  if (found?.rule !== undefined) return found as TrustingRule;
  const all = await app.store.of(identityRules).list(undefined);
  throw unknownName(
    operatorErrors.no_such_identity,
    "There is no rule with this id.",
    all.map(({ keyId }) => keyId),
  );
}

/**
 * What is wrong with a token under any rule, or else under each. Issues nothing, and does not mark the token as used.
 * Throws OperatorError not_permitted and no_such_organization.
 */
export async function testToken(app: App, organizationId: string, text: string) {
  requireRight(app, "key.read");
  const rules = await listRules(app, organizationId);
  const token = readProgramToken(text, app.now());
  if (typeof token === "string") return { fault: token, rules: [] };
  const active = rules.filter(({ revokedAt }) => revokedAt === undefined);
  const tested = active.map(async ({ keyId, name, rule }) => {
    return { keyId, name, fault: await findFault(app, rule, token) };
  });
  return { fault: undefined, rules: await Promise.all(tested) };
}

function invalid(message: string): OperatorError {
  return new OperatorError("invalid", `${message} Nothing was changed.`);
}
