// Upkeep of a store: readiness, purging, the audit trail, and its own check.

import assert from "node:assert/strict";
import { hash as digest } from "node:crypto";
import { describe, it } from "node:test";
import { dayMs } from "../../src/basics/duration.ts";
import { limits } from "../../src/domain/limits.ts";
import { proposalDays } from "../../src/domain/proposal.ts";
import { type Engine, openSite, openAcme } from "./engine.ts";
import {
  acme,
  bytesOf,
  keyOf,
  mark,
  newKey,
  newToken,
  operator,
  organization,
  transaction,
} from "./scene.ts";
import type { TestStore } from "../support/test-store.ts";

export function testUpkeep(engine: Engine): void {
  describe(`${engine.name}: a store`, () => {
    it("responds while it is open, and not after", async (test) => {
      const { store } = await openSite(engine, test);
      await store.ping();
      await store.close();
      await assert.rejects(store.ping());
      await assert.rejects(store.findRecord(keyOf("transaction", "t")));
    });

    it("knows the last time at which the clock was trusted: it only goes forward, unless it is confirmed", async (test) => {
      const { store } = await openSite(engine, test);
      const trusted = async () => (await store.clock.read()).trustedAt;
      await store.clock.confirm(undefined, { ...operator, now: 5_000 });
      await store.clock.move(7_000);
      await store.clock.move(6_000);
      assert.equal(await trusted(), 7_000);
      await store.clock.confirm(7_000, { ...operator, now: 4_000 });
      assert.deepEqual(await store.clock.read(), {
        trustedAt: 4_000,
        trustedNo: 1,
        notedAt: 4_000,
      });
      await store.clock.move(7_000);
      const moved = { trustedAt: 7_000, trustedNo: 2, notedAt: undefined };
      assert.deepEqual(await store.clock.read(), moved);
      await store.clock.move(5_000, true);
      assert.equal(await trusted(), 5_000);
      await store.requireConsistent();
    });

    it("can be asked whether it accepts writes, which changes nothing, and not after it is closed", async (test) => {
      const { store } = await openSite(engine, test);
      await store.write(transaction("t"));
      const before = await store.latestArrival();
      for (let count = 0; count < 3; count += 1) await store.probeWrite();
      assert.equal(await store.latestArrival(), before);
      assert.deepEqual(await store.countRecords(acme), { transaction: 1 });
      await store.requireConsistent();
      await store.close();
      await assert.rejects(store.probeWrite());
    });

    it("retires a key of receipts once, when another one replaces it, and no other key", async (test) => {
      const { store } = await openSite(engine, test);
      const before = await store.trail.head();
      const keep = (at: number, replaced?: string) => {
        const key = { keyId: `k${at}`, publicKey: "x", createdAt: at, retiredAt: undefined };
        const retired = replaced === undefined ? undefined : { keyId: replaced, retiredAt: at + 1 };
        return store.keepReceiptKey(key, { retired }, { ...operator, now: at });
      };
      await keep(1_000);
      await keep(2_000);
      await keep(3_000, "k1000");
      await keep(4_000, "k3000");
      await keep(5_000, "k1000");
      assert.deepEqual(
        (await store.listReceiptKeys()).map(({ keyId, retiredAt }) => [keyId, retiredAt]),
        [
          ["k1000", 3_001],
          ["k2000", undefined],
          ["k3000", 4_001],
          ["k4000", undefined],
          ["k5000", undefined],
        ],
      );
      const retired = (await store.listAudit(before.no, 10)).filter(
        ({ action }) => action === "receipt_key.retire",
      );
      assert.deepEqual(
        retired.map(({ subject }) => subject),
        ["k1000", "k3000"],
      );
    });
  });

  describe(`${engine.name}: purging`, () => {
    it("removes tokens some time after they expired, and only those", async (test) => {
      const { store } = await openAcme(engine, test);
      await store.createKey(newKey("key_1"), operator);
      await store.createToken(newToken("early", { expiresAt: 1_000 }));
      await store.createToken(newToken("late", { expiresAt: 2_000 }));
      await store.purgeExpired(1_000 + limits.expiredTokensKeptMs);
      assert.ok(await store.findCaller(bytesOf("early")));
      await store.purgeExpired(1_001 + limits.expiredTokensKeptMs);
      assert.equal(await store.findCaller(bytesOf("early")), undefined);
      assert.ok(await store.findCaller(bytesOf("late")));
    });

    it("removes a bounded number at a time, and says when there may be more", async (test) => {
      const { store } = await openAcme(engine, test);
      await store.createKey(newKey("key_1"), operator);
      const names = Array.from({ length: 1_001 }, (_, at) => `token ${at}`);
      // One after another: a thousand at once wait so long for a connection that a busy machine refuses some.
      for (const name of names) await store.createToken(newToken(name, { expiresAt: 1_000 }));
      const late = 1_001 + limits.expiredTokensKeptMs;
      assert.equal(await store.purgeExpired(late), true);
      let left = 0;
      for (const name of names) if (await store.findCaller(bytesOf(name))) left += 1;
      assert.equal(left, 1);
      assert.equal(await store.purgeExpired(late), false);
    });

    it("lets what was stored by a clock that was ahead last as long as it was meant to", async (test) => {
      const { store } = await openSite(engine, test);
      const [now, ahead] = [5_000, 10 * 365 * dayMs];
      const late = { ...operator, now: ahead };
      await store.createOrganization(organization(acme), operator);
      await store.changeOrganization(acme, { deletionApproval: true }, operator);
      await store.createKey(newKey("key_1"), operator);
      const successor = newKey("key_2", { createdAt: ahead, expiresAt: ahead + 700 });
      await store.rotateKey("key_1", successor, ahead + 500, late);
      await store.createToken(newToken("token", { expiresAt: ahead }));
      await store.write(transaction("t"), { receivedAt: ahead, idempotency: mark("one") });
      await store.changeOrganization(
        acme,
        { deletionApproval: false },
        { ...late, proposalId: "prp" },
      );
      await store.purgeExpired(now);
      const keys = await store.listKeys(acme);
      assert.deepEqual(
        keys.map(({ keyId, expiresAt }) => [keyId, expiresAt]),
        [
          ["key_1", now + 500],
          ["key_2", now + 700],
        ],
      );
      assert.equal(await store.findCaller(bytesOf("token")), undefined);
      const [proposal] = await store.proposals.list({ limit: 1 });
      assert.equal(proposal?.expiresAt, now + proposalDays * dayMs);
      await store.purgeExpired(now + limits.idempotencyKeptMs + 1);
      await store.write(transaction("u"), { idempotency: mark("one", "another") });
    });

    it("removes expired stored outcomes, and only those", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("transaction", "t");
      const update = { mode: "update", receivedAt: 1_000 } as const;
      for (const name of ["one", "two"]) {
        const receivedAt = name === "one" ? 1_000 : 3_000;
        await store.write(transaction("t"), { ...update, receivedAt, idempotency: mark(name) });
      }
      await store.purgeExpired(2_000 + limits.idempotencyKeptMs);
      // Read as if no time had passed, so that only the purge can have removed it.
      const reused = { errorName: "idempotency_reused" };
      const another = { ...update, idempotency: mark("two", "another") };
      await assert.rejects(store.write(transaction("t"), another), reused);
      const repeated = { ...update, idempotency: mark("one", "another") };
      assert.deepEqual((await store.write(transaction("t"), repeated)).drafts, ["updated"]);
    });
  });

  testAudit(engine);
}

