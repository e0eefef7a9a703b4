// What is signed is verified by the reference implementation for receivers and by the public key, and a secret is the
// same whenever it is derived.

import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { describe, it } from "node:test";
import { Webhook, WebhookVerificationError } from "standardwebhooks";
import { makeWebhookKeys } from "../../../src/feature/webhook/webhook-keys.ts";

const { privateKey } = generateKeyPairSync("ed25519");
const keys = makeWebhookKeys(privateKey);
const now = Date.now();
const message = { id: "msg_1", timestamp: Math.floor(now / 1_000), body: '{"type":"a"}' };

function isVerified(secret: string, endpointId: string, body = message.body): boolean {
  const headers = {
    "webhook-id": message.id,
    "webhook-timestamp": String(message.timestamp),
    "webhook-signature": keys.sign(endpointId, message),
  };
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch (error) {
    assert.ok(error instanceof WebhookVerificationError);
    return false;
  }
}

describe("the secret of an endpoint", () => {
  it("verifies what is signed, and nothing else", () => {
    const { secret } = keys.secretOf("whe_1");
    assert.match(secret, /^whsec_[\w+/]{43}=$/);
    assert.equal(isVerified(secret, "whe_1"), true);
    assert.equal(isVerified(secret, "whe_1", '{"type":"b"}'), false);
    assert.equal(isVerified(secret, "whe_2"), false);
  });

  it("is the same each time, and another one for each endpoint and key", () => {
    const other = makeWebhookKeys(generateKeyPairSync("ed25519").privateKey);
    const all = [keys.secretOf("whe_1"), keys.secretOf("whe_2"), other.secretOf("whe_1")];
    assert.equal(new Set(all.flatMap(({ secret, publicKey }) => [secret, publicKey])).size, 6);
    assert.deepEqual(makeWebhookKeys(privateKey).secretOf("whe_1"), all[0]);
    assert.notEqual(keys.check, other.check);
    assert.equal(makeWebhookKeys(privateKey).check, keys.check);
  });

  it("has a public key for the signatures v1a", () => {
    const { publicKey } = keys.secretOf("whe_1");
    assert.match(publicKey, /^whpk_[\w+/]{43}=$/);
    const x = Buffer.from(publicKey.slice(5), "base64").toString("base64url");
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
    const signatures = keys.sign("whe_1", message).split(" ");
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
