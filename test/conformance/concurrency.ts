// Many concurrent writes: they share commits, each is evaluated separately, and races have one winner. What the feed
// reads from a store: every change of an organization in the order of arrival, up to the number that is settled, while
// several processes write. What an export reads from a store: every change up to one moment, in order, page by page,
// while writes continue.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../../src/domain/error.ts";
import type { GroupFigures } from "../../src/store/interface/store.ts";
import { type Engine, openSite } from "./engine.ts";
import { acme, keyOf, mark, other, transaction } from "./scene.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import type { ArrivedChange, ExportedChange } from "../../src/domain/record/record-write.ts";
import type { ArrivalQuery } from "../../src/store/sql/record/arrivals.ts";
import type { TestStore } from "../support/test-store.ts";
import { waitFor } from "../support/wait-for.ts";

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

    it("share no commit that would have more rows than one may, relations included", async (test) => {
      const groups: GroupFigures[] = [];
      const site = await openSite(engine, test, { onGroup: (figures) => groups.push(figures) });
      groups.length = 0;
      const related_tx_ids = Array.from({ length: 1_000 }, (_, index) => `t${index}`);
      const checks = Array.from({ length: 8 }, (_, index) =>
        site.store.add("transaction_check", `c${index}`, { related_tx_ids }),
      );
      await Promise.all(checks);
      assert.deepEqual(new Set(groups.map(({ writes }) => writes)), new Set([1]));
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

const writerCount = 16;
const eachWrites = 40;
const types = recordTypes.map(({ resourceType }) => resourceType);

async function readArrivals(
  store: TestStore,
  query: Partial<ArrivalQuery> = {},
): Promise<readonly ArrivedChange[]> {
  const { settled: through } = await store.settledArrival();
  const whole = { organizationId: acme, after: 0, through, types, content: false, limit: 10_000 };
  return store.arrivals.list({ ...whole, ...query });
}

function shown(changes: readonly ArrivedChange[]): readonly string[] {
  return changes.map(({ resourceId, isFirst }) => `${resourceId}${isFirst ? "" : " again"}`);
}

export function testArrivals(engine: Engine): void {
  describe(`${engine.name}: reading in the order of arrival`, () => {
    it("has first and later changes, of one organization and of the types that are wanted", async (test) => {
      const { store } = await openSite(engine, test);
      await store.write(transaction("b"), { receivedAt: 7 });
      await store.write(transaction("foreign"), { organizationId: other });
      await store.add("person", "p");
      const update = transaction("b", { amount: 2 });
      await store.write(update, { mode: "update", receivedAt: 5 });
      await store.write(transaction("a"));
      const all = await readArrivals(store);
      assert.deepEqual(shown(all), ["b", "p", "b again", "a"]);
      assert.deepEqual(
        all.map(({ changeNo }) => changeNo),
        all.map(({ changeNo }) => changeNo).toSorted((one, two) => one - two),
      );
      assert.deepEqual([all[0]?.receivedAt, all[2]?.receivedAt], [7, 5]);
      assert.equal(all[0]?.payload, undefined);
      const full = await readArrivals(store, { content: true, types: ["transaction"] });
      assert.deepEqual(shown(full), ["b", "b again", "a"]);
      assert.equal(full[1]?.payload, update.payload);
      const after = all[1]?.changeNo ?? 0;
      assert.deepEqual(shown(await readArrivals(store, { after, limit: 1 })), ["b again"]);
      assert.deepEqual(shown(await readArrivals(store, { through: after })), ["b", "p"]);
      assert.deepEqual(shown(await readArrivals(store, { fromEnd: true, limit: 2 })), [
        "a",
        "b again",
      ]);
      assert.deepEqual(shown(await readArrivals(store, { organizationId: other })), ["foreign"]);
    });

    it("has nothing of what is erased", async (test) => {
      const { store } = await openSite(engine, test);
      for (const id of ["a", "b", "c"]) await store.write(transaction(id));
      await store.write(transaction("b", { amount: 2 }), { mode: "update" });
      await store.request(keyOf("transaction", "b"));
      await store.processAll();
      assert.deepEqual(shown(await readArrivals(store)), ["a", "c"]);
    });

    it("finds the organizations with changes in a range", async (test) => {
      const { store } = await openSite(engine, test);
      const { settled: after } = await store.settledArrival();
      await store.write(transaction("a"));
      const { settled: through } = await store.settledArrival();
      const organizations = [acme, other];
      assert.deepEqual(await store.arrivals.find({ organizations, after, through }), [acme]);
      assert.deepEqual(await store.arrivals.find({ organizations, after: through, through }), []);
      await store.write(transaction("a", { amount: 2 }), { mode: "update" });
      const { settled: last } = await store.settledArrival();
      const found = await store.arrivals.find({ organizations, after: through, through: last });
      assert.equal(found.includes(acme), true);
    });

    it(`skips nothing and changes no order while ${writerCount} writers of two processes add`, async (test) => {
      const site = await openSite(engine, test);
      const stores = [site.store, await site.openAnother()];
      const acknowledged: string[] = [];
      const writers = Array.from({ length: writerCount }, async (_, writer) => {
        for (let count = 0; count < eachWrites; count += 1) {
          const ids = [`${writer} ${count}`, `${writer} ${count} more`];
          const store = stores[writer % 2] ?? site.store;
          await store.write(ids.map((id) => transaction(id)));
          acknowledged.push(...ids);
        }
      });
      const followed: ArrivedChange[] = [];
      const follow = async () => {
        const part = await readArrivals(site.store, {
          after: followed.at(-1)?.changeNo ?? 0,
          limit: 50,
        });
        followed.push(...part);
        return followed.length === writerCount * eachWrites * 2 || undefined;
      };
      await waitFor("the reader to have everything", follow);
      await Promise.all(writers);
      assert.deepEqual(shown(followed).toSorted(), acknowledged.toSorted());
      assert.deepEqual(followed, await readArrivals(site.store));
    });
  });
}

async function readAll(
  store: TestStore,
  { upTo, limit = 3 }: { upTo: number; limit?: number },
): Promise<readonly ExportedChange[]> {
  const asked = { organizationId: acme, resourceType: "transaction", upTo, limit };
  const all: ExportedChange[] = [];
  for (;;) {
    const page = await store.listChanges({ ...asked, after: all.at(-1) });
    assert.ok(page.length <= limit);
    all.push(...page);
    if (page.length < limit) return all;
  }
}

function idsOf(changes: readonly ExportedChange[]): readonly string[] {
  return changes.map(({ resourceId }) => resourceId);
}

export function testExporting(engine: Engine): void {
  describe(`${engine.name}: reading for an export`, () => {
    it("returns each change as it was stored, ordered by the bytes of the id, then by arrival", async (test) => {
      const { store } = await openSite(engine, test);
      const ids = ["b", "a", "é", "Z", "\u{1f600}", "\uffff", "a b"];
      for (const id of ids) await store.write(transaction(id), { receivedAt: 7 });
      const later = transaction("a", { amount: 2 });
      await store.write(later, { mode: "update", receivedAt: 8 });
      await store.add("person", "a");
      await store.write(transaction("a"), { organizationId: other });
      const all = await readAll(store, { upTo: await store.latestArrival() });
      const inBytes = [...ids, "a"].sort((one, two) =>
        Buffer.compare(Buffer.from(one), Buffer.from(two)),
      );
      assert.deepEqual(idsOf(all), inBytes);
      const [, first, second] = all;
      assert.deepEqual([first?.payload, first?.receivedAt], [transaction("a").payload, 7]);
      assert.deepEqual([second?.payload, second?.receivedAt], [later.payload, 8]);
    });

    it("reads the changes of one record page by page", async (test) => {
      const { store } = await openSite(engine, test);
      await store.write(transaction("one", { amount: 0 }));
      for (let amount = 1; amount < 10; amount += 1) {
        await store.write(transaction("one", { amount }), { mode: "update" });
      }
      for (const limit of [1, 3, 5, 100]) {
        const all = await readAll(store, { upTo: await store.latestArrival(), limit });
        const amounts = all.map(
          ({ payload }) => (JSON.parse(payload) as { amount: number }).amount,
        );
        assert.deepEqual(amounts, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      }
    });

    it("omits what arrives after its moment, and what is erased before its page is read", async (test) => {
      const { store } = await openSite(engine, test);
      assert.deepEqual(await readAll(store, { upTo: await store.latestArrival() }), []);
      for (const id of ["a", "b", "c"]) await store.write(transaction(id));
      const upTo = await store.latestArrival();
      await store.write(transaction("d"));
      await store.write(transaction("a", { amount: 2 }), { mode: "update" });
      assert.deepEqual(idsOf(await readAll(store, { upTo })), ["a", "b", "c"]);
      await store.request(keyOf("transaction", "b"));
      await store.processAll();
      assert.deepEqual(idsOf(await readAll(store, { upTo })), ["a", "c"]);
    });

    it("has a moment that includes every acknowledged write and no later one", async (test) => {
      const site = await openSite(engine, test);
      const { store } = site;
      const stores = [store, await site.openAnother()];
      const acknowledged: string[] = [];
      const begun: string[] = [];
      const stopping = new AbortController();
      const writers = Array.from({ length: 6 }, async (_, writer) => {
        for (let count = 0; !stopping.signal.aborted; count += 1) {
          const id = `${writer}-${String(count).padStart(5, "0")}`;
          begun.push(id);
          await (stores[writer % 2] ?? store).write(transaction(id));
          acknowledged.push(id);
        }
      });
      for (let round = 0; round < 5; round += 1) {
        const before = new Set(acknowledged);
        const upTo = await store.latestArrival();
        const begunBefore = new Set(begun);
        await waitFor("a further write", () => acknowledged.length > before.size + 6 || undefined);
        const read = idsOf(await readAll(store, { upTo, limit: 500 }));
        const found = new Set(read);
        assert.deepEqual(
          [...before].filter((id) => !found.has(id)),
          [],
        );
        assert.deepEqual(
          read.filter((id) => !begunBefore.has(id)),
          [],
        );
        assert.deepEqual(read, idsOf(await readAll(store, { upTo, limit: 500 })));
      }
      stopping.abort();
      await Promise.all(writers);
    });
  });
}
