// What is signed is verified by the reference implementation for receivers and by the public key, and a secret is the
// same whenever it is derived.

import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { describe, it } from "node:test";
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { makeWebhookKeys } from "../../../src/feature/webhook/webhook-keys.ts";
import type { WebhookEndpoint } from "../../../src/feature/webhook/webhook.ts";

const { privateKey } = generateKeyPairSync("ed25519");
const keys = makeWebhookKeys(privateKey);
const now = Date.now();
const message = { id: "msg_1", timestamp: Math.floor(now / 1_000), body: '{"type":"a"}' };

function endpoint(fields: Partial<WebhookEndpoint> = {}): WebhookEndpoint {
  const made = { endpointId: "whe_1", secretVersion: 2, formerSecretUntil: undefined };
  return { ...made, ...fields } as WebhookEndpoint;
}

function headersOf(of: WebhookEndpoint): Record<string, string> {
  return {
    "webhook-id": message.id,
    "webhook-timestamp": String(message.timestamp),
    "webhook-signature": keys.sign(of, message, now),
  };
}

function isVerified(secret: string, of: WebhookEndpoint, body = message.body): boolean {
  try {
    new Webhook(secret).verify(body, headersOf(of));
    return true;
  } catch (error) {
    assert.ok(error instanceof WebhookVerificationError);
    return false;
  }
}

describe("the secret of an endpoint", () => {
  it("verifies what is signed, and nothing else", () => {
    const { secret } = keys.secretOf("whe_1", 2);
    assert.match(secret, /^whsec_[\w+/]{43}=$/);
    assert.equal(isVerified(secret, endpoint()), true);
    assert.equal(isVerified(secret, endpoint(), '{"type":"b"}'), false);
    assert.equal(isVerified(secret, endpoint({ endpointId: "whe_2" })), false);
    assert.equal(isVerified(secret, endpoint({ secretVersion: 3 })), false);
  });

  it("is the same each time, and another one for each endpoint, version and key", () => {
    const other = makeWebhookKeys(generateKeyPairSync("ed25519").privateKey);
    const all = [
      keys.secretOf("whe_1", 1),
      keys.secretOf("whe_1", 2),
      keys.secretOf("whe_2", 1),
      other.secretOf("whe_1", 1),
    ];
    assert.equal(new Set(all.flatMap(({ secret, publicKey }) => [secret, publicKey])).size, 8);
    assert.deepEqual(makeWebhookKeys(privateKey).secretOf("whe_1", 1), all[0]);
    assert.notEqual(keys.check, other.check);
    assert.equal(makeWebhookKeys(privateKey).check, keys.check);
  });

  it("signs beside its successor until the overlap has ended", () => {
    const { secret: former } = keys.secretOf("whe_1", 1);
    const { secret } = keys.secretOf("whe_1", 2);
    const during = endpoint({ formerSecretUntil: now + 1 });
    assert.deepEqual([isVerified(former, during), isVerified(secret, during)], [true, true]);
    const after = endpoint({ formerSecretUntil: now });
    assert.deepEqual([isVerified(former, after), isVerified(secret, after)], [false, true]);
  });

  it("has a public key for the signatures v1a", () => {
    const { publicKey } = keys.secretOf("whe_1", 2);
    assert.match(publicKey, /^whpk_[\w+/]{43}=$/);
    const x = Buffer.from(publicKey.slice(5), "base64").toString("base64url");
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    const signatures = keys.sign(endpoint(), message, now).split(" ");
    assert.deepEqual(
      signatures.map((text) => text.slice(0, text.indexOf(","))),
      ["v1", "v1a"],
    );
    const signature = Buffer.from(signatures[1]?.slice(4) ?? "", "base64");
    const signed = (body: string) => Buffer.from(`msg_1.${message.timestamp}.${body}`);
    assert.equal(verify(null, signed(message.body), key, signature), true);
    assert.equal(verify(null, signed("{}"), key, signature), false);
  });
});

describe("the id of a message", () => {
  it("is the same for each attempt, and does not show what it is made from", () => {
    const id = keys.messageId("whe_1", "entry 1");
    assert.match(id, /^msg_[\w-]{24}$/);
    assert.equal(keys.messageId("whe_1", "entry 1"), id);
    assert.notEqual(keys.messageId("whe_1", "entry 2"), id);
    assert.notEqual(keys.messageId("whe_2", "entry 1"), id);
  });
});
