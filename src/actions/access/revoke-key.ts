// Revokes a key and every token issued with it.

import type { ApiKey } from "../../domain/access.ts";
import { actOf, type App } from "../app.ts";
import { findKey } from "./find-key.ts";
import { requireRight } from "../operator/viewer.ts";

/** Does nothing for a key that is already revoked. Throws OperatorError not_permitted and no_such_key. */
export async function revokeKey(app: App, keyId: string): Promise<ApiKey> {
  requireRight(app, "key.revoke");
  const revoked = await app.store.revokeKey(keyId, actOf(app));
  return revoked ?? findKey(app, keyId);
}
