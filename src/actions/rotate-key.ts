// Replaces an API key: a successor with the same name, scopes and lifetime, and an end for the old one that leaves its
// users time to change over. The successor's secret is told once, by whoever called this.

import type { App } from "./app.ts";
import type { CreatedKey } from "./create-key.ts";
import { hashSecret, makeCredential, makeId } from "./credential.ts";
import { findKey, keyStatus } from "./find-key.ts";
import { OperatorError } from "./operator-error.ts";

export interface RotatedKey extends CreatedKey {
  /** Unix milliseconds from which the old key is of no use. */
  readonly oldExpiresAt: number;
}

/** Throws OperatorError no_such_key and key_ended. */
export async function rotateKey(
  app: App,
  { keyId, overlapMs }: { keyId: string; overlapMs: number },
): Promise<RotatedKey> {
  const old = await findKey(app, keyId);
  const now = app.now();
  const status = keyStatus(old, now);
  if (status !== "active") {
    throw new OperatorError(
      "key_ended",
      `The key ${keyId} is ${status}, so it can't be rotated; create a new one with: ` +
        `sluice key create --organization ${old.organizationId}`,
    );
  }
  const oldExpiresAt = Math.min(now + overlapMs, old.expiresAt ?? Number.POSITIVE_INFINITY);
  const secret = makeCredential("api_key");
  const successor = {
    keyId: makeId("key"),
    organizationId: old.organizationId,
    name: old.name,
    scopes: old.scopes,
    createdAt: now,
    expiresAt: old.expiresAt === undefined ? undefined : now + (old.expiresAt - old.createdAt),
  };
  await app.store.rotateKey(keyId, { ...successor, secretHash: hashSecret(secret) }, oldExpiresAt, {
    actor: app.operator,
    now,
  });
  const key = { ...successor, revokedAt: undefined, lastUsedAt: undefined };
  return { key, secret, oldExpiresAt };
}
