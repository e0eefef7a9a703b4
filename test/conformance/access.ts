// Organizations, keys and tokens: creation, lookup, changes and revocation, and that every change of a right can be
// noticed. Another organization's data is never read, changed or revealed by any method that names an organization.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Store } from "../../src/store/interface/store.ts";
import { type Engine, openSite, useSite } from "./engine.ts";
import {
  acme,
  asStored,
  bytesOf,
  draftOf,
  keyOf,
  newKey,
  newToken,
  operator,
  organization,
  other,
  transaction,
} from "./scene.ts";
import { makeTestSeal } from "../support/seal.ts";
import type { TestStore } from "../support/test-store.ts";

export function testAccess(engine: Engine): void {
  describe(`${engine.name}: organizations`, () => {
    it("are created once, found, listed and changed", async (test) => {
      const { store } = await openSite(engine, test);
      const first = organization(acme, { strictScopes: true, rateLimitPerSecond: 0 });
      const second = organization(other, { createdAt: 50, deletionGraceSeconds: 3_600 });
      assert.equal(await store.createOrganization(first, operator), true);
      assert.equal(await store.createOrganization(second, operator), true);
      assert.equal(
        await store.createOrganization(organization(acme, { name: "Taken" }), operator),
        false,
      );
      assert.deepEqual(await store.findOrganization(acme), first);
      assert.equal(await store.findOrganization("org_unknown"), undefined);
      assert.deepEqual(await store.listOrganizations(), [second, first]);

      const change = { name: "New", strictScopes: false, deletionGraceSeconds: 5 };
      const changed = { ...first, ...change };
      assert.deepEqual(await store.changeOrganization(acme, change, operator), changed);
      for (const rateLimitPerSecond of [7, null]) {
        const expected = { ...changed, rateLimitPerSecond: rateLimitPerSecond ?? undefined };
        const result = await store.changeOrganization(acme, { rateLimitPerSecond }, operator);
        assert.deepEqual(result, expected);
        assert.deepEqual(await store.findOrganization(acme), expected);
      }
      assert.deepEqual(await store.findOrganization(other), second);
      assert.equal(await store.changeOrganization("org_unknown", change, operator), undefined);
    });
  });

  describe(`${engine.name}: keys`, () => {
    const site = useSite(engine);
    let store: Store;
    before(async () => {
      store = site().store;
      await store.createOrganization(organization(acme), operator);
      await store.createOrganization(organization(other), operator);
    });

    it("are found by the hash of their secret, with their organization", async () => {
      const key = newKey("key_1", { expiresAt: 5_000 });
      await store.createKey(key, operator);
      const stored = asStored(key);
      assert.deepEqual(await store.findKey("key_1"), stored);
      assert.deepEqual(await store.findKeyBySecret(key.secretHash), {
        key: stored,
        organization: organization(acme),
      });
      assert.equal(await store.findKeyBySecret(bytesOf("unknown")), undefined);
      assert.equal(await store.findKey("key_unknown"), undefined);
    });

    it("are not created for an unknown organization, nor with a secret that is in use", async () => {
      await assert.rejects(
        store.createKey(newKey("key_x", { organizationId: "org_unknown" }), operator),
      );
      await assert.rejects(
        store.createKey(newKey("key_y", { secretHash: bytesOf("key_1") }), operator),
      );
      assert.equal(await store.findKey("key_x"), undefined);
      assert.equal(await store.findKey("key_y"), undefined);
    });

    it("are listed by organization", async () => {
      await store.createKey(newKey("key_2", { organizationId: other }), operator);
      await store.createKey(newKey("key_3", { createdAt: 1 }), operator);
      const idsOf = async (organizationId?: string) =>
        (await store.listKeys(organizationId)).map(({ keyId }) => keyId);
      assert.deepEqual(await idsOf(acme), ["key_3", "key_1"]);
      assert.deepEqual(await idsOf(), ["key_3", "key_1", "key_2"]);
      assert.deepEqual(await idsOf("org_unknown"), []);
    });

    it("keep the time of the first revocation", async () => {
      assert.equal((await store.revokeKey("key_2", operator))?.revokedAt, operator.now);
      const later = { ...operator, now: operator.now + 9 };
      assert.equal((await store.revokeKey("key_2", later))?.revokedAt, operator.now);
      assert.equal((await store.findKey("key_1"))?.revokedAt, undefined);
      assert.equal(await store.revokeKey("key_unknown", operator), undefined);
    });

    it("are replaced in one step, which never extends the life of the old key", async () => {
      const old = await store.rotateKey("key_3", newKey("key_4"), 800, operator);
      assert.equal(old?.keyId, "key_3");
      assert.equal(old?.expiresAt, 800);
      assert.deepEqual(await store.findKey("key_4"), asStored(newKey("key_4")));
      assert.equal(
        (await store.rotateKey("key_3", newKey("key_5"), 900, operator))?.expiresAt,
        800,
      );
      assert.equal(await store.rotateKey("key_unknown", newKey("key_6"), 1, operator), undefined);
      assert.equal(await store.findKey("key_6"), undefined);
      await assert.rejects(store.rotateKey("key_1", newKey("key_4"), 100, operator));
      assert.equal((await store.findKey("key_1"))?.expiresAt, 5_000);
    });
  });

  testTokens(engine);
}

