// Retention ceilings: which records of a type have reached theirs, by what it counts from, in bounded parts; never one
// without that time, nor one that a hold or a floor keeps.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../src/domain/limits.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { boundsOf, type RetentionBounds } from "../../src/domain/retention/ceiling.ts";
import type { FloorOrigin } from "../../src/domain/retention/floor.ts";
import type { DueRecord, ExpiryQuery } from "../../src/store/interface/retention.ts";
import type { TestStore } from "../support/test-store.ts";
import { type Engine, openAcme } from "./engine.ts";
import { acme, draftOf, keyOf, onDay, operator, seen, transaction } from "./scene.ts";

interface RuleMore {
  readonly countedFrom?: FloorOrigin;
  readonly keepDays?: number;
}

function setCeiling(
  store: TestStore,
  resourceType: string,
  deleteAfterDays: number,
  { countedFrom = "last_seen", keepDays = 0 }: RuleMore = {},
) {
  const rule = { keepDays, countedFrom, redactable: false, deleteAfterDays };
  return store.retention.setFloor({ organizationId: acme, resourceType, rule }, operator);
}

async function readBounds(store: TestStore): Promise<RetentionBounds> {
  const { retainDays } = (await store.findOrganization(acme)) ?? {};
  return boundsOf(recordTypes, await store.retention.listRules([acme]), retainDays);
}

async function find(store: TestStore, now: number, more: Partial<ExpiryQuery> = {}) {
  const query = { ...(await readBounds(store)), organizationId: acme, now };
  return store.findExpired({ ...query, after: undefined, scannedMax: 100, ...more });
}

/** By id: `due`, or why the record is retained. */
async function expiries(store: TestStore, now: number): Promise<Readonly<Record<string, string>>> {
  const { expired } = await find(store, now);
  return Object.fromEntries(expired.map(({ key, expiry }) => [key.resourceId, expiry]));
}

const closed = { account_status: "CLOSED" };

/** Bounds of a preview. */
const enough = { relationsMax: 1_000 };

function dueOf(resourceType: string, id: string, requestedAt = 0): DueRecord {
  return { ...keyOf(resourceType, id), requestedAt };
}

function pay(id: string, on: number, tx = `of-${id}`) {
  return transaction(tx, { ...seen(on), sender_id: id, sender_country: "DE" });
}

