// Exchanges an API key for an access token (interface document, "Request a new access token"); grants exchange
// something else. The token is returned once, in the reply, and stored only as a hash. It never outlives its key.

import type { ApiKey, KeyHolder, Organization } from "../../domain/access.ts";
import { organizationClosed } from "../../domain/deletion/organization-deletion.ts";
import { AppError } from "../../domain/error.ts";
import { allScopes, coveredScopes, isScope, type Scope } from "../../domain/scope.ts";
import { adviseName } from "../../domain/validation/suggest.ts";
import type { App } from "../app.ts";
import type { UsedOnce } from "../../store/interface/operators.ts";
import { credentialKind, hashSecret, makeCredential } from "../credential.ts";

/** Who asks for a token: the holder of an API key, or whom a grant has found a rule for. */
export interface Grantee extends KeyHolder {
  /** Who that is, where the key does not say it. */
  readonly subject?: string;
  /** Undefined if what they have may be exchanged again. */
  readonly usedOnce?: UsedOnce | undefined;
}

/** The body, already validated. */
export interface AccessTokenRequest {
  readonly expiry_seconds: number;
  readonly scopes: { readonly organization_id: string; readonly scopes: readonly string[] };
}

export interface AccessTokenReply {
  readonly token: string;
  /** Unix seconds. */
  readonly expiry: number;
  readonly organization_id: string;
  readonly organization_name: string;
  readonly scopes: { readonly organization_id: string; readonly scopes: readonly Scope[] };
}

/** Identifies the holder of the key in `Authorization: <API_KEY>`. Throws AppError credential_* (401). */
export async function identifyKeyHolder(
  app: App,
  authorization: string | undefined,
): Promise<KeyHolder> {
  const secret = readApiKey(authorization);
  const holder = await app.store.findKeyBySecret(hashSecret(secret));
  if (holder === undefined) {
    throw new AppError("credential_invalid", {
      message: "The API key is unknown; check that it is a key of this service.",
    });
  }
  if (holder.organization.closedAt !== undefined) throw organizationClosed();
  const { revokedAt, expiresAt } = holder.key;
  if (revokedAt !== undefined) {
    throw new AppError("credential_revoked", {
      message: "The API key was revoked; ask the operator for a new one.",
    });
  }
  if (expiresAt !== undefined && expiresAt <= app.now()) throw keyExpired();
  return holder;
}

/** Throws AppError unknown_scope, other_organization whether or not that exists, and insufficient_scope. */
export async function issueToken(
  app: App,
  { key, organization, subject, usedOnce }: Grantee,
  request: AccessTokenRequest,
): Promise<AccessTokenReply> {
  const scopes = readScopes(request.scopes.scopes);
  if (request.scopes.organization_id !== organization.organizationId) {
    throw new AppError("other_organization");
  }
  requireGranted(scopes, key, organization);
  const token = makeCredential("access_token");
  const createdAt = app.now();
  const expiry = expiryOf(key.expiresAt, { createdAt, seconds: request.expiry_seconds });
  const isStored = await app.store.createToken({
    tokenHash: hashSecret(token),
    keyId: key.keyId,
    organizationId: organization.organizationId,
    scopes,
    createdAt,
    expiresAt: expiry * 1_000,
    ...(subject !== undefined && { subject }),
    usedOnce,
  });
  if (!isStored) throw refusedGrant();
  return {
    token,
    expiry,
    organization_id: organization.organizationId,
    organization_name: organization.name,
    scopes: { organization_id: organization.organizationId, scopes },
  };
}

/** The same whatever the reason, so that it does not say whom an organization trusts. */
export function refusedGrant(): AppError {
  return new AppError("credential_invalid", {
    message:
      "The token is not valid, was used before, or no rule of the organization accepts it. An operator can test it.",
  });
}

/** In Unix seconds: not later than the key expires, even if that is very soon. */
function expiryOf(
  keyEnd: number | undefined,
  { createdAt, seconds }: { readonly createdAt: number; readonly seconds: number },
): number {
  const requested = Math.floor(createdAt / 1_000) + seconds;
  if (keyEnd === undefined) return requested;
  const expiry = Math.min(requested, Math.floor(keyEnd / 1_000));
  if (expiry * 1_000 <= createdAt) throw keyExpired();
  return expiry;
}

function keyExpired(): AppError {
  return new AppError("credential_expired", {
    message: "The API key has expired; ask the operator for a new one.",
  });
}

function readApiKey(authorization: string | undefined): string {
  const value = authorization?.trim() ?? "";
  if (value === "") {
    throw new AppError("credential_missing", {
      message: "Send the header Authorization: <API key>.",
    });
  }
  if (/^bearer\b/i.test(value)) {
    throw new AppError("credential_wrong_kind", {
      message:
        "Send the API key as the whole value, Authorization: <API key>, without the word Bearer.",
    });
  }
  const kind = credentialKind(value);
  if (kind === "access_token") {
    throw new AppError("credential_wrong_kind", {
      message: "An access token can't be exchanged for another one; send the API key.",
    });
  }
  if (kind === undefined) {
    // No key contains whitespace, so there is more than a key, such as the name of a scheme.
    const advice = /\s/.test(value)
      ? "send it alone, as Authorization: <API key>."
      : "check that it was copied whole.";
    throw new AppError("credential_invalid", { message: `The API key is not valid; ${advice}` });
  }
  return value;
}

function readScopes(asked: readonly string[]): readonly Scope[] {
  const errors = asked.flatMap((scope, index) => {
    if (isScope(scope)) return [];
    const message = `must be one of ${allScopes.join(", ")}${adviseName(scope, allScopes)}`;
    return [{ field: `scopes.scopes[${index}]`, message }];
  });
  if (errors.length > 0) throw new AppError("unknown_scope", { errors });
  return [...new Set(asked.filter(isScope))];
}

function requireGranted(
  asked: readonly Scope[],
  { scopes, rule }: ApiKey,
  { strictScopes }: Organization,
): void {
  const granted = coveredScopes(scopes, strictScopes);
  const missing = asked.filter((scope) => !granted.has(scope));
  if (missing.length === 0) return;
  const [what, other] = rule === undefined ? ["API key", "key"] : ["program", "rule"];
  throw new AppError("insufficient_scope", {
    message: `The ${what} was not granted ${missing.join(", ")}; ask the operator for a ${other} that is.`,
  });
}
