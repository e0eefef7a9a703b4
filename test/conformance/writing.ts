// Writing records: the three modes, strict and lenient lists, and what is read afterwards.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Engine, openSite, useSite } from "./engine.ts";
import { acme, draftOf, keyOf, transaction } from "./scene.ts";
import type { TestStore } from "../support/test-store.ts";

/** In the tests of lists that are sent again. */
function isAdded(index: number): boolean {
  return index % 40 < 30;
}

export function testWriting(engine: Engine): void {
  describe(`${engine.name}: writing one record`, () => {
    const site = useSite(engine);
    let store: TestStore;
    before(() => {
      store = site().store;
    });

    it("creates what does not exist, and returns exactly what was stored", async () => {
      const draft = transaction("exact", { sender_id: "Zoë \u0001 \u{1f600}", amount: -0.1 });
      assert.deepEqual(await store.write(draft, { receivedAt: 77 }), {
        written: 1,
        drafts: ["created"],
      });
      const history = await store.readHistory(keyOf("transaction", "exact"));
      assert.equal(history?.firstSeen, draft.timestamp);
      assert.equal(history?.lastSeen, draft.timestamp);
      assert.deepEqual(
        history?.changes.map(({ receivedAt, payload }) => ({ receivedAt, payload })),
        [{ receivedAt: 77, payload: draft.payload }],
      );
    });

    it("keeps ids apart that only look alike", async () => {
      const ids = ["e\u0301", "\u00e9", "A", "a", "1", "01", " 1", "'; --", "%", "\u{10ffff}"];
      for (const id of ids) await store.add("transaction", id);
      for (const id of ids) {
        assert.deepEqual(
          (await store.payloadsOf(keyOf("transaction", id))).map(({ tx_id }) => tx_id),
          [id],
        );
      }
    });

    it("refuses the addition of a record that exists, and distinguishes an identical from a different one", async () => {
      await store.write(transaction("twice"));
      assert.deepEqual(await store.write(transaction("twice")), {
        written: 0,
        drafts: ["identical_record_exists"],
      });
      assert.deepEqual(await store.write(transaction("twice", { amount: 7 })), {
        written: 0,
        drafts: ["record_exists"],
      });
      assert.equal((await store.changesOf(keyOf("transaction", "twice"))).length, 1);
    });

    it("updates only what exists, and always stores a change", async () => {
      const update = { mode: "update" } as const;
      assert.deepEqual(await store.write(transaction("updated"), update), {
        written: 0,
        drafts: ["no_such_record"],
      });
      assert.equal(await store.exists(keyOf("transaction", "updated")), false);
      await store.write(transaction("updated"));
      for (let count = 0; count < 2; count += 1) {
        assert.deepEqual(await store.write(transaction("updated"), update), {
          written: 1,
          drafts: ["updated"],
        });
      }
      assert.equal((await store.changesOf(keyOf("transaction", "updated"))).length, 3);
    });

    it("appends: creates, stores a further change, and skips an identical one", async () => {
      const append = { mode: "append" } as const;
      const outcomes = [
        await store.write(transaction("appended"), append),
        await store.write(transaction("appended", { amount: 5 }), append),
        await store.write(transaction("appended"), append),
      ];
      assert.deepEqual(outcomes, [
        { written: 1, drafts: ["created"] },
        { written: 1, drafts: ["updated"] },
        { written: 0, drafts: ["unchanged"] },
      ]);
      assert.equal((await store.changesOf(keyOf("transaction", "appended"))).length, 2);
    });

    it("returns the earliest and the latest timestamp of all changes, whatever their order", async () => {
      const times = ["2026-03-01T00:00:00Z", "2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00Z"];
      for (const [index, timestamp] of [...times, "2026-02-01T01:00:00+02:00"].entries()) {
        const mode = index === 0 ? "add" : "update";
        await store.write(transaction("seen", { timestamp }), { mode });
      }
      assert.deepEqual(await store.findRecord(keyOf("transaction", "seen")), {
        firstSeen: "2026-01-01T00:00:00",
        lastSeen: "2026-03-01T00:00:00",
      });
    });

    it("numbers changes in order of arrival, across all records", async () => {
      for (const id of ["first", "second", "third"]) await store.add("transaction", id);
      await store.write(transaction("first"), { mode: "update" });
      const numbers = [];
      for (const id of ["first", "second", "third"]) {
        const changes = await store.changesOf(keyOf("transaction", id));
        numbers.push(...changes.map(({ changeNo }) => changeNo));
      }
      const [created = 0, updated = 0, second = 0, third = 0] = numbers;
      assert.ok(created < second && second < third && third < updated, numbers.join(" "));
    });

    it("stores a record of the maximum size", async () => {
      const value = "\u00e4".repeat(1_000);
      const additional_properties = Array.from({ length: 30 }, (_, index) => ({
        key: `key ${index}`,
        value,
        type: "STRING",
      }));
      const draft = transaction("large", { additional_properties });
      await store.write(draft);
      const [change] = await store.changesOf(keyOf("transaction", "large"));
      assert.equal(change?.payload, draft.payload);
    });
  });

  testLists(engine);
}

