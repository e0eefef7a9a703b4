// Identifies the caller from the Authorization header of a v2.0 operation, or throws one of five errors.

import { hash } from "node:crypto";
import type { Caller } from "../../domain/access.ts";
import { confidentialTypes } from "../../domain/confidentiality.ts";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { organizationClosed } from "../../domain/deletion/organization-deletion.ts";
import { coveredScopes, type Scope } from "../../domain/scope.ts";
import type { App } from "../app.ts";
import type { Identity } from "./caller-cache.ts";
import { credentialKind } from "../credential.ts";

const bearer = /^bearer +(\S+) *$/i;

/** Returns no promise if the caller is cached. Throws AppError credential_* (RFC 6750, section 3.1). */
export function identifyCaller(
  app: App,
  authorization: string | undefined,
): Identity | Promise<Identity> {
  const token = readBearer(authorization);
  const tokenHash = hash("sha256", token, "base64url");
  const identity = app.callers.find(tokenHash);
  if (identity === undefined) return lookUp(app, token, tokenHash);
  if (hasEnded(app, identity)) throw new AppError("credential_expired", { message: expired });
  return identity;
}

/** Throws AppError insufficient_scope unless the caller's token covers one of the scopes, if there are any. */
export function requireScope({ covered }: Identity, ...scopes: readonly Scope[]): void {
  if (scopes.length === 0 || scopes.some((scope) => covered.has(scope))) return;
  throw new AppError("insufficient_scope", {
    message: `The access token lacks the scope ${scopes.join(" or ")}; request a token that has it.`,
  });
}

const expired =
  "The access token, or the API key that issued it, has expired; request a new token at POST /auth/token.";

function readBearer(authorization: string | undefined): string {
  if (authorization === undefined || authorization.trim() === "") {
    throw new AppError("credential_missing", {
      message: "Send the header Authorization: Bearer <access token>.",
    });
  }
  const token = bearer.exec(authorization)?.[1];
  if (token !== undefined) return token;
  if (credentialKind(authorization.trim()) === undefined) {
    throw new AppError("credential_invalid", {
      message: "The Authorization header must be: Bearer <access token>.",
    });
  }
  throw new AppError("credential_wrong_kind", {
    message:
      "This operation requires Authorization: Bearer <access token>. An API key is only for POST /auth/token, and a " +
      "token follows the word Bearer.",
  });
}

async function lookUp(app: App, token: string, tokenHash: string): Promise<Identity> {
  const kind = credentialKind(token);
  if (kind === "api_key") {
    throw new AppError("credential_wrong_kind", {
      message: "This is an API key; exchange it for an access token at POST /auth/token.",
    });
  }
  // Text that can't be a token is not looked up.
  if (kind === undefined) throw unknownToken();
  return app.callers.lookups.run(tokenHash, () => read(app, tokenHash));
}

async function read(app: App, tokenHash: string): Promise<Identity> {
  const version = await app.callers.confirm(app.store);
  const caller = await app.store.findCaller(Buffer.from(tokenHash, "base64url"));
  if (caller === undefined) throw unknownToken();
  const identity = decide(app, caller);
  app.callers.keep(tokenHash, identity, version);
  return identity;
}

function unknownToken(): AppError {
  return new AppError("credential_invalid", {
    message:
      "The access token is unknown; check that it was copied whole, or request a new one at POST /auth/token.",
  });
}

function decide(app: App, { token, key, organization }: Caller): Identity {
  if (organization.closedAt !== undefined) throw organizationClosed();
  if (key.revokedAt !== undefined) {
    throw new AppError("credential_revoked", {
      message:
        "The API key that issued this access token was revoked; ask the operator for a new key.",
    });
  }
  // A rotation may have shortened the key's lifetime since the token was issued.
  const expiresAt = Math.min(token.expiresAt, key.expiresAt ?? Infinity);
  if (hasEnded(app, { expiresAt })) throw new AppError("credential_expired", { message: expired });
  return {
    organizationId: organization.organizationId,
    organizationName: organization.name,
    keyId: key.keyId,
    actor: token.subject === undefined ? key.keyId : `${key.keyId} ${token.subject}`,
    expiresAt,
    covered: coveredScopes(token.scopes, organization.strictScopes),
    confidential: confidentialTypes(organization.confidentialTypes),
    rateLimitPerSecond: organization.rateLimitPerSecond,
    deletionGraceSeconds: organization.deletionGraceSeconds,
  };
}

/** An end further away than that of any token counts, too: the clock was ahead when this one was issued. */
function hasEnded({ now }: App, { expiresAt }: Pick<Identity, "expiresAt">): boolean {
  const leftMs = expiresAt - now();
  return leftMs <= 0 || leftMs > 2 * limits.tokenSecondsMax * 1_000;
}