export function testCeilings(engine: Engine): void {
  describe(`${engine.name}: a retention ceiling`, () => {
    it("of a type ends when its days have passed, and not a millisecond earlier", async (test) => {
      const { store } = await openAcme(engine, test);
      await store.add("transaction", "t", seen(10));
      await store.add("screening", "s", seen(1));
      await setCeiling(store, "transaction", 5);
      assert.deepEqual(await expiries(store, onDay(15) - 1), {});
      assert.deepEqual(await expiries(store, onDay(15)), { t: "due" });
    });

    it("is evaluated and previewed while others are served", async (test) => {
      const { store } = await openAcme(engine, test);
      await store.add("person", "p", seen(1));
      await setCeiling(store, "person", 5);
      const bounds = await readBounds(store);
      const due = [dueOf("person", "p")];
      const query = { organizationId: acme, ...bounds, now: onDay(9), due, ...enough };
      for (const work of [() => find(store, onDay(9)), () => store.plans.previewErased(query)]) {
        let served = false;
        // A thread may answer within the same turn of the event loop, but not each time.
        for (let run = 0; run < 10; run += 1) {
          setImmediate(() => (served = true));
          await work();
        }
        assert.ok(served);
      }
    });

    it("takes the place of that of the organization, whichever is shorter", async (test) => {
      const { store } = await openAcme(engine, test);
      for (const id of ["transaction", "screening"]) await store.add(id, id, seen(10));
      await store.changeOrganization(acme, { retainDays: 20 }, operator);
      await setCeiling(store, "screening", 30);
      assert.deepEqual(await expiries(store, onDay(31)), { transaction: "due" });
      await setCeiling(store, "transaction", 10);
      assert.deepEqual(await expiries(store, onDay(20)), { transaction: "due" });
      const all = { transaction: "due", screening: "due" };
      assert.deepEqual(await expiries(store, onDay(40)), all);
    });

    it("that counts from closing spares whoever is open, and counts from the last closing", async (test) => {
      const { store } = await openAcme(engine, test);
      const update = { mode: "update", resourceType: "person" } as const;
      await store.add("person", "open", seen(1));
      await store.add("person", "closed", { ...seen(1), ...closed });
      await store.add("person", "reopened", { ...seen(1), ...closed });
      const again = { account_status: "APPROVED", ...seen(3) };
      await store.write(draftOf("person", "reopened", again), update);
      await store.write(draftOf("person", "reopened", { ...closed, ...seen(6) }), update);
      // Seen again since it was closed.
      await store.write(draftOf("person", "closed", { ...closed, ...seen(90) }), update);
      await setCeiling(store, "person", 5, { countedFrom: "closed" });
      assert.deepEqual(await expiries(store, onDay(6) - 1), {});
      assert.deepEqual(await expiries(store, onDay(6)), { closed: "due" });
      assert.deepEqual(await expiries(store, onDay(11) - 1), { closed: "due" });
      const both = { closed: "due", reopened: "due" };
      assert.deepEqual(await expiries(store, onDay(9_000)), both);
    });

    it("that counts from filing spares a report that is not filed", async (test) => {
      const { store } = await openAcme(engine, test);
      const report = "transaction_suspicious_activity";
      const filed = { report_filed_at: seen(5).timestamp };
      await store.add(report, "filed", { ...seen(9), ...filed });
      await store.add(report, "not-filed", { ...seen(9), report_filed_at: undefined });
      await setCeiling(store, report, 5, { countedFrom: "report_filed_at" });
      assert.deepEqual(await expiries(store, onDay(10) - 1), {});
      assert.deepEqual(await expiries(store, onDay(900)), { filed: "due" });
    });

    it("of a type does not wait for what was seen later, as that of the organization does", async (test) => {
      const { store } = await openAcme(engine, test);
      await store.add("transaction", "t", seen(10));
      await store.add("transaction_check", "c", { ...seen(14), related_tx_ids: ["t"] });
      await store.changeOrganization(acme, { retainDays: 5 }, operator);
      assert.deepEqual(await expiries(store, onDay(18)), { t: "needed" });
      await setCeiling(store, "transaction", 5);
      assert.deepEqual(await expiries(store, onDay(18)), { t: "due" });
    });

    it("spares what a hold or a floor keeps, and what is being deleted", async (test) => {
      const { store } = await openAcme(engine, test);
      for (const id of ["held", "open", "due"]) await store.add("transaction", id, seen(10));
      await store.add("person", "p", { ...seen(10), ...closed });
      await store.hold(keyOf("transaction", "held"));
      await store.request(keyOf("transaction", "open"));
      await setCeiling(store, "transaction", 5);
      await setCeiling(store, "person", 8, { keepDays: 8, countedFrom: "closed" });
      const kept = { held: "held", open: "open", due: "due" };
      assert.deepEqual(await expiries(store, onDay(18) - 1), kept);
      assert.deepEqual(await expiries(store, onDay(18)), { ...kept, p: "due" });
    });

    it("is previewed without the holds that have ended by then", async (test) => {
      const { store } = await openAcme(engine, test);
      await store.add("transaction", "t", seen(10));
      const texts = { reason: "a case", owner: undefined, reviewOn: undefined };
      const hold = { ...keyOf("transaction", "t"), ...texts, holdId: "hold_end" };
      await store.holds.place({ ...hold, endsOn: "1970-02-01" }, operator);
      await setCeiling(store, "transaction", 5);
      assert.deepEqual(await expiries(store, onDay(33) - 1), { t: "held" });
      assert.deepEqual(await expiries(store, onDay(33)), { t: "due" });
    });

    it("is previewed by other floors than those that are stored", async (test) => {
      const { store } = await openAcme(engine, test);
      await store.changeOrganization(acme, { retainDays: 5 }, operator);
      await store.add("person", "open", seen(10));
      await store.add("transaction", "t", seen(10));
      await store.add("screening", "of-t", { ...seen(30), related_tx_id: "t" });
      await setCeiling(store, "transaction", 5);
      const none = await readBounds(store);
      await setCeiling(store, "person", 20, { countedFrom: "closed", keepDays: 20 });
      await setCeiling(store, "screening", 90, { keepDays: 90 });
      const kept = { ...none, floors: (await readBounds(store)).floors };
      const decide = async (bounds: RetentionBounds) => {
        const { expired } = await find(store, onDay(20), bounds);
        const due = [dueOf("transaction", "t")];
        const query = { organizationId: acme, ...bounds, due, now: onDay(20), ...enough };
        const { waiting } = await store.plans.previewErased(query);
        const byId = expired.map(({ key, expiry }) => [key.resourceId, expiry]);
        return [Object.fromEntries(byId), waiting.map(({ expiry }) => expiry)];
      };
      assert.deepEqual(await decide(none), [{ open: "due", t: "due" }, []]);
      assert.deepEqual(await decide(kept), [{ open: "floor", t: "due" }, ["floor"]]);
      for (const type of ["person", "screening"]) await store.setFloor(type, 0);
      assert.deepEqual(await decide(kept), [{ open: "floor", t: "due" }, ["floor"]]);
    });

    it("is not below the floor of its type, and one of the type may be above the common one", async (test) => {
      const { store } = await openAcme(engine, test);
      const set = (keepDays: number, days: number) =>
        setCeiling(store, "person", days, { keepDays });
      const above = { result: "above_ceiling", ceilingDays: 9 };
      assert.deepEqual(await set(10, 9), above);
      assert.deepEqual(await store.retention.listRules([acme]), []);
      assert.deepEqual(await set(10, 10), { result: "changed" });
      assert.deepEqual(await set(10, 10), { result: "unchanged" });
      const change = { retainDays: 5 };
      assert.equal(
        "ceilingTooLowFor" in ((await store.changeOrganization(acme, change, operator)) ?? {}),
        false,
      );
      const tooLow = { result: "above_ceiling", ceilingDays: 5 };
      assert.deepEqual(await store.setFloor("person", 10), tooLow);
      const rules = await store.retention.listRules([acme]);
      const times = { keepDays: 10, deleteAfterDays: 10, countedFrom: "last_seen" };
      const person = { organizationId: acme, resourceType: "person", redactable: false };
      assert.deepEqual(rules, [{ ...person, ...times }]);
    });

    it("without a floor keeps nothing", async (test) => {
      const { store } = await openAcme(engine, test);
      await store.add("transaction", "t", seen(10));
      await setCeiling(store, "transaction", 5);
      assert.deepEqual(await store.retention.listFloors(acme), []);
      const id = await store.request(keyOf("transaction", "t"));
      assert.equal((await store.claim(operator.now))?.deletionRequestId, id);
    });

    it("is previewed with what is erased besides, each record once, and with what makes it wait", async (test) => {
      const { store } = await openAcme(engine, test);
      for (const id of ["a", "b", "c", "d"]) await store.add("transaction", id, seen(10));
      await store.add("transaction", "new", seen(40));
      const check = (id: string, ...to: string[]) =>
        store.add("transaction_check", id, { ...seen(10), related_tx_ids: to });
      await check("of-a", "a");
      await check("of-a-and-b", "a", "b");
      await check("of-a-and-new", "a", "new");
      await check("of-c", "c");
      await check("of-d", "d");
      const deep = { ...seen(10), related_check_id: "of-a", related_tx_ids: ["a"] };
      await store.add("transaction_alert", "deep", deep);
      await store.add("transaction_suspicious_activity", "report", { related_tx_ids: ["a"] });
      await store.hold(keyOf("transaction_check", "of-c"));
      await store.add("screening", "of-d", { ...seen(30), related_tx_id: "d" });
      await store.setFloor("screening", 5);
      await setCeiling(store, "transaction", 5);
      const bounds = await readBounds(store);
      const preview = async (ids: readonly string[], now: number, confidential = false) => {
        const due = ids.map((id) => dueOf("transaction", id));
        const query = { organizationId: acme, ...bounds, due, now, ...enough, confidential };
        return store.plans.previewErased(query);
      };
      assert.deepEqual(await preview(["a", "b", "c", "d"], onDay(35) - 1), {
        waiting: [
          { key: keyOf("transaction", "c"), expiry: "held" },
          { key: keyOf("transaction", "d"), expiry: "floor" },
        ],
        erasedWith: { transaction_check: 2, transaction_alert: 1 },
        shared: {},
        inPart: 0,
      });
      // Part by part: the last owner decides.
      const [first, second] = [await preview(["a"], onDay(35)), await preview(["b"], onDay(35))];
      assert.deepEqual(first.erasedWith, { transaction_check: 1, transaction_alert: 1 });
      assert.deepEqual([second.erasedWith, second.shared], [{}, { transaction_check: 1 }]);
      const known = await preview(["a"], onDay(35), true);
      const report = { transaction_suspicious_activity: 1 };
      assert.deepEqual(known.erasedWith, { ...first.erasedWith, ...report });
      const last = await preview(["new", "d"], onDay(45));
      assert.deepEqual(last.shared, { transaction_check: 1 });
      assert.deepEqual(last.erasedWith, { transaction_check: 1, screening: 1 });
      assert.deepEqual(last.waiting, []);
      await setCeiling(store, "transaction_check", 5);
      const due = [dueOf("transaction", "a")];
      const own = await readBounds(store);
      const query = { organizationId: acme, ...own, due, now: onDay(35), ...enough };
      assert.deepEqual((await store.plans.previewErased(query)).erasedWith, {});
    });

    it("is previewed with what the transactions of persons make these wait for", async (test) => {
      const { store } = await openAcme(engine, test);
      const ids = ["both", "busy", "floored", "free", "held"];
      for (const id of ids) await store.add("person", id, seen(1));
      const many = Array.from({ length: 2_100 }, (_, at) => pay("busy", 1, `t${at}`));
      await store.write([...many, pay("busy", 10), pay("free", 1), pay("held", 1)]);
      await store.write([pay("both", 10), pay("floored", 10)]);
      while (await store.parties.index((await store.settledArrival()).settled));
      for (const id of ["both", "held"]) await store.hold(keyOf("transaction", `of-${id}`));
      await store.setFloor("transaction", 30);
      await setCeiling(store, "person", 5);
      const bounds = await readBounds(store);
      const due = ids.map((id) => dueOf("person", id));
      const query = { organizationId: acme, ...bounds, due, now: onDay(35), ...enough };
      const { waiting } = await store.plans.previewErased(query);
      assert.deepEqual(
        waiting.map(({ key, expiry }) => `${key.resourceId} ${expiry}`),
        ["both held", "busy floor", "floored floor", "held held"],
      );
    });

    it("is previewed without a record to which too much belongs", async (test) => {
      const { store } = await openAcme(engine, test);
      for (const id of ["few", "many"]) await store.add("transaction", id, seen(10));
      const check = (id: string, to: string) =>
        store.add("transaction_check", id, { ...seen(10), related_tx_ids: [to] });
      await check("of-few", "few");
      for (let at = 0; at < 20; at += 1) await check(`check-${at}`, "many");
      await setCeiling(store, "transaction", 5);
      const bounds = await readBounds(store);
      const query = { organizationId: acme, ...bounds, now: onDay(35), ...enough };
      const due = ["few", "many"].map((id) => dueOf("transaction", id));
      const preview = async (more: Partial<typeof enough>) => {
        const found = await store.plans.previewErased({ ...query, due, ...more });
        return [found.erasedWith, found.inPart];
      };
      assert.deepEqual(await preview({}), [{ transaction_check: 21 }, 0]);
      // Each relation is read from both of its ends.
      assert.deepEqual(await preview({ relationsMax: 42 }), [{ transaction_check: 21 }, 0]);
      assert.deepEqual(await preview({ relationsMax: 39 }), [{ transaction_check: 1 }, 1]);
      assert.deepEqual(await preview({ relationsMax: 1 }), [{}, 2]);
    });

    it("is read a bounded part at a time, and of histories a smaller one", async (test) => {
      const { store } = await openAcme(engine, test);
      const max = limits.floorScanHistoriesMax;
      const persons = Array.from({ length: max + 3 }, (_, index) =>
        draftOf("person", `p${String(index).padStart(4, "0")}`, { ...seen(1), ...closed }),
      );
      await store.write(persons, { resourceType: "person" });
      for (const id of ["a", "b", "c"]) await store.add("transaction", id, seen(1));
      await setCeiling(store, "person", 5, { countedFrom: "closed" });
      await setCeiling(store, "transaction", 5);
      const found: string[] = [];
      const sizes: number[] = [];
      let after: ExpiryQuery["after"];
      do {
        const part = await find(store, onDay(50), { after, scannedMax: max + 4 });
        found.push(...part.expired.map(({ key }) => key.resourceId));
        sizes.push(part.expired.length);
        after = part.next;
      } while (after !== undefined);
      assert.deepEqual(sizes, [max, 6]);
      assert.equal(new Set(found).size, max + 6);
      const one = await find(store, onDay(50), { scannedMax: 1 });
      assert.deepEqual([one.expired.length, one.next?.resourceId], [1, "p0000"]);
    });

    it("reads ten records in place of one where none can have reached it", async (test) => {
      const { store } = await openAcme(engine, test);
      const ids = Array.from({ length: 25 }, (_, index) => `t${String(index).padStart(2, "0")}`);
      await store.write(ids.map((id) => transaction(id, seen(1))));
      await setCeiling(store, "transaction", 5);
      const ends: (string | undefined)[] = [];
      let after: ExpiryQuery["after"];
      do {
        const part = await find(store, onDay(2), { after, scannedMax: 1 });
        assert.deepEqual([part.expired, part.isEmpty, part.dueFrom], [[], false, onDay(6)]);
        after = part.next;
        ends.push(after?.resourceId);
      } while (after !== undefined);
      assert.deepEqual(ends, ["t09", "t19", undefined]);
      const upTo = keyOf("transaction", "t09");
      const { next } = await find(store, onDay(2), { upTo, scannedMax: 1 });
      assert.equal(next, undefined);
    });
  });
}
