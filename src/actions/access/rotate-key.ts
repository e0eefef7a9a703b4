// Replaces an API key by a successor with the same name, scopes and lifetime. The old key expires after an overlap in which
// its users can change over. The secret of the successor is returned once.

import type { App } from "../app.ts";
import { type CreatedKey, makeKey } from "./create-key.ts";
import { findKey, keyStatus } from "./find-key.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { requireRight } from "../operator/viewer.ts";

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
  const now = app.now();
  const status = keyStatus(old, now);
  if (status !== "active") {
    const { organizationId } = old;
    throw new OperatorError("key_ended", `The key ${keyId} is ${status}, so it can't be rotated.`, {
      context: { organizationId },
    });
  }
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