function testTokens(engine: Engine): void {
  describe(`${engine.name}: tokens`, () => {
    const site = useSite(engine);
    let store: Store;
    before(async () => {
      store = site().store;
      await store.createOrganization(organization(acme), operator);
      await store.createKey(newKey("key_1"), operator);
    });

    it("are found with their key and organization, and record when the key was used", async () => {
      const { tokenHash, ...token } = newToken("token");
      assert.equal(await store.findCaller(tokenHash), undefined);
      await store.createToken({ tokenHash, ...token });
      assert.deepEqual(await store.findCaller(tokenHash), {
        token,
        key: { ...asStored(newKey("key_1")), lastUsedAt: token.createdAt },
        organization: organization(acme),
      });
    });

    it("reflect the current state of their key and organization", async () => {
      await store.changeOrganization(acme, { strictScopes: true }, operator);
      await store.revokeKey("key_1", operator);
      const caller = await store.findCaller(bytesOf("token"));
      assert.equal(caller?.organization.strictScopes, true);
      assert.equal(caller?.key.revokedAt, operator.now);
    });
  });

  describe(`${engine.name}: rules in place of keys`, () => {
    const site = useSite(engine);
    const rule = newKey("idn_1", { rule: { keys: [{ kty: "RSA" }] } });
    before(async () => {
      const { store } = site();
      await store.createOrganization(organization(acme), operator);
      await store.createKey(newKey("key_1"), operator);
      await store.createKey(rule, operator);
    });

    it("are kept apart from keys", async () => {
      const { store } = site();
      assert.deepEqual(await store.findKey("idn_1"), asStored(rule));
      assert.deepEqual(await store.listKeys(acme), [asStored(newKey("key_1"))]);
    });

    it("issue tokens that name to whom", async () => {
      const { store } = site();
      const { tokenHash, ...token } = newToken("named", { keyId: "idn_1", subject: "intake" });
      assert.equal(await store.createToken({ tokenHash, ...token }), true);
      const caller = await store.findCaller(tokenHash);
      assert.deepEqual(caller?.token, token);
      assert.deepEqual(caller?.key.rule, rule.rule);
    });

    it("let one of several processes use what can be used once", async () => {
      const { store } = site();
      const beside = await site().openAnother();
      const usedOnce = { tokenHash: bytesOf("jti"), expiresAt: 1_000 };
      const attempts = Array.from({ length: 8 }, (_, index) => {
        const token = newToken(`once ${index}`, { keyId: "idn_1", subject: "intake", usedOnce });
        return (index % 2 === 0 ? store : beside).createToken(token);
      });
      const results = await Promise.all(attempts);
      assert.equal(results.filter(Boolean).length, 1);
      const hashes = results.map((_, index) => bytesOf(`once ${index}`));
      const stored = await Promise.all(hashes.map((hash) => store.findCaller(hash)));
      assert.deepEqual(
        stored.map((caller) => caller !== undefined),
        results,
      );
    });

    it("remember a use until it ends", async () => {
      const { store } = site();
      const use = (name: string) => {
        const usedOnce = { tokenHash: bytesOf("jti"), expiresAt: 1_000 };
        return store.createToken(newToken(name, { keyId: "idn_1", usedOnce }));
      };
      await store.purgeExpired(999);
      assert.equal(await use("too soon"), false);
      await store.purgeExpired(1_000);
      assert.equal(await use("after"), true);
    });
  });

  describe(`${engine.name}: the credentials version`, () => {
    it("changes with every change of a right, and with nothing else", async (test) => {
      const site = await openSite(engine, test);
      const { store } = site;
      const beside = await site.openAnother();
      let seen = await store.credentialsVersion();
      async function moves(act: () => Promise<unknown>): Promise<boolean> {
        await act();
        const version = await store.credentialsVersion();
        assert.equal(await beside.credentialsVersion(), version);
        const moved = version !== seen;
        seen = version;
        return moved;
      }
      assert.ok(await moves(() => beside.createOrganization(organization(acme), operator)));
      assert.ok(await moves(() => beside.createKey(newKey("key_1"), operator)));
      assert.ok(await moves(() => beside.changeOrganization(acme, { name: "New" }, operator)));
      assert.ok(await moves(() => beside.rotateKey("key_1", newKey("key_2"), 500, operator)));
      assert.ok(await moves(() => beside.revokeKey("key_2", operator)));
      assert.ok(await moves(() => store.revokeKey("key_1", operator)));
      assert.equal(await moves(() => store.createToken(newToken("token"))), false);
      assert.equal(await moves(() => beside.revokeKey("key_2", operator)), false);
      assert.equal(
        await moves(() => beside.createOrganization(organization(acme), operator)),
        false,
      );
    });
  });
}

