// What makes two requests the same, and requests with the same key at the same time.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  contextOf,
  fingerprintOf,
  InFlightKeys,
  keyHashOf,
  markRequest,
  type RequestIdentity,
} from "../../../src/actions/intake/idempotency.ts";

const request: RequestIdentity = {
  idempotencyKey: "key",
  operation: "POST /v2/transaction",
  writeOptions: "strict",
  body: "{}",
};

describe("the hash of a key", () => {
  it("is different for every key", () => {
    const keys = [
      "k",
      "k.",
      "k.0",
      "k.00",
      "k.1",
      "k.01",
      "k.10",
      "k.99999",
      "k.100000",
      ".1",
      "1",
    ];
    const hashes = keys.map((key) => Buffer.from(keyHashOf("acme", key)).toString("hex"));
    assert.equal(new Set(hashes).size, keys.length);
  });

  it("is next to those of the other items of a list", () => {
    const texts = ["k.1", "k.2", "k.300"].map((key) =>
      Buffer.from(keyHashOf("acme", key)).toString("hex"),
    );
    assert.deepEqual(texts.toSorted(), texts);
    assert.equal(new Set(texts.map((text) => text.slice(0, 56))).size, 1);
  });
});

describe("the mark of a request", () => {
  const mark = markRequest("acme", request);

  it("is the same for the same request, whether its body is text or bytes", () => {
    assert.deepEqual(markRequest("acme", { ...request, body: Buffer.from("{}") }), mark);
  });

  it("has another fingerprint for another operation, other options or another body", () => {
    for (const change of [{ operation: "PUT" }, { writeOptions: "lenient" }, { body: "[]" }]) {
      const other = markRequest("acme", { ...request, ...change });
      assert.deepEqual(other.keyHash, mark.keyHash);
      assert.notDeepEqual(other.fingerprint, mark.fingerprint);
    }
  });

  it("has another key hash for another key or organization, and the same fingerprint", () => {
    const others = [
      markRequest("other", request),
      markRequest("acme", { ...request, idempotencyKey: "another" }),
    ];
    for (const other of others) {
      assert.notDeepEqual(other.keyHash, mark.keyHash);
      assert.deepEqual(other.fingerprint, mark.fingerprint);
    }
  });

  it("is the same where the body is hashed elsewhere", () => {
    // SHA-256 of "{}".
    const hash = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
    assert.deepEqual(fingerprintOf(contextOf(request), hash), mark.fingerprint);
  });
});

describe("keys in flight", () => {
  const [key, other] = [Buffer.from("one"), Buffer.from("other")];

  it("refuse a second request with the same key, and run others", async () => {
    const keys = new InFlightKeys();
    const first = Promise.withResolvers<string>();
    const running = keys.run(key, () => first.promise);
    await assert.rejects(
      keys.run(Buffer.from("one"), () => Promise.resolve("second")),
      { errorName: "idempotency_in_flight", retryAfterSeconds: 1 },
    );
    assert.equal(await keys.run(other, () => Promise.resolve("other")), "other");
    assert.equal(await keys.run(undefined, () => Promise.resolve("none")), "none");
    first.resolve("first");
    assert.equal(await running, "first");
    assert.equal(await keys.run(key, () => Promise.resolve("later")), "later");
  });
});
