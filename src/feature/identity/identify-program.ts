// Identifies a program by a token of its platform (RFC 7523) and the rules of an organization. Every refusal has the
// same reply, so that none says which issuers an organization trusts. Its time may: keys are read, and a signature is
// verified, only if the claims match a rule.

import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { type Grantee, refusedGrant } from "../../actions/access/issue-token.ts";
import {
  type Claims,
  findMismatch,
  identityLimits,
  type IdentityRule,
  type ProgramClaims,
  readClaims,
} from "./identity-rule.ts";
import { readUnambiguous } from "../../domain/json/repeated-name.ts";
import { isStorable } from "../../domain/schema/formats.ts";
import { isJsonObject } from "../../domain/schema/schema-shape.ts";
import type { App } from "../../actions/app.ts";
import { issuerKeysOf } from "./issuer-keys.ts";
import { identityRules, type TrustingRule } from "./store/part.ts";

export interface ProgramToken {
  readonly text: string;
  readonly claims: ProgramClaims;
}

/** Throws AppError credential_invalid. */
export async function identifyProgram(
  app: App,
  { organizationId, token: text }: { readonly organizationId: string; readonly token: string },
): Promise<Grantee & { readonly key: TrustingRule }> {
  const token = readProgramToken(text, app.now());
  if (typeof token !== "string" && isStorable(organizationId)) {
    for (const holder of await app.store.of(identityRules).findTrusting(organizationId)) {
      const { rule } = holder.key;
      if (holder.organization.closedAt !== undefined) continue;
      if ((await findFault(app, rule, token)) !== undefined) continue;
      const subject = `${rule.issuer} ${token.claims.subject}`;
      return { ...holder, subject, usedOnce: usedOnceOf(rule, organizationId, token) };
    }
  }
  throw refusedGrant();
}

/** Why the rule does not accept the token; undefined if it does. Nothing is fetched unless the claims match. */
export async function findFault(
  app: App,
  rule: IdentityRule,
  { text, claims }: ProgramToken,
): Promise<string | undefined> {
  return findMismatch(rule, claims) ?? issuerKeysOf(app).findFault(text, rule);
}

/** Returns the claims, or what is wrong with the token under any rule. Bounds it first; verifies no signature. */
export function readProgramToken(text: string, now: number): ProgramToken | string {
  const { tokenCharactersMax } = identityLimits;
  if (text.length > tokenCharactersMax) return `it is longer than ${tokenCharactersMax} characters`;
  const [, header = "", payload = ""] = form.exec(text) ?? [];
  if (header === "") return "it is not a signed JWT (RFC 7519)";
  const [head, all] = [readPart(header), readPart(payload)];
  if (head === undefined || all === undefined) {
    return `its header or its claims are not JSON, contain a name twice, or are nested deeper than ${depthMax} levels`;
  }
  const { typ = "jwt" } = head;
  if (typeof typ !== "string" || !isForProgram.test(typ))
    return "its header says that it is a token of another kind (typ)";
  const claims = readClaims(all, now);
  return typeof claims === "string" ? claims : { text, claims };
}

/** What platforms sign for a program; not a logout token or a security event of the issuer (RFC 8725, 3.11). */
const isForProgram = /^(application\/)?(jwt|jose|at\+jwt|client-authentication\+jwt)$/i;
const form = /^([\w-]+)\.([\w-]+)\.[\w-]+$/;
const depthMax = 8;

function readPart(part: string): Claims | undefined {
  const bytes = Buffer.from(part, "base64url");
  const value = isUtf8(bytes) ? readUnambiguous(bytes.toString(), depthMax) : undefined;
  return isJsonObject(value) ? value : undefined;
}

/** A token without an id is identified by what is signed, because the same signature can have several forms. */
function usedOnceOf(
  { reusable }: IdentityRule,
  organizationId: string,
  { text, claims: { issuer, tokenId, expiresAt } }: ProgramToken,
): Grantee["usedOnce"] {
  if (reusable) return undefined;
  const id = tokenId ?? text.slice(0, text.lastIndexOf("."));
  const what = [organizationId, issuer, tokenId === undefined ? "signed" : "jti", id];
  const tokenHash = createHash("sha256").update(JSON.stringify(what)).digest();
  // Remembered as long as the token would be accepted.
  return { tokenHash, expiresAt: (Math.ceil(expiresAt) + identityLimits.leewaySeconds) * 1_000 };
}
