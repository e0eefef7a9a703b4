// API keys as operators name them; the error for an unknown id lists those that exist.

import type { ApiKey } from "../../domain/access.ts";
import type { App } from "../app.ts";
import { requireOrganization } from "./find-organization.ts";
import { unknownName } from "../operator/operator-error.ts";
import { requireRight } from "../operator/viewer.ts";

/** Throws OperatorError no_such_key. The message never repeats a secret that was passed instead of the id. */
export async function findKey(app: App, keyId: string): Promise<ApiKey> {
  const found = await app.store.findKey(keyId);
  if (found !== undefined) return found;
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

/** Lists the keys of one organization, or of all. Throws OperatorError not_permitted and no_such_organization. */
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
  if (key.revokedAt !== undefined && key.revokedAt <= now) return "revoked";
  if (key.expiresAt !== undefined && key.expiresAt <= now) return "expired";
  return "active";
}