/** One of every act that the trail records. */
async function live(store: TestStore): Promise<void> {
  const key = keyOf("transaction", "secret-id");
  await store.createOrganization(organization(acme), operator);
  await store.changeOrganization(acme, { name: "New" }, operator);
  await store.createKey(newKey("key_1"), operator);
  await store.rotateKey("key_1", newKey("key_2"), 500, operator);
  await store.revokeKey("key_2", operator);
  await store.add("transaction", "secret-id", { sender_id: "secret-sender" });
  await store.hold(key);
  await store.release(key);
  await store.request(key, { deletionRequestId: "del_c", reason: "secret-reason" });
  await store.cancelDeletion("del_c", operator);
  await store.request(key, { deletionRequestId: "del_d" });
  await store.processAll();
}

function testAudit(engine: Engine): void {
  describe(`${engine.name}: the audit trail`, () => {
    it("records every act in order, with its actor and object, and never record content", async (test) => {
      const { store } = await openSite(engine, test);
      await live(store);
      const entries = await store.listAudit(0, 100);
      assert.deepEqual(
        entries.map(({ action, actor }) => `${action} by ${actor}`),
        [
          "organization.create by operator",
          "organization.change by operator",
          "key.create by operator",
          "key.rotate by operator",
          "key.revoke by operator",
          "hold.place by operator",
          "hold.release by operator",
          "deletion.request by key_1",
          "deletion.cancel by operator",
          "deletion.request by key_1",
          "deletion.start by worker",
          "deletion.complete by worker",
        ],
      );
      assert.deepEqual(
        entries.map(({ entryNo }) => entryNo),
        entries.map((_, index) => index + 1),
      );
      assert.ok(entries.every(({ organizationId }) => organizationId === acme));
      assert.equal(entries.at(-1)?.subject, "del_d");
      const named = digest("sha256", `${acme}/transaction/secret-id`);
      assert.equal(entries[5]?.subject, `transaction sha256:${named}`);
      assert.deepEqual(entries.at(-1)?.detail, {});
      assert.doesNotMatch(JSON.stringify(entries), /secret/);
    });

    it("is read in pages, and has no entry for what did not happen", async (test) => {
      const { store } = await openSite(engine, test);
      await live(store);
      const before = await store.listAudit(0, 100);
      await store.createOrganization(organization(acme), operator);
      await store.revokeKey("key_2", operator);
      await store.cancelDeletion("del_d", operator);
      await store.release(keyOf("transaction", "t"));
      await store.tryRequest(keyOf("transaction", "missing"));
      assert.deepEqual(await store.listAudit(0, 100), before);
      assert.deepEqual(await store.listAudit(3, 2), before.slice(3, 5));
      assert.deepEqual(await store.listAudit(100, 2), []);
      assert.equal(new Set(before.map(({ hash }) => hash)).size, before.length);
      assert.match(before[0]?.hash ?? "", /^[0-9a-f]{64}$/);
    });
  });
}
