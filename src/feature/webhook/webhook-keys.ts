// The secrets of webhooks, and the signatures made with them, as Standard Webhooks 1.0 specifies: `v1` is HMAC-SHA256,
// `v1a` Ed25519. The secrets are derived from the private receipt key, which no store contains.

import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign,
} from "node:crypto";

const keyBytes = 32;
/** Every engine can store it exactly in a number. */
const checkBytes = 6;
const idBytes = 18;

/** The head of an Ed25519 key in PKCS #8 (RFC 8410, section 7); the seed follows. */
const pkcs8Head = Buffer.from("302e020100300506032b657004220420", "hex");

/** A webhook message as it is signed. */
interface SignedMessage {
  readonly id: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/** The secrets of webhooks, each with its public key. */
export interface WebhookKeys {
  /** Identifies the secret from which the others are derived. */
  readonly check: number;
  secretOf(endpointId: string): { readonly secret: string; readonly publicKey: string };
  /** The same for each attempt; does not disclose what it was made from. */
  messageId(endpointId: string, what: string): string;
  /** The value of the header with the signatures. */
  sign(endpointId: string, message: SignedMessage): string;
}

type Derive = (what: string, bytes: number) => Buffer;

export function makeWebhookKeys(secret: KeyObject): WebhookKeys {
  const from = secret.export({ format: "der", type: "pkcs8" });
  const derive: Derive = (what, bytes) =>
    Buffer.from(hkdfSync("sha256", from, "", `webhooks, ${what}`, bytes));
  return {
    check: 1 + derive("check", checkBytes).readUIntBE(0, checkBytes),
    secretOf: (endpointId) => {
      const { shared, pair } = keysOf(derive, endpointId);
      const { x = "" } = createPublicKey(pair).export({ format: "jwk" });
      const publicKey = Buffer.from(x, "base64url").toString("base64");
      return { secret: `whsec_${shared.toString("base64")}`, publicKey: `whpk_${publicKey}` };
    },
    messageId: (endpointId, what) => {
      const id = createHmac("sha256", derive(`ids of ${endpointId}`, keyBytes)).update(what);
      return `msg_${id.digest().subarray(0, idBytes).toString("base64url")}`;
    },
    sign: (endpointId, { id, timestamp, body }) => {
      const { shared, pair } = keysOf(derive, endpointId);
      const content = Buffer.from(`${id}.${timestamp}.${body}`);
      const mac = createHmac("sha256", shared).update(content).digest("base64");
      return `v1,${mac} v1a,${sign(null, content, pair).toString("base64")}`;
    },
  };
}

function keysOf(derive: Derive, endpointId: string) {
  const of = `of ${endpointId}`;
  const seed = derive(`Ed25519 ${of}`, keyBytes);
  const key = Buffer.concat([pkcs8Head, seed]);
  return {
    shared: derive(`HMAC ${of}`, keyBytes),
    pair: createPrivateKey({ key, format: "der", type: "pkcs8" }),
  };
}
