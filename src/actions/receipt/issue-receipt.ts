// Signs the receipts of deletions with Ed25519 (RFC 8032). Never stores, logs or returns a private key.

import { createPublicKey, hash, type KeyObject, sign } from "node:crypto";
import { canonicalFields, canonicalJson, joinFields } from "../../domain/json/canonical-json.ts";
import { countsOf } from "../../domain/deletion/receipt-count.ts";
import { makeReceiptBody, placeOf, type ReceiptKey } from "../../domain/deletion/receipt.ts";
import type { SealReceipt } from "../../store/interface/receipt.ts";
import type { Signer } from "../app.ts";
import { hashApproval, hashBasis } from "./receipt-approval.ts";
import { hashCounts } from "./receipt-counts.ts";

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
  const known = publicKeys.get(privateKey) ?? derivePublicKey(privateKey);
  publicKeys.set(privateKey, known);
  return { ...known, createdAt, retiredAt: undefined };
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
