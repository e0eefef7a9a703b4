// Rules by which an organization trusts tokens of a platform (JWTs, RFC 7519), such as Kubernetes or a CI service: what
// a rule contains, and which claims a token must have. Verifies no signature.

import { isStorable } from "../../domain/schema/formats.ts";

export interface IdentityRule {
  readonly issuer: string;
  readonly audience: string;
  /** At least one. A value that ends with `*` stands for all texts that begin with the rest of it. */
  readonly claims: Readonly<Record<string, string>>;
  /** The longest lifetime of an access token. */
  readonly lifetimeSeconds: number;
  /** Whether a token of the platform may be exchanged more than once while it is valid. */
  readonly reusable: boolean;
  /** Where the public keys are, if the metadata of the issuer do not say it. */
  readonly jwksUrl?: string;
  /** The public keys themselves, for an issuer that can't be reached. */
  readonly jwks?: KeySet;
}

/** A JWK Set (RFC 7517). */
export interface KeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

/** The claims from texts such as `sub=intake`, without empty ones; or what is wrong with them. */
export function readWantedClaims(texts: readonly string[]): IdentityRule["claims"] | string {
  const claims = new Map<string, string>();
  for (const text of texts.filter((one) => one.trim() !== "")) {
    const [, name = "", value = ""] = /^([^=]+)=(.+)$/.exec(text) ?? [];
    if (name === "") return "A claim must be its name and its value, such as sub=intake.";
    if (claims.has(name)) return `The claim ${name} is given twice.`;
    claims.set(name, value);
  }
  return Object.fromEntries(claims);
}

export type Claims = Readonly<Record<string, unknown>>;

export const identityLimits = {
  rulesMax: 20,
  issuerCharactersMax: 256,
  claimsMax: 16,
  /** The longest audience, and the longest name or value of a claim. */
  claimCharactersMax: 512,
  keySetBytesMax: 16 * 1_024,
  /** OpenID Connect Core 1.0, section 2. */
  subjectCharactersMax: 255,
  tokenIdCharactersMax: 256,
  tokenCharactersMax: 16 * 1_024,
  leewaySeconds: 60,
  /** How far in the future a token may expire. */
  tokenSecondsMax: 24 * 60 * 60,
} as const;

/** A token of a platform whose claims have the form that a rule can be compared with. */
export interface ProgramClaims {
  readonly issuer: string;
  readonly subject: string;
  /** The one audience. */
  readonly audience: string;
  /** Unix seconds. */
  readonly expiresAt: number;
  readonly tokenId: string | undefined;
  readonly all: Claims;
}

/** Returns the claims, or what is wrong with them under any rule (RFC 7523, section 3). */
export function readClaims(all: Claims, now: number): ProgramClaims | string {
  const { iss, sub, exp, jti } = all;
  const audience = onlyAudience(all["aud"]);
  if (typeof iss !== "string") return "it has no issuer (iss)";
  if (!isLine(sub, identityLimits.subjectCharactersMax)) {
    return `its subject (sub) is missing, or not a line of up to ${identityLimits.subjectCharactersMax} characters`;
  }
  if (audience === undefined) return "it has no audience (aud), or several";
  if (jti !== undefined && !isLine(jti, identityLimits.tokenIdCharactersMax)) {
    return `its id (jti) is not a line of up to ${identityLimits.tokenIdCharactersMax} characters`;
  }
  const fault = findTimeFault(all, now / 1_000);
  if (fault !== undefined) return fault;
  return { issuer: iss, subject: sub, audience, expiresAt: Number(exp), tokenId: jti, all };
}

/** Any recipient of a token for several audiences could send it here. */
function onlyAudience(claim: unknown): string | undefined {
  const [audience, ...more]: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return typeof audience === "string" && more.length === 0 ? audience : undefined;
}

// eslint-disable-next-line no-control-regex
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

function isLine(value: unknown, charactersMax: number): value is string {
  if (typeof value !== "string" || value.trim() === "" || value.length > charactersMax)
    return false;
  return isStorable(value) && !controlCharacter.test(value);
}

function findTimeFault({ exp, nbf, iat }: Claims, nowSeconds: number): string | undefined {
  const { leewaySeconds, tokenSecondsMax } = identityLimits;
  if (typeof exp !== "number" || !Number.isFinite(exp))
    return "it does not say when it expires (exp)";
  if (exp <= nowSeconds - leewaySeconds) return "it has expired (exp)";
  if (exp > nowSeconds + tokenSecondsMax + leewaySeconds) {
    return `it is valid for longer than ${tokenSecondsMax / 3_600} hours (exp)`;
  }
  for (const [name, from] of Object.entries({ nbf, iat })) {
    if (from === undefined) continue;
    if (typeof from !== "number") return `its time ${name} is not a number`;
    if (from > nowSeconds + leewaySeconds) return `it is not valid yet (${name})`;
  }
  return undefined;
}

/** Why the claims do not match the rule; undefined if they do. Never repeats a claim. */
export function findMismatch(rule: IdentityRule, claims: ProgramClaims): string | undefined {
  if (claims.issuer !== rule.issuer) return "the issuer is another";
  if (claims.audience !== rule.audience) return "the audience is another";
  for (const [name, wanted] of Object.entries(rule.claims)) {
    const claim = Object.hasOwn(claims.all, name) ? claims.all[name] : undefined;
    if (typeof claim !== "string") return `the claim ${name} is missing, or not text`;
    if (!isMatch(claim, wanted)) return `the claim ${name} is another`;
  }
  return undefined;
}

function isMatch(claim: string, wanted: string): boolean {
  return wanted.endsWith("*") ? claim.startsWith(wanted.slice(0, -1)) : claim === wanted;
}