function testLists(engine: Engine): void {
  describe(`${engine.name}: writing lists`, () => {
    const site = useSite(engine);
    let store: TestStore;
    before(async () => {
      store = site().store;
      await store.write([transaction("old"), transaction("older")]);
    });

    it("writes nothing of a strict list if any item is refused, and evaluates every item", async () => {
      const list = [
        transaction("new 1"),
        transaction("old"),
        transaction("new 2"),
        transaction("old", { amount: 9 }),
      ];
      assert.deepEqual(await store.write(list), {
        written: 0,
        drafts: ["created", "identical_record_exists", "created", "record_exists"],
      });
      assert.equal(await store.exists(keyOf("transaction", "new 1")), false);
      assert.equal(await store.exists(keyOf("transaction", "new 2")), false);
    });

    it("leaves no change, relation or sighting of a strict list that was refused", async () => {
      await store.add("transaction_check", "untouched", { timestamp: "2026-05-05T05:05:05Z" });
      const list = [
        draftOf("transaction_check", "untouched", {
          related_tx_ids: ["old"],
          timestamp: "2020-01-01T00:00:00Z",
        }),
        draftOf("transaction_check", "not there"),
      ];
      const resourceType = "transaction_check";
      assert.deepEqual(await store.write(list, { resourceType, mode: "update" }), {
        written: 0,
        drafts: ["updated", "no_such_record"],
      });
      const history = await store.readHistory(keyOf(resourceType, "untouched"));
      assert.equal(history?.changes.length, 1);
      assert.equal(history?.firstSeen, "2026-05-05T05:05:05");
    });

    it("applies items one after another, so that a second one with the same id meets the first", async () => {
      const list = ["a", "b", "a"].map((id) => transaction(`same ${id}`));
      const different = transaction("same a", { amount: 3 });
      assert.deepEqual((await store.write(list)).drafts, [
        "created",
        "created",
        "identical_record_exists",
      ]);
      assert.deepEqual(await store.write([...list, different], { mode: "append" }), {
        written: 3,
        drafts: ["created", "created", "unchanged", "updated"],
      });
      assert.deepEqual((await store.write([different, different], { mode: "update" })).drafts, [
        "updated",
        "updated",
      ]);
      assert.equal((await store.changesOf(keyOf("transaction", "same a"))).length, 4);
    });

    for (const lenient of [true, false]) {
      it(`recognises what is stored already, wherever it is in a ${lenient ? "lenient" : "strict"} list`, async () => {
        const name = lenient ? "again" : "strictly";
        // What differs has the same length.
        const sample = (index: number, amount = 10) => transaction(`${name} ${index}`, { amount });
        const list = Array.from({ length: 100 }, (_, index) => sample(index));
        const added = list.filter((_, index) => isAdded(index));
        await store.write(added, { lenient });
        const later = sample(5, 15);
        await store.write(later, { mode: "append" });
        const sent = list.with(5, later).with(50, sample(50, 50));
        const expected = sent.map((_, index) =>
          index === 50 ? "updated" : isAdded(index) ? "unchanged" : "created",
        );
        const { written, drafts } = await store.write(sent, { mode: "append", lenient });
        assert.deepEqual(drafts, expected);
        assert.equal(written, expected.filter((outcome) => outcome !== "unchanged").length);
        const repeated = await store.write([...sent, ...sent], { mode: "append", lenient });
        assert.deepEqual(repeated, {
          written: 0,
          drafts: [...sent, ...sent].map(() => "unchanged"),
        });
        const changes = await Promise.all(
          sent.map(async ({ id }) => (await store.changesOf(keyOf("transaction", id))).length),
        );
        assert.deepEqual(
          changes,
          sent.map((_, index) => (index === 5 || index === 50 ? 2 : 1)),
        );
      });
    }

    it("refuses each addition of a list that is sent again, and of one that has changed", async () => {
      const list = Array.from({ length: 40 }, (_, index) =>
        transaction(`twice ${index}`, { amount: 10 }),
      );
      await store.write(list);
      const changed = list.with(20, transaction("twice 20", { amount: 20 }));
      const { written, drafts } = await store.write(changed, { lenient: true });
      assert.equal(written, 0);
      assert.deepEqual(
        drafts,
        list.map((_, index) => (index === 20 ? "record_exists" : "identical_record_exists")),
      );
    });

    it("accepts an empty list", async () => {
      assert.deepEqual(await store.write([]), { written: 0, drafts: [] });
    });

    it("counts records by type", async () => {
      const organizationId = "org_counted";
      await store.write([transaction("a"), transaction("b")], { organizationId });
      await store.write(draftOf("person", "p"), { organizationId, resourceType: "person" });
      assert.deepEqual(await store.countRecords(organizationId), { person: 1, transaction: 2 });
      assert.deepEqual(await store.countRecords("org_unknown"), {});
    });

    it("counts records of a type no further than asked", async () => {
      const organizationId = "org_counted_of_type";
      await store.write([transaction("a"), transaction("b")], { organizationId });
      const types = ["transaction", "person"];
      for (const [max, counted] of [1, 2, 2].entries()) {
        const counts = await store.countRecordsOfTypes({ organizationId, types, max: max + 1 });
        assert.deepEqual(counts, { transaction: counted, person: 0 });
      }
    });
  });

  describe(`${engine.name}: written data`, () => {
    it("is there after the store is closed and opened again, and numbers continue", async (test) => {
      const site = await openSite(engine, test);
      await site.store.write(transaction("kept"));
      const reopened = await site.reopen();
      await reopened.write(transaction("kept"), { mode: "update" });
      const changes = await reopened.changesOf(keyOf("transaction", "kept"));
      assert.equal(changes.length, 2);
      assert.ok((changes[0]?.changeNo ?? 0) < (changes[1]?.changeNo ?? 0));
      assert.deepEqual(await reopened.countRecords(acme), { transaction: 1 });
    });
  });
}
