// Legal holds: a held record is neither erased nor changed by a deletion, and a deletion that waits
// for a hold says so.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../src/domain/limits.ts";
import { nounOf } from "../../src/domain/record-types.ts";
import type { HoldFilter } from "../../src/store/sql/retention/hold.ts";
import { type Engine, openAcme, openSite } from "./engine.ts";
import { deleteNow } from "./restricted.ts";
import { acme, draftOf, keyOf, operator, other, seen, transaction, worker } from "./scene.ts";

export function testHolds(engine: Engine): void {
  describe(`${engine.name}: a hold`, () => {
    it("is placed, listed, and released by its id", async (test) => {
      const { store } = await openSite(engine, test);
      const key = keyOf("transaction", "t");
      assert.equal(await store.hold(key), "no_such_record");
      await store.add("transaction", "t");
      await store.write(transaction("t"), { organizationId: other });
      const wanted = {
        ...key,
        holdId: "hold_a",
        reason: "a case",
        owner: "legal",
        reviewOn: "2026-12-31",
        endsOn: undefined,
      };
      const placed = { ...wanted, placedAt: operator.now, placedBy: "operator" };
      assert.deepEqual(await store.holds.place(wanted, operator), placed);
      await store.hold({ ...key, organizationId: other }, worker);
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
      await store.add("transaction", "t");
      await store.add("person", "p");
      const without = { owner: undefined, endsOn: undefined };
      const days = ["2026-01-01", "2026-06-30", undefined];
      for (const [index, reviewOn] of days.entries()) {
        const key = keyOf(index === 0 ? "person" : "transaction", index === 0 ? "p" : "t");
        await store.holds.place(
          { ...without, ...key, reason: `case ${index}`, reviewOn, holdId: `hold_${index}` },
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

    it("in a restricted set is listed beside those of any organization, in the order of ids", async (test) => {
      const { store } = await openAcme(engine, test);
      await store.add("person", "p", seen(2));
      await store.add("customer_sar", "s", { ...seen(2), related_person_id: "p" });
      await store.add("transaction", "t", seen(2));
      const texts = { owner: undefined, reviewOn: undefined, endsOn: undefined };
      for (const [holdId, type, id] of [
        ["hold_2", "customer_sar", "s"],
        ["hold_1", "transaction", "t"],
        ["hold_3", "transaction", "t"],
      ] as const) {
        await store.holds.place({ ...texts, ...keyOf(type, id), reason: holdId, holdId }, operator);
      }
      const { set } = await deleteNow(store, ["person", "p"]);
      const ids = async (filter: Omit<HoldFilter, "limit">, limit = 10) =>
        (await store.holds.list({ ...filter, limit })).map(({ holdId }) => holdId);
      const [organizationId, restricted] = [acme, true];
      assert.deepEqual(await ids({ organizationId }), ["hold_1", "hold_3"]);
      assert.deepEqual(await ids({ organizationId, restricted }), ["hold_1", "hold_2", "hold_3"]);
      assert.deepEqual(await ids({ organizationId: other, restricted }), ["hold_2"]);
      assert.deepEqual(await ids({ organizationId, restricted }, 2), ["hold_1", "hold_2"]);
      const rest = { organizationId, restricted, after: "hold_1" };
      assert.deepEqual(await ids(rest, 1), ["hold_2"]);
      assert.deepEqual(await ids({ ...rest, after: "hold_2" }), ["hold_3"]);
      const counting = { restricted, limit: 10, today: "2026-02-01", last: "2026-03-31" };
      const counts = await store.holds.count({ ...counting, organizationId });
      assert.deepEqual(
        new Map(counts.map((one) => [one.organizationId, one.holds])),
        new Map([
          [acme, 2],
          [set, 1],
        ]),
      );
    });

    it("is counted by organization and type, with what is due", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("transaction", "t");
      await store.add("person", "p");
      await store.write(transaction("t"), { organizationId: other });
      const [t, p] = [keyOf("transaction", "t"), keyOf("person", "p")];
      const dates = [
        [t, "2026-01-31", "2026-03-31"],
        [t, "2026-02-01", "2026-04-01"],
        [t, "2026-03-31", "2026-02-01"],
        [t, "2026-04-01", "2026-01-31"],
        [p, undefined, undefined],
        [{ ...t, organizationId: other }, "2026-01-31", undefined],
      ] as const;
      for (const [index, [key, reviewOn, endsOn]] of dates.entries()) {
        const texts = { reason: "a case", owner: undefined, holdId: `hold_${index}` };
        await store.holds.place({ ...key, ...texts, reviewOn, endsOn }, operator);
      }
      const dueBy = { today: "2026-02-01", last: "2026-03-31" };
      const count = async (filter: Omit<HoldFilter, "limit">, limit = 10) =>
        new Set(await store.holds.count({ ...filter, limit, ...dueBy }));
      const none = { reviewsOverdue: 0, reviewsAhead: 0, holdsEnding: 0 };
      const ofType = { organizationId: acme, resourceType: "transaction" };
      const due = { reviewsOverdue: 1, reviewsAhead: 2, holdsEnding: 2 };
      const all = { ...ofType, holds: 4, ...due, lastHoldId: "hold_3" };
      const one = { ...none, holds: 1 };
      const ofPerson = { ...one, ...ofType, resourceType: "person", lastHoldId: "hold_4" };
      const ofOther = {
        ...one,
        ...ofType,
        organizationId: other,
        reviewsOverdue: 1,
        lastHoldId: "hold_5",
      };
      assert.deepEqual(await count({ organizationId: acme }), new Set([all, ofPerson]));
      assert.deepEqual(await count({ organizationId: other }), new Set([ofOther]));
      assert.deepEqual(await count({}), new Set([all, ofPerson, ofOther]));
      const first = { ...one, ...ofType, reviewsOverdue: 1, holdsEnding: 1, lastHoldId: "hold_0" };
      assert.deepEqual(await count({}, 1), new Set([first]));
      assert.deepEqual(await count({ after: "hold_3" }), new Set([ofPerson, ofOther]));
    });

    it("is found by its end, those first that end first, and released with the reason", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("transaction", "t");
      const texts = { ...keyOf("transaction", "t"), reason: "a case", owner: undefined };
      const ends = ["2026-06-30", undefined, "2026-01-31", "2026-02-01"];
      for (const [index, endsOn] of ends.entries()) {
        const wanted = { ...texts, reviewOn: undefined, endsOn, holdId: `hold_${index}` };
        await store.holds.place(wanted, operator);
      }
      const ids = async (lastDate: string, limit = 10) =>
        (await store.holds.listEnding(lastDate, limit)).map(({ holdId }) => holdId);
      assert.deepEqual(await ids("2026-01-30"), []);
      assert.deepEqual(await ids("2026-02-01"), ["hold_2", "hold_3"]);
      assert.deepEqual(await ids("2099-12-31"), ["hold_2", "hold_3", "hold_0"]);
      assert.deepEqual(await ids("2099-12-31", 1), ["hold_2"]);
      const ended = await store.holds.release("hold_2", worker, "ended");
      assert.equal(ended && "endsOn" in ended && ended.endsOn, "2026-01-31");
      assert.equal(await store.holds.release("hold_2", worker, "ended"), undefined);
      const last = (await store.listAudit(0, 100)).at(-1);
      assert.equal(last?.action, "hold.release");
      assert.deepEqual(last.detail, { holdId: "hold_2", because: "ended" });
    });

    it("can be one of several: the record is kept while any of them remains", async (test) => {
      const { store } = await openSite(engine, test);
      const key = keyOf("transaction", "t");
      await store.add("transaction", "t");
      for (let count = 0; count < 3; count += 1) await store.hold(key);
      const holds = await store.holds.ofRecords([key]);
      assert.equal(new Set(holds.map(({ holdId }) => holdId)).size, 3);
      const id = await store.request(key);
      for (const { holdId } of holds) {
        assert.equal(await store.claim(), undefined);
        assert.equal((await store.deletionOf(id)).status, "pending");
        await store.holds.release(holdId, operator);
      }
      const actions = (await store.listAudit(0, 100)).map(({ action }) => action);
      assert.equal(actions.filter((action) => action === "hold.release").length, 3);
      assert.equal((await store.processAll()).length, 1);
      assert.equal(await store.exists(key), false);
    });

    it("is listed with the others of its record, the oldest first", async (test) => {
      const { store } = await openSite(engine, test);
      const keys = [keyOf("transaction", "u"), keyOf("transaction", "t")];
      for (const { resourceId } of keys) await store.add("transaction", resourceId);
      for (const [index, holdId] of ["hold_b", "hold_c", "hold_a"].entries()) {
        const wanted = {
          holdId,
          reason: holdId,
          owner: undefined,
          reviewOn: undefined,
          endsOn: undefined,
        };
        const key = keyOf("transaction", holdId === "hold_c" ? "u" : "t");
        await store.holds.place({ ...key, ...wanted }, { ...operator, now: 1_000 * index });
      }
      const found = await store.holds.ofRecords(keys);
      assert.deepEqual(
        found.map(({ holdId }) => holdId),
        ["hold_c", "hold_b", "hold_a"],
      );
    });

    it("is placed once if the same person sends it twice within a minute", async (test) => {
      const { store } = await openSite(engine, test);
      const key = keyOf("transaction", "t");
      await store.add("transaction", "t");
      const texts = { reason: "a case", owner: "anna", reviewOn: undefined, endsOn: undefined };
      const place = (holdId: string, more = {}, by = {}) =>
        store.holds.place({ ...key, ...texts, ...more, holdId }, { ...operator, ...by });
      const first = await place("hold_first");
      assert.deepEqual(await place("hold_again", {}, { now: operator.now + 59_999 }), first);
      await place("hold_of_another", {}, { actor: "ben" });
      await place("hold_for_another", { reason: "another case" });
      await place("hold_until", { endsOn: "2030-01-01" });
      await place("hold_later", {}, { now: operator.now + 60_000 });
      const ids = (await store.holds.ofRecords([key])).map(({ holdId }) => holdId);
      assert.deepEqual(ids.toSorted(), [
        "hold_first",
        "hold_for_another",
        "hold_later",
        "hold_of_another",
        "hold_until",
      ]);
    });

    it("is refused beyond the number that a record can carry", async (test) => {
      const { store } = await openSite(engine, test);
      const key = keyOf("transaction", "t");
      await store.add("transaction", "t");
      for (let count = 0; count < limits.holdsOfRecordMax; count += 1) await store.hold(key);
      assert.equal(await store.hold(key), "too_many_holds");
      assert.equal(await store.release(key), limits.holdsOfRecordMax);
      assert.equal(typeof (await store.hold(key)), "object");
    });

    it("keeps a deletion waiting, visibly, until it is released", async (test) => {
      const { store } = await openSite(engine, test);
      const key = keyOf("transaction", "t");
      await store.add("transaction", "t");
      await store.hold(key);
      const id = await store.request(key);
      assert.equal(await store.claim(), undefined);
      const waiting = await store.deletionOf(id);
      assert.equal(waiting.status, "pending");
      assert.equal(waiting.waitingFor, "a hold on transaction t");
      assert.equal(waiting.nextAttemptAt, worker.now + limits.heldDeletionRetryMs);
      const figures = await store.deletionFigures(worker.now);
      // A long hold must not hide a deletion that is stuck, nor look like one.
      assert.deepEqual([figures.held, figures.oldestDueAt], [1, undefined]);
      assert.equal(await store.claim(waiting.nextAttemptAt), undefined);
      await store.release(key);
      const claimed = await store.claim();
      assert.equal(claimed?.waitingFor, undefined);
      assert.equal((await store.deletionFigures(worker.now)).held, 0);
      await store.finish(id);
      assert.equal(await store.exists(key), false);
    });

    it("has the same effect on any record of the cascade, erased or redacted", async (test) => {
      const { store } = await openSite(engine, test);
      for (const id of ["t", "stays"]) await store.add("transaction", id);
      await store.add("transaction_check", "c", { related_tx_ids: ["t"] });
      await store.add("transaction_alert", "a", { related_tx_ids: ["t", "stays"] });
      const id = await store.request(keyOf("transaction", "t"));
      for (const key of [keyOf("transaction_check", "c"), keyOf("transaction_alert", "a")]) {
        await store.hold(key);
        assert.deepEqual(await store.processAll(), []);
        const { waitingFor } = await store.deletionOf(id);
        assert.equal(waitingFor, `a hold on ${nounOf(key.resourceType)} ${key.resourceId}`);
        await store.release(key);
      }
      assert.equal((await store.processAll()).length, 1);
    });

    it("on one record does not delay other deletions", async (test) => {
      const { store } = await openSite(engine, test);
      for (let count = 0; count < 70; count += 1) {
        const id = `t${count}`;
        await store.add("transaction", id);
        await store.request(keyOf("transaction", id), { now: count });
        if (count < 69) await store.hold(keyOf("transaction", id));
      }
      const rounds = [await store.claim(), await store.claim(), await store.claim()];
      assert.deepEqual(
        rounds.flatMap((deletion) => deletion?.resourceId ?? []),
        ["t69"],
      );
      assert.equal((await store.deletionFigures(worker.now)).held, 69);
      // The same applies when all of them are tried again at the same time.
      await store.add("transaction", "new");
      await store.request(keyOf("transaction", "new"), { now: worker.now });
      const later = worker.now + 2 * limits.heldDeletionRetryMs;
      assert.equal((await store.claim(later))?.resourceId, "new");
    });

    it("has no effect on what is already being erased", async (test) => {
      const { store } = await openSite(engine, test);
      for (const id of ["t", "stays"]) await store.add("transaction", id);
      await store.add("transaction_check", "c", { related_tx_ids: ["t"] });
      await store.add("transaction_alert", "a", { related_tx_ids: ["t", "stays"] });
      const id = await store.request(keyOf("transaction", "t"));
      await store.claim();
      const late = [
        keyOf("transaction", "t"),
        keyOf("transaction_check", "c"),
        keyOf("transaction_alert", "a"),
      ];
      for (const key of late) {
        assert.equal(await store.hold(key), "being_erased");
      }
      assert.equal(typeof (await store.hold(keyOf("transaction", "stays"))), "object");
      await store.finish(id);
      assert.equal(typeof (await store.hold(keyOf("transaction_alert", "a"))), "object");
      assert.equal(await store.hold(keyOf("transaction", "t")), "no_such_record");
    });

    it("on a record that arrives during the erasure prevents completion, visibly", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("transaction", "t");
      const id = await store.request(keyOf("transaction", "t"));
      await store.claim();
      await store.add("screening", "late", { related_tx_id: "t" });
      const late = keyOf("screening", "late");
      await store.hold(late);
      while (!(await store.eraseOne(id, 5)));
      await assert.rejects(store.completeOne(id), /hold on screening late/);
      assert.equal((await store.deletionOf(id)).waitingFor, "a hold on screening late");
      assert.equal((await store.deletionFigures(worker.now)).held, 1);
      assert.equal((await store.payloadsOf(late))[0]?.["related_tx_id"], "t");
      await store.postponeDeletion(id, "it waits", worker.now + 60_000);
      assert.equal(await store.claim(), undefined);
      await store.release(late);
      assert.equal((await store.claim())?.deletionRequestId, id);
      await store.finish(id);
      assert.equal(await store.exists(late), false);
      assert.deepEqual(
        (await store.write(draftOf("screening", "late"), { resourceType: "screening" })).drafts,
        ["created"],
      );
    });
  });
}