export function testIsolation(engine: Engine): void {
  describe(`${engine.name}: another organization's data`, () => {
    const site = useSite(engine, { sealReceipt: makeTestSeal() });
    let store: TestStore;
    const theirs = keyOf("transaction", "t", other);
    before(async () => {
      store = site().store;
      for (const id of [acme, other]) {
        await store.createOrganization(organization(id), operator);
        await store.createKey(newKey(`key of ${id}`, { organizationId: id }), operator);
      }
      await store.add("transaction", "t");
      await store.add("transaction_check", "c", { related_tx_ids: ["t"] });
    });

    it("is not read", async () => {
      assert.equal(await store.findRecord(theirs), undefined);
      assert.equal(await store.readHistory(theirs), undefined);
      assert.deepEqual(await store.countRecords(other), {});
      assert.deepEqual(
        (await store.listKeys(acme)).map(({ keyId }) => keyId),
        [`key of ${acme}`],
      );
    });

    it("does not conflict with the same ids", async () => {
      const options = { organizationId: other };
      assert.deepEqual(
        (await store.write(transaction("t"), { ...options, mode: "update" })).drafts,
        ["no_such_record"],
      );
      assert.deepEqual((await store.write(transaction("t"), options)).drafts, ["created"]);
      const check = draftOf("transaction_check", "c", { related_tx_ids: ["t"] });
      const resourceType = "transaction_check";
      assert.deepEqual((await store.write(check, { ...options, resourceType })).drafts, [
        "created",
      ]);
      assert.equal((await store.changesOf(keyOf("transaction", "t"))).length, 1);
    });

    it("can't be held or deleted, and its deletions can't be seen", async () => {
      const onlyMine = keyOf("person", "mine");
      await store.add("person", "mine");
      const foreign = { ...onlyMine, organizationId: other };
      assert.equal(await store.tryRequest(foreign), undefined);
      assert.equal(await store.hold(foreign), "no_such_record");
      await store.hold(onlyMine);
      assert.deepEqual(await store.holds.list({ organizationId: other, limit: 10 }), []);
      assert.equal(await store.release(foreign), 0);
      const deletion = await store.request(onlyMine);
      assert.equal(await store.findDeletion(deletion, other), undefined);
      assert.equal((await store.findDeletion(deletion, acme))?.resourceId, "mine");
      assert.deepEqual(await store.listDeletions({ organizationId: other, limit: 10 }), []);
      assert.deepEqual((await store.listDeletions({ organizationId: acme, limit: 10 })).length, 1);
      await store.release(onlyMine);
      await store.processAll();
      assert.equal(await store.findReceipt(deletion, other), undefined);
      assert.equal((await store.findReceipt(deletion, acme))?.organization_id, acme);
    });

    it("stays complete when the same ids are erased in this organization", async () => {
      await store.request(keyOf("transaction", "t"));
      await store.processAll();
      assert.equal(await store.exists(keyOf("transaction_check", "c")), false);
      assert.equal(await store.exists(theirs), true);
      assert.deepEqual(
        (await store.payloadsOf(keyOf("transaction_check", "c", other))).map(
          ({ related_tx_ids }) => related_tx_ids,
        ),
        [["t"]],
      );
    });

    it("can be written while the same id is being deleted in this organization", async () => {
      await store.add("transaction", "t");
      await store.request(keyOf("transaction", "t"));
      const update = { mode: "update" } as const;
      assert.deepEqual((await store.write(transaction("t"), update)).drafts, ["deletion_open"]);
      assert.deepEqual(
        (await store.write(transaction("t"), { ...update, organizationId: other })).drafts,
        ["updated"],
      );
    });
  });
}
