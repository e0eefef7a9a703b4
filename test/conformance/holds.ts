// Legal holds: nothing that is held is erased or changed, and what waits for a hold says so.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../src/domain/limits.ts";
import { type Engine, openSite } from "./engine.ts";
import {
  acme,
  add,
  carryOutAll,
  claim,
  deletionOf,
  draftOf,
  exists,
  finish,
  keyOf,
  operator,
  other,
  payloadsOf,
  request,
  requireSound,
  transaction,
  worker,
  write,
} from "./scene.ts";

export function testHolds(engine: Engine): void {
  describe(`${engine.name}: a hold`, () => {
    it("is placed once, listed, and released", async (test) => {
      const { store } = await openSite(engine, test);
      const key = keyOf("transaction", "t");
      assert.equal(await store.placeHold(key, "a case", operator), "no_such_record");
      await add(store, "transaction", "t");
      await write(store, transaction("t"), { organizationId: other });
      const hold = { ...key, reason: "a case", placedAt: operator.now, placedBy: "operator" };
      assert.deepEqual(await store.placeHold(key, "a case", operator), hold);
      const again = await store.placeHold(key, "another", { actor: "someone", now: 5 });
      assert.deepEqual(again, hold);
      await store.placeHold({ ...key, organizationId: other }, "theirs", worker);
      assert.deepEqual(await store.listHolds(acme), [hold]);
      assert.equal((await store.listHolds(undefined)).length, 2);
      assert.deepEqual(await store.releaseHold(key, operator), hold);
      assert.equal(await store.releaseHold(key, operator), undefined);
      assert.deepEqual(await store.listHolds(acme), []);
    });

    it("does not keep a record from being written", async (test) => {
      const { store } = await openSite(engine, test);
      await add(store, "transaction", "t");
      await store.placeHold(keyOf("transaction", "t"), "a case", operator);
      const update = { mode: "update" } as const;
      assert.deepEqual((await write(store, transaction("t"), update)).drafts, ["updated"]);
    });

    it("keeps a deletion waiting, visibly, until the release", async (test) => {
      const { store } = await openSite(engine, test);
      const key = keyOf("transaction", "t");
      await add(store, "transaction", "t");
      await store.placeHold(key, "a case", operator);
      const id = (await request(store, key)) ?? "";
      assert.equal(await claim(store), undefined);
      const waiting = await deletionOf(store, id);
      assert.equal(waiting.status, "pending");
      assert.equal(waiting.waitingFor, "a hold on transaction t");
      assert.ok((waiting.nextAttemptAt ?? 0) > worker.now);
      const figures = await store.deletionFigures(worker.now);
      // One long hold must not hide, nor look like, a deletion that is stuck.
      assert.deepEqual([figures.held, figures.oldestDueAt], [1, undefined]);
      assert.equal(await claim(store, waiting.nextAttemptAt), undefined);
      await store.releaseHold(key, operator);
      const claimed = await claim(store);
      assert.equal(claimed?.waitingFor, undefined);
      assert.equal((await store.deletionFigures(worker.now)).held, 0);
      await finish(store, id);
      assert.equal(await exists(store, key), false);
    });

    it("on anything that goes along, or stays without its reference, is as good", async (test) => {
      const { store } = await openSite(engine, test);
      for (const id of ["t", "stays"]) await add(store, "transaction", id);
      await add(store, "transaction_check", "c", { related_tx_ids: ["t"] });
      await add(store, "transaction_alert", "a", { related_tx_ids: ["t", "stays"] });
      const id = (await request(store, keyOf("transaction", "t"))) ?? "";
      for (const key of [keyOf("transaction_check", "c"), keyOf("transaction_alert", "a")]) {
        await store.placeHold(key, "a case", operator);
        assert.deepEqual(await carryOutAll(store), []);
        const { waitingFor } = await deletionOf(store, id);
        assert.equal(waitingFor, `a hold on ${key.resourceType} ${key.resourceId}`);
        await store.releaseHold(key, operator);
      }
      assert.equal((await carryOutAll(store)).length, 1);
      await requireSound(store);
    });

    it("on one record keeps no other deletion waiting", async (test) => {
      const { store } = await openSite(engine, test);
      for (let count = 0; count < 70; count += 1) {
        const id = `t${count}`;
        await add(store, "transaction", id);
        await request(store, keyOf("transaction", id), { now: count });
        if (count < 69) await store.placeHold(keyOf("transaction", id), "a case", operator);
      }
      const rounds = [await claim(store), await claim(store), await claim(store)];
      assert.deepEqual(
        rounds.flatMap((deletion) => deletion?.resourceId ?? []),
        ["t69"],
      );
      assert.equal((await store.deletionFigures(worker.now)).held, 69);
      // Nor does it when all of them are tried again at the same time.
      await add(store, "transaction", "new");
      await request(store, keyOf("transaction", "new"), { now: worker.now });
      const later = worker.now + 2 * limits.heldDeletionRetryMs;
      assert.equal((await claim(store, later))?.resourceId, "new");
    });

    it("comes too late for what is being erased", async (test) => {
      const { store } = await openSite(engine, test);
      for (const id of ["t", "stays"]) await add(store, "transaction", id);
      await add(store, "transaction_check", "c", { related_tx_ids: ["t"] });
      await add(store, "transaction_alert", "a", { related_tx_ids: ["t", "stays"] });
      const id = (await request(store, keyOf("transaction", "t"))) ?? "";
      await claim(store);
      const late = [
        keyOf("transaction", "t"),
        keyOf("transaction_check", "c"),
        keyOf("transaction_alert", "a"),
      ];
      for (const key of late) {
        assert.equal(await store.placeHold(key, "a case", operator), "being_erased");
      }
      assert.equal(
        typeof (await store.placeHold(keyOf("transaction", "stays"), "", operator)),
        "object",
      );
      await finish(store, id);
      assert.equal(
        typeof (await store.placeHold(keyOf("transaction_alert", "a"), "", operator)),
        "object",
      );
      assert.equal(
        await store.placeHold(keyOf("transaction", "t"), "", operator),
        "no_such_record",
      );
    });

    it("on what arrived during the erasure keeps it from completing, visibly", async (test) => {
      const { store } = await openSite(engine, test);
      await add(store, "transaction", "t");
      const id = (await request(store, keyOf("transaction", "t"))) ?? "";
      await claim(store);
      await add(store, "screening", "late", { related_tx_id: "t" });
      const late = keyOf("screening", "late");
      await store.placeHold(late, "a case", operator);
      while (!(await store.eraseStep(id, 5, worker)).done);
      await assert.rejects(store.completeDeletion(id, worker), /hold on screening late/);
      assert.equal((await deletionOf(store, id)).waitingFor, "a hold on screening late");
      assert.equal((await store.deletionFigures(worker.now)).held, 1);
      assert.equal((await payloadsOf(store, late))[0]?.["related_tx_id"], "t");
      await store.postponeDeletion(id, "it waits", worker.now + 60_000);
      assert.equal(await claim(store), undefined);
      await store.releaseHold(late, operator);
      assert.equal((await claim(store))?.deletionRequestId, id);
      await finish(store, id);
      assert.equal(await exists(store, late), false);
      assert.deepEqual(
        (await write(store, draftOf("screening", "late"), { resourceType: "screening" })).drafts,
        ["created"],
      );
      await requireSound(store);
    });
  });
}
