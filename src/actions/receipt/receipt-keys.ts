// The public keys of receipts: stores them, retires the others when the key is rotated, and publishes all that were
// ever used as a JWK set (RFC 7517, RFC 8037). Uses a private key only to derive its public part.

import type { KeyObject } from "node:crypto";
import type { ReceiptKey } from "../../domain/deletion/receipt.ts";
import { actOf, type App } from "../app.ts";
import { requireRight } from "../operator/viewer.ts";
import { publicPart } from "./issue-receipt.ts";

export interface PublishedKey {
  readonly kty: "OKP";
  readonly crv: "Ed25519";
  readonly alg: "EdDSA";
  readonly use: "sig";
  readonly kid: string;
  readonly x: string;
  readonly created_at: string;
  readonly retired_at?: string;
}

export interface PublishedKeys {
  readonly store_id: string;
  readonly keys: readonly PublishedKey[];
}

export async function publishReceiptKeys({ store }: App): Promise<PublishedKeys> {
  const [{ storeId }, keys] = await Promise.all([store.receiptHead(), store.listReceiptKeys()]);
  return { store_id: storeId, keys: keys.map(publish) };
}

function publish({ keyId, publicKey, createdAt, retiredAt }: ReceiptKey): PublishedKey {
  return {
    kty: "OKP",
    crv: "Ed25519",
    alg: "EdDSA",
    use: "sig",
    kid: keyId,
    x: publicKey,
    created_at: new Date(createdAt).toISOString(),
    ...(retiredAt === undefined ? {} : { retired_at: new Date(retiredAt).toISOString() }),
  };
}

/** Throws TypeError, with what was expected, if the value is not such a document. */
export function readPublishedKeys(value: unknown): PublishedKeys {
  const { keys, store_id } = (value ?? {}) as { keys?: unknown; store_id?: unknown };
  if (!Array.isArray(keys) || !keys.every(isPublishedKey)) {
    throw new TypeError(
      'It must be the JSON of /.well-known/sluice-receipts.json: {"store_id", "keys": [{"kty", "crv", "kid", "x"}]}.',
    );
  }
  return { store_id: typeof store_id === "string" ? store_id : "", keys };
}

function isPublishedKey(value: unknown): value is PublishedKey {
  const key = value as Partial<PublishedKey> | null;
  return (
    key?.kty === "OKP" &&
    key.crv === "Ed25519" &&
    typeof key.kid === "string" &&
    typeof key.x === "string" &&
    // 32 bytes have 43 characters, of which the last two bits are unused and must be zero (RFC 4648, section 3.5).
    /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/.test(key.x)
  );
}

/** Call before the first receipt is signed with the key. */
export async function keepReceiptKey(app: App, privateKey: KeyObject): Promise<ReceiptKey> {
  const key = publicPart(privateKey, app.now());
  await keep(app, key, false);
  return key;
}

/** A crash between the steps leaves a published key that is not used. `replace` writes the private key. */
export async function rotateReceiptKey(
  app: App,
  privateKey: KeyObject,
  replace: () => void,
): Promise<ReceiptKey> {
  requireRight(app, "receipt_key.rotate");
  const key = await keepReceiptKey(app, privateKey);
  replace();
  await keep(app, key, true);
  return key;
}

function keep(app: App, key: ReceiptKey, retireOthers: boolean): Promise<void> {
  return app.store.keepReceiptKey(key, { retireOthers }, actOf(app));
}
