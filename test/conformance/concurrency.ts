// Many concurrent writes: they share commits, each is evaluated separately, and races have one
// winner.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../../src/domain/error.ts";
import type { GroupFigures } from "../../src/store/interface/store.ts";
import { type Engine, openSite } from "./engine.ts";
import {
  acme,
  draftOf,
  keyOf,
  mark,
  newKey,
  newToken,
  operator,
  organization,
  transaction,
} from "./scene.ts";

export function testConcurrency(engine: Engine): void {
  describe(`${engine.name}: many concurrent writes`, () => {
    it("share commits, and each of them is answered", async (test) => {
      const groups: GroupFigures[] = [];
      const site = await openSite(engine, test, { onGroup: (figures) => groups.push(figures) });
      groups.length = 0;
      const writes = Array.from({ length: 500 }, (_, index) =>
        site.store.write(transaction(`tx ${index}`)),
      );
      for (const outcome of await Promise.all(writes)) {
        assert.deepEqual(outcome, { written: 1, drafts: ["created"] });
      }
      assert.equal(
        groups.reduce((sum, group) => sum + group.writes, 0),
        500,
      );
      assert.ok(groups.length <= 50, `${groups.length} groups`);
      assert.ok(groups.every(({ seconds }) => seconds > 0));
      assert.deepEqual(await site.store.countRecords(acme), { transaction: 500 });
    });

    it("that add the same record create it once", async (test) => {
      const { store } = await openSite(engine, test);
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          store.write(transaction("wanted", { amount: index % 2 })),
        ),
      );
      const results = outcomes.map(({ drafts }) => drafts[0]);
      assert.equal(results.filter((result) => result === "created").length, 1);
      assert.equal(results.filter((result) => result === "identical_record_exists").length, 49);
      assert.equal(results.filter((result) => result === "record_exists").length, 50);
      assert.equal((await store.changesOf(keyOf("transaction", "wanted"))).length, 1);
    });

    it("are applied in order of arrival", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("transaction", "counted", { amount: -1 });
      const amounts = Array.from({ length: 200 }, (_, index) => index);
      const outcomes = await Promise.all(
        amounts.map((amount) =>
          store.write(transaction("counted", { amount }), { mode: "update" }),
        ),
      );
      assert.ok(outcomes.every(({ drafts }) => drafts[0] === "updated"));
      const stored = await store.changesOf(keyOf("transaction", "counted"));
      assert.deepEqual(
        stored.map(({ payload }) => (JSON.parse(payload) as { amount: number }).amount),
        [-1, ...amounts],
      );
    });

    it("are evaluated one by one: refused and failing ones do not affect the others", async (test) => {
      const { store } = await openSite(engine, test);
      await store.write(transaction("used"), { idempotency: mark("used", "this") });
      const faulty = { ...transaction("faulty"), payload: null as unknown as string };
      const results = await Promise.allSettled([
        store.write(transaction("a")),
        store.write([transaction("b"), transaction("used"), transaction("c")]),
        store.write(transaction("d"), { idempotency: mark("used", "that") }),
        store.write(faulty),
        store.write(transaction("a")),
        store.write([transaction("b"), transaction("c")]),
        store.request(keyOf("transaction", "used")),
        store.write(transaction("used"), { mode: "update" }),
      ]);
      assert.deepEqual(
        results.map((result) => {
          if (result.status === "fulfilled") return result.value;
          return result.reason instanceof AppError ? result.reason.errorName : "fault";
        }),
        [
          { written: 1, drafts: ["created"] },
          { written: 0, drafts: ["created", "identical_record_exists", "created"] },
          "idempotency_reused",
          "fault",
          { written: 0, drafts: ["identical_record_exists"] },
          { written: 2, drafts: ["created", "created"] },
          (await store.listDeletions({ limit: 1 }))[0]?.deletionRequestId,
          { written: 0, drafts: ["deletion_open"] },
        ],
      );
      assert.deepEqual(await store.countRecords(acme), { transaction: 4 });
    });

    it("of every kind are committed together", async (test) => {
      const { store } = await openSite(engine, test);
      await store.createOrganization(organization(acme), operator);
      await store.createKey(newKey("key_1"), operator);
      await Promise.all(
        Array.from({ length: 60 }, async (_, index) => {
          await Promise.all([
            store.createToken(newToken(`token ${index}`)),
            store.write(transaction(`tx ${index}`)),
            store.write([draftOf("person", `p ${index}`), draftOf("person", `q ${index}`)], {
              resourceType: "person",
            }),
          ]);
          await store.request(keyOf("transaction", `tx ${index}`));
        }),
      );
      assert.deepEqual(await store.countRecords(acme), { person: 120, transaction: 60 });
      assert.equal((await store.listDeletions({ limit: 100 })).length, 60);
    });
  });

  describe(`${engine.name}: closing`, () => {
    it("finishes what was accepted and accepts nothing more", async (test) => {
      const site = await openSite(engine, test);
      const accepted = Array.from({ length: 100 }, (_, index) =>
        site.store.write(transaction(`tx ${index}`)),
      );
      const closed = site.store.close();
      await assert.rejects(site.store.write(transaction("late")), { errorName: "unavailable" });
      await closed;
      for (const outcome of await Promise.all(accepted)) assert.equal(outcome.written, 1);
      const reopened = await site.reopen();
      assert.deepEqual(await reopened.countRecords(acme), { transaction: 100 });
    });

    it("can be requested twice", async (test) => {
      const site = await openSite(engine, test);
      await Promise.all([site.store.close(), site.store.close()]);
      await site.store.close();
    });
  });
}
