// API keys: finds, creates, rotates and revokes them. The plain key is in the reply of the one call that creates it,
// and nowhere else.

import type { ApiKey } from "../../domain/access.ts";
import { recordScopes, type Scope } from "../../domain/scope.ts";
import type { NewKey } from "../../store/interface/access.ts";
import { actOf, type App, currentTimeOf } from "../app.ts";
import { hashSecret, makeCredential, makeId } from "../credential.ts";
import { OperatorError, unknownName } from "../operator/operator-error.ts";
import { requireRight } from "../operator/viewer.ts";
import { findOpenOrganization } from "./close-organization.ts";
import { requireName } from "./create-organization.ts";
import { requireOrganization } from "./find-organization.ts";
import { requireGrantable } from "./grantable-scopes.ts";

/**
 * The message never repeats a secret that was passed instead of the id. Throws OperatorError not_permitted and
 * no_such_key.
 */
export async function findKey(app: App, keyId: string): Promise<ApiKey> {
  requireRight(app, "key.read");
  const apiKey = await app.store.findKey(keyId);
  if (apiKey !== undefined && apiKey.rule === undefined) return apiKey;
  const all = await app.store.listKeys(undefined);
  const what = /^key_\w{1,32}$/.test(keyId)
    ? `There is no key "${keyId}".`
    : "That is not a key id; key ids begin with key_.";
  throw unknownName(
    "no_such_key",
    what,
    all.map((key) => key.keyId),
  );
}

/** Undefined for an unknown key. Throws OperatorError not_permitted. */
export async function findKeyName(app: App, keyId: string): Promise<string | undefined> {
  requireRight(app, "key.read");
  return (await app.store.findKey(keyId))?.name;
}

/** Throws OperatorError not_permitted and no_such_organization. */
export async function listKeys(
  app: App,
  organizationId: string | undefined,
): Promise<readonly ApiKey[]> {
  requireRight(app, "key.read");
  await requireOrganization(app, organizationId);
  return app.store.listKeys(organizationId);
}

export type KeyStatus = "active" | "revoked" | "expired";

export function keyStatus(key: ApiKey, now: number): KeyStatus {
  if (key.revokedAt !== undefined) return "revoked";
  if (key.expiresAt !== undefined && key.expiresAt <= now) return "expired";
  return "active";
}

export interface KeyOptions {
  readonly organizationId: string;
  /** For lists; not unique. */
  readonly name?: string | undefined;
  /** The default is all scopes for records. */
  readonly scopes?: readonly Scope[] | undefined;
  /** The key never expires if this is left out. */
  readonly lifetimeMs?: number | undefined;
}

export interface CreatedKey {
  readonly key: ApiKey;
  readonly secret: string;
}

/** Throws OperatorError not_permitted, invalid, no_such_organization and organization_closed. */
export async function createKey(app: App, wanted: KeyOptions): Promise<CreatedKey> {
  const { organizationId, name = "key", scopes = recordScopes, lifetimeMs } = wanted;
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
  await requireGrantable(app, organizationId, scopes);
  const createdAt = currentTimeOf(app);
  const expiresAt = lifetimeMs === undefined ? undefined : createdAt + lifetimeMs;
  const { stored, ...created } = makeKey({ organizationId, name, scopes, createdAt, expiresAt });
  await app.store.createKey(stored, { actor: app.operator, now: createdAt });
  return created;
}

function makeKey(
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

export interface RotatedKey extends CreatedKey {
  /** Unix milliseconds. */
  readonly oldExpiresAt: number;
}

/** Throws OperatorError not_permitted, no_such_key and key_ended. */
export async function rotateKey(
  app: App,
  { keyId, overlapMs }: { keyId: string; overlapMs: number },
): Promise<RotatedKey> {
  requireRight(app, "key.rotate");
  const old = await findKey(app, keyId);
  const now = currentTimeOf(app);
  const status = keyStatus(old, now);
  if (status !== "active") {
    const { organizationId } = old;
    throw new OperatorError("key_ended", `The key ${keyId} is ${status}, so it can't be rotated.`, {
      context: { organizationId },
    });
  }
  await requireGrantable(app, old.organizationId, old.scopes);
  const oldExpiresAt = Math.min(now + overlapMs, old.expiresAt ?? Number.POSITIVE_INFINITY);
  const { stored, ...created } = makeKey({
    organizationId: old.organizationId,
    name: old.name,
    scopes: old.scopes,
    createdAt: now,
    expiresAt: old.expiresAt === undefined ? undefined : now + (old.expiresAt - old.createdAt),
  });
  await app.store.rotateKey(keyId, stored, oldExpiresAt, { actor: app.operator, now });
  return { ...created, oldExpiresAt };
}

/** Does nothing for a key that is already revoked. Throws OperatorError not_permitted and no_such_key. */
export async function revokeKey(app: App, keyId: string): Promise<ApiKey> {
  requireRight(app, "key.revoke");
  const key = await findKey(app, keyId);
  const revoked = await app.store.revokeKey(keyId, actOf(app));
  // In this process the key ends at once (contract, section 4).
  await app.callers.confirm(app.store);
  return revoked ?? key;
}
