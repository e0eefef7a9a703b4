// Legal holds: a held record is neither erased nor changed by a deletion, and a deletion that waits
// for a hold says so.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../src/domain/limits.ts";
import type { HoldFilter } from "../../src/store/sql/erase/hold.ts";
import { type Engine, openSite } from "./engine.ts";
import {
  acme,
  add,
  processAll,
  claim,
  deletionOf,
  draftOf,
  exists,
  finish,
  hold,
  keyOf,
  operator,
  other,
  payloadsOf,
  release,
  request,
  requireConsistent,
  transaction,
  worker,
  write,
} from "./scene.ts";
import { completeOne, eraseOne } from "../support/one-deletion.ts";

export function testHolds(engine: Engine): void {
  describe(`${engine.name}: a hold`, () => {
    it("is placed, listed, and released by its id", async (test) => {
      const { store } = await openSite(engine, test);
      const key = keyOf("transaction", "t");
      assert.equal(await hold(store, key), "no_such_record");
      await add(store, "transaction", "t");
      await write(store, transaction("t"), { organizationId: other });
      const wanted = {
        ...key,
        holdId: "hold_a",
        reason: "a case",
        owner: "legal",
        reviewOn: "2026-12-31",
      };
      const placed = { ...wanted, placedAt: operator.now, placedBy: "operator" };
      assert.deepEqual(await store.holds.place(wanted, operator), placed);
      await hold(store, { ...key, organizationId: other }, worker);
      assert.deepEqual(await store.holds.list({ organizationId: acme, limit: 10 }), [placed]);
      assert.deepEqual(await store.holds.find("hold_a"), placed);
      assert.deepEqual(await store.holds.ofRecords([key]), [placed]);
      assert.equal((await store.holds.list({ limit: 10 })).length, 2);
      assert.deepEqual(await store.holds.release("hold_a", operator), placed);
      assert.equal(await store.holds.release("hold_a", operator), undefined);
      assert.deepEqual(await store.holds.list({ organizationId: acme, limit: 10 }), []);
      assert.equal(await store.holds.find("hold_a"), undefined);
    });

    it("is listed by organization, page by page", async (test) => {
      const { store } = await openSite(engine, test);
      await add(store, "transaction", "t");
      await add(store, "person", "p");
      const without = { reason: "a case", owner: undefined };
      const days = ["2026-01-01", "2026-06-30", undefined];
      for (const [index, reviewOn] of days.entries()) {
        const key = keyOf(index === 0 ? "person" : "transaction", index === 0 ? "p" : "t");
        await store.holds.place(
          { ...without, ...key, reviewOn, holdId: `hold_${index}` },
          operator,
        );
      }
      const ids = async (filter: Omit<HoldFilter, "limit">, limit = 10) =>
        (await store.holds.list({ ...filter, limit })).map(({ holdId }) => holdId);
      assert.deepEqual(await ids({}), ["hold_0", "hold_1", "hold_2"]);
      assert.deepEqual(await ids({ organizationId: acme }), ["hold_0", "hold_1", "hold_2"]);
      assert.deepEqual(await ids({}, 2), ["hold_0", "hold_1"]);
      assert.deepEqual(await ids({ after: "hold_1" }), ["hold_2"]);
      assert.deepEqual(await ids({ organizationId: other }), []);
    });

    it("can be one of several: the record is kept while any of them remains", async (test) => {
      const { store } = await openSite(engine, test);
      const key = keyOf("transaction", "t");
      await add(store, "transaction", "t");
      for (let count = 0; count < 3; count += 1) await hold(store, key);
      const holds = await store.holds.ofRecords([key]);
      assert.equal(new Set(holds.map(({ holdId }) => holdId)).size, 3);
      const id = (await request(store, key)) ?? "";
      for (const { holdId } of holds) {
        assert.equal(await claim(store), undefined);
        assert.equal((await deletionOf(store, id)).status, "pending");
        await store.holds.release(holdId, operator);
      }
      const actions = (await store.listAudit(0, 100)).map(({ action }) => action);
      assert.equal(actions.filter((action) => action === "hold.release").length, 3);
      assert.equal((await processAll(store)).length, 1);
      assert.equal(await exists(store, key), false);
      await requireConsistent(store);
    });

    it("is listed with the others of its record, the oldest first", async (test) => {
      const { store } = await openSite(engine, test);
      const keys = [keyOf("transaction", "u"), keyOf("transaction", "t")];
      for (const { resourceId } of keys) await add(store, "transaction", resourceId);
      for (const [index, holdId] of ["hold_b", "hold_c", "hold_a"].entries()) {
        const wanted = { holdId, reason: "a case", owner: undefined, reviewOn: undefined };
        const key = keyOf("transaction", holdId === "hold_c" ? "u" : "t");
        await store.holds.place({ ...key, ...wanted }, { ...operator, now: 1_000 * index });
      }
      const found = await store.holds.ofRecords(keys);
      assert.deepEqual(
        found.map(({ holdId }) => holdId),
        ["hold_c", "hold_b", "hold_a"],
      );
    });

    it("is refused beyond the number that a record can carry", async (test) => {
      const { store } = await openSite(engine, test);
      const key = keyOf("transaction", "t");
      await add(store, "transaction", "t");
      for (let count = 0; count < limits.holdsOfRecordMax; count += 1) await hold(store, key);
      assert.equal(await hold(store, key), "too_many_holds");
      assert.equal(await release(store, key), limits.holdsOfRecordMax);
      assert.equal(typeof (await hold(store, key)), "object");
    });

    it("does not prevent writes to a record", async (test) => {
      const { store } = await openSite(engine, test);
      await add(store, "transaction", "t");
      await hold(store, keyOf("transaction", "t"));
      const update = { mode: "update" } as const;
      assert.deepEqual((await write(store, transaction("t"), update)).drafts, ["updated"]);
    });

    it("keeps a deletion waiting, visibly, until it is released", async (test) => {
      const { store } = await openSite(engine, test);
      const key = keyOf("transaction", "t");
      await add(store, "transaction", "t");
      await hold(store, key);
      const id = (await request(store, key)) ?? "";
      assert.equal(await claim(store), undefined);
      const waiting = await deletionOf(store, id);
      assert.equal(waiting.status, "pending");
      assert.equal(waiting.waitingFor, "a hold on transaction t");
      assert.ok((waiting.nextAttemptAt ?? 0) > worker.now);
      const figures = await store.deletionFigures(worker.now);
      // A long hold must not hide a deletion that is stuck, nor look like one.
      assert.deepEqual([figures.held, figures.oldestDueAt], [1, undefined]);
      assert.equal(await claim(store, waiting.nextAttemptAt), undefined);
      await release(store, key);
      const claimed = await claim(store);
      assert.equal(claimed?.waitingFor, undefined);
      assert.equal((await store.deletionFigures(worker.now)).held, 0);
      await finish(store, id);
      assert.equal(await exists(store, key), false);
    });

    it("has the same effect on any record of the cascade, erased or redacted", async (test) => {
      const { store } = await openSite(engine, test);
      for (const id of ["t", "stays"]) await add(store, "transaction", id);
      await add(store, "transaction_check", "c", { related_tx_ids: ["t"] });
      await add(store, "transaction_alert", "a", { related_tx_ids: ["t", "stays"] });
      const id = (await request(store, keyOf("transaction", "t"))) ?? "";
      for (const key of [keyOf("transaction_check", "c"), keyOf("transaction_alert", "a")]) {
        await hold(store, key);
        assert.deepEqual(await processAll(store), []);
        const { waitingFor } = await deletionOf(store, id);
        assert.equal(waitingFor, `a hold on ${key.resourceType} ${key.resourceId}`);
        await release(store, key);
      }
      assert.equal((await processAll(store)).length, 1);
      await requireConsistent(store);
    });

    it("on one record does not delay other deletions", async (test) => {
      const { store } = await openSite(engine, test);
      for (let count = 0; count < 70; count += 1) {
        const id = `t${count}`;
        await add(store, "transaction", id);
        await request(store, keyOf("transaction", id), { now: count });
        if (count < 69) await hold(store, keyOf("transaction", id));
      }
      const rounds = [await claim(store), await claim(store), await claim(store)];
      assert.deepEqual(
        rounds.flatMap((deletion) => deletion?.resourceId ?? []),
        ["t69"],
      );
      assert.equal((await store.deletionFigures(worker.now)).held, 69);
      // The same applies when all of them are tried again at the same time.
      await add(store, "transaction", "new");
      await request(store, keyOf("transaction", "new"), { now: worker.now });
      const later = worker.now + 2 * limits.heldDeletionRetryMs;
      assert.equal((await claim(store, later))?.resourceId, "new");
    });

    it("has no effect on what is already being erased", async (test) => {
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
        assert.equal(await hold(store, key), "being_erased");
      }
      assert.equal(typeof (await hold(store, keyOf("transaction", "stays"))), "object");
      await finish(store, id);
      assert.equal(typeof (await hold(store, keyOf("transaction_alert", "a"))), "object");
      assert.equal(await hold(store, keyOf("transaction", "t")), "no_such_record");
    });

    it("on a record that arrives during the erasure prevents completion, visibly", async (test) => {
      const { store } = await openSite(engine, test);
      await add(store, "transaction", "t");
      const id = (await request(store, keyOf("transaction", "t"))) ?? "";
      await claim(store);
      await add(store, "screening", "late", { related_tx_id: "t" });
      const late = keyOf("screening", "late");
      await hold(store, late);
      while (!(await eraseOne(store, id, 5, worker)));
      await assert.rejects(completeOne(store, id, worker), /hold on screening late/);
      assert.equal((await deletionOf(store, id)).waitingFor, "a hold on screening late");
      assert.equal((await store.deletionFigures(worker.now)).held, 1);
      assert.equal((await payloadsOf(store, late))[0]?.["related_tx_id"], "t");
      await store.postponeDeletion(id, "it waits", worker.now + 60_000);
      assert.equal(await claim(store), undefined);
      await release(store, late);
      assert.equal((await claim(store))?.deletionRequestId, id);
      await finish(store, id);
      assert.equal(await exists(store, late), false);
      assert.deepEqual(
        (await write(store, draftOf("screening", "late"), { resourceType: "screening" })).drafts,
        ["created"],
      );
      await requireConsistent(store);
    });
  });
}
