// Creates an API key. Its secret is returned once, and stored only as a hash.

import type { ApiKey } from "../../domain/access.ts";
import { allScopes, type Scope } from "../../domain/scope.ts";
import type { NewKey } from "../../store/interface/store.ts";
import type { App } from "../app.ts";
import { findOpenOrganization } from "./close-organization.ts";
import { requireName } from "./create-organization.ts";
import { hashSecret, makeCredential, makeId } from "../credential.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { requireRight } from "../operator/viewer.ts";

export interface KeyOptions {
  readonly organizationId: string;
  /** For lists; not unique. */
  readonly name?: string | undefined;
  /** The default is all scopes. */
  readonly scopes?: readonly Scope[] | undefined;
  /** The default is a key that never expires. */
  readonly lifetimeMs?: number | undefined;
}

export interface CreatedKey {
  readonly key: ApiKey;
  readonly secret: string;
}

/** Throws OperatorError not_permitted, invalid, no_such_organization and organization_closed. */
export async function createKey(app: App, wanted: KeyOptions): Promise<CreatedKey> {
  const { organizationId, name = "key", scopes = allScopes, lifetimeMs } = wanted;
  requireRight(app, "key.create");
  requireName("The key's name", name);
  if (scopes.length === 0) throw new OperatorError("invalid", "A key needs at least one scope.");
  if (lifetimeMs !== undefined && lifetimeMs <= 0) {
    throw new OperatorError(
      "invalid",
      "A key must last longer than 0s; leave the expiry out for a key that never expires.",
    );
  }
  await findOpenOrganization(app, organizationId);
  const createdAt = app.now();
  const expiresAt = lifetimeMs === undefined ? undefined : createdAt + lifetimeMs;
  const { stored, ...created } = makeKey({ organizationId, name, scopes, createdAt, expiresAt });
  await app.store.createKey(stored, { actor: app.operator, now: createdAt });
  return created;
}

/** Makes a new id and a new secret. */
export function makeKey(
  fields: Omit<ApiKey, "keyId" | "revokedAt" | "lastUsedAt">,
): CreatedKey & { readonly stored: NewKey } {
  const secret = makeCredential("api_key");
  const made = { keyId: makeId("key"), ...fields };
  return {
    key: { ...made, revokedAt: undefined, lastUsedAt: undefined },
    secret,
    stored: { ...made, secretHash: hashSecret(secret) },
  };
}
