// The keys of receipts, and what they sign with Ed25519 (RFC 8032). Public keys are stored, retired when the key is
// rotated, and published for ever as a JWK set (RFC 7517, RFC 8037). Never stores, logs or returns a private key.

import { type KeyObject, createPublicKey, hash, sign } from "node:crypto";
import { type ReceiptKey, makeReceiptBody, placeOf } from "../../domain/deletion/receipt.ts";
import { actOf, type App, type Signer } from "../app.ts";
import { requireRight } from "../operator/viewer.ts";
import { canonicalFields, canonicalJson, joinFields } from "../../domain/json/canonical-json.ts";
import { countsOf } from "../../domain/deletion/receipt-count.ts";
import type { SealReceipt } from "../../store/interface/deletion.ts";
import { hashCounts, hashApproval, hashBasis } from "./receipt-counts.ts";

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
  await app.store.keepReceiptKey(key, {}, actOf(app));
  return key;
}

/**
 * A crash between the steps leaves a published key that is not used, or an old one that is not retired. The keys of
 * processes that have their own stay in use. `replace` writes the private key, and returns the one that was there.
 */
export async function rotateReceiptKey(
  app: App,
  privateKey: KeyObject,
  replace: () => KeyObject | undefined,
): Promise<ReceiptKey> {
  requireRight(app, "receipt_key.rotate");
  const key = await keepReceiptKey(app, privateKey);
  const old = replace();
  // The audit trail proves the time, so it is the same.
  const act = actOf(app);
  const retired = old && { keyId: publicPart(old, act.now).keyId, retiredAt: act.now };
  await app.store.keepReceiptKey(key, { retired }, act);
  return key;
}

/** `readKey` is called for each receipt, so that a rotation takes effect with the next one. */
export function makeSealReceipt(readKey: () => KeyObject, now: () => number): SealReceipt {
  return (deletion, { head, engine }) => {
    const privateKey = readKey();
    const key = publicPart(privateKey, now());
    const counts = countsOf(deletion);
    const body = makeReceiptBody(deletion, {
      head,
      engine,
      keyId: key.keyId,
      hashCounts: (position) => hashCounts(counts, position, head),
      hashApproval: (position) => hashApproval(deletion, position, head.saltKey),
      hashBasis: (position) => hashBasis(deletion, position, head.saltKey),
    });
    const fields = canonicalFields(body);
    const signature = sign(null, Buffer.from(joinFields(fields)), privateKey);
    const document = joinFields([...fields, ["signature", `"${signature.toString("base64url")}"`]]);
    return { receipt: placeOf(body), document, counts, hash: hash("sha256", document), key };
  };
}

export function makeSigner(privateKey: KeyObject): Signer {
  const { keyId, publicKey } = publicPart(privateKey, 0);
  return {
    keyId,
    publicKey,
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString("base64url"),
  };
}

/** Deriving a key takes longer than signing a receipt. */
const publicKeys = new WeakMap<KeyObject, Pick<ReceiptKey, "keyId" | "publicKey">>();

export function publicPart(privateKey: KeyObject, createdAt: number): ReceiptKey {
  const publicKey = publicKeys.get(privateKey) ?? derivePublicKey(privateKey);
  publicKeys.set(privateKey, publicKey);
  return { ...publicKey, createdAt, retiredAt: undefined };
}

function derivePublicKey(privateKey: KeyObject): Pick<ReceiptKey, "keyId" | "publicKey"> {
  const { x } = createPublicKey(privateKey).export({ format: "jwk" });
  if (x === undefined) throw new TypeError("the key for receipts is not an Ed25519 key");
  return { keyId: thumbprint(x), publicKey: x };
}

export function toPublicKey(publicKey: string): KeyObject {
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: publicKey }, format: "jwk" });
}

export function thumbprint(publicKey: string): string {
  const members = canonicalJson({ crv: "Ed25519", kty: "OKP", x: publicKey });
  return hash("sha256", members, "base64url");
}
