// The dry run of a deletion is what the worker does: what it erases, moves and rewrites, and everything that prevents
// it. Where it was cut, it contains only what is certain.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseNodeKey, nodeKey } from "../../src/domain/deletion/erasure.ts";
import { restrictedId } from "../../src/domain/deletion/restricted-set.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import type { DryRunPart, DryRunQuery } from "../../src/store/interface/deletion.ts";
import { makeRandom } from "../support/random.ts";
import type { TestStore } from "../support/test-store.ts";
import { type Engine, openAcme } from "./engine.ts";
import { day, keyOf, onDay, seen, worker } from "./scene.ts";

const report = "transaction_suspicious_activity";
const allTypes = recordTypes.map(({ resourceType }) => resourceType);
const openTypes = allTypes.filter((type) => type !== report && type !== "customer_sar");

/** What a deletion that is requested at the time of the worker would do then. */
function dryRun(
  store: TestStore,
  [resourceType, resourceId]: readonly [type: string, id: string],
  more: Partial<DryRunQuery> = {},
): Promise<DryRunPart> {
  const { now } = worker;
  const asked = { restrictedOf: undefined, requestedAt: now, status: "pending" } as const;
  return store.plans.dryRun({
    deletion: { ...keyOf(resourceType, resourceId), ...asked, deletionRequestId: "" },
    now,
    types: allTypes,
    relationsMax: 1_000,
    recordsMax: 1_000,
    after: undefined,
    ...more,
  });
}

function count(nodes: readonly { readonly type: string }[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { type } of nodes) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

function textsOf(nodes: DryRunPart["erased"]): ReadonlySet<string> {
  return new Set(nodes.map(({ type, id }) => nodeKey(type, id)));
}

/** Records that belong to some of two transactions, with reports of which one is under a floor. */
async function fillAtRandom(store: TestStore, seed: number): Promise<void> {
  const random = makeRandom(seed);
  const some = (prefix: string, max: number) =>
    Array.from({ length: max }, (_, index) => `${prefix}${index}`).filter(() => random.chance(0.5));
  await store.add("person", "p0", seen(2));
  for (const id of ["t0", "t1"]) {
    const parties = random.chance(0.5) ? { sender_id: "p0", sender_country: "DE" } : {};
    await store.add("transaction", id, { ...seen(2), ...parties });
  }
  for (const id of ["c0", "c1"]) {
    await store.add("transaction_check", id, { ...seen(2), related_tx_ids: some("t", 2) });
  }
  for (const id of ["a0", "a1"]) {
    const [check] = some("c", 2);
    const related = check === undefined ? {} : { related_check_id: check };
    await store.add("transaction_alert", id, {
      ...seen(2),
      related_tx_ids: some("t", 2),
      ...related,
    });
  }
  for (const id of ["r0", "r1"]) {
    await store.add(report, id, { ...seen(2), related_tx_ids: some("t", 2) });
  }
  await store.add("screening", "s0", { ...seen(2), related_person_id: "p0" });
  await store.setFloor(report, random.chance(0.5) ? 100 : 1);
}

export function testDryRun(engine: Engine): void {
  describe(`${engine.name}: the dry run of a deletion`, () => {
    it("is what the worker then does", async (test) => {
      for (let seed = 0; seed < 3; seed += 1) {
        const { store } = await openAcme(engine, test);
        await fillAtRandom(store, seed);
        for (const key of [
          ["transaction", "t0"],
          ["person", "p0"],
        ] as const) {
          const [type, resourceId] = key;
          const plan = await dryRun(store, key);
          assert.deepEqual(
            [plan.holds, plan.floors, plan.isCut, plan.next],
            [[], [], false, undefined],
          );
          const id = await store.request(keyOf(type, resourceId));
          await store.processAll(worker.now);
          const { erased, kept, redactedByType } = await store.deletionOf(id ?? "");
          const { restriction, redacted, named } = plan;
          const expected = [count(plan.erased), count(restriction.moved)];
          assert.deepEqual([erased, kept], expected, `seed ${seed} ${key.join(" ")}`);
          const query = { set: restrictedId(id ?? ""), after: undefined, limit: 100 };
          const references = await store.restricted.listReferences(query);
          const staying = references.filter(({ fromSet }) => fromSet === undefined);
          assert.deepEqual(
            textsOf(restriction.reports),
            new Set(staying.map(({ fromType, fromId }) => nodeKey(fromType, fromId))),
          );
          const rewritten = new Set(Object.keys(count(redacted)));
          if (named.length > 0) assert.equal(redactedByType["transaction"], named.length);
          for (const one of rewritten) assert.ok((redactedByType[one] ?? 0) > 0);
        }
      }
    });

    it("names every hold, and of each type the floor that ends last", async (test) => {
      const { store } = await openAcme(engine, test);
      await store.add("person", "p", seen(2));
      for (const [id, date] of [
        ["s1", 3],
        ["s2", 9],
      ] as const) {
        await store.add("screening", id, { ...seen(date), related_person_id: "p" });
      }
      for (const [id, date] of [
        ["t1", 7],
        ["t2", 4],
      ] as const) {
        await store.add("transaction", id, { ...seen(date), sender_id: "p", sender_country: "DE" });
      }
      await store.add("risk_assessment", "r", { ...seen(2), related_person_id: "p" });
      for (const type of ["screening", "transaction"]) await store.setFloor(type, 50);
      await store.setFloor("risk_assessment", 1);
      for (const key of [keyOf("screening", "s1"), keyOf("transaction", "t2")])
        await store.hold(key);
      const { holds, floors, named } = await dryRun(store, ["person", "p"], { now: onDay(5) });
      assert.deepEqual(
        holds.map(({ resourceId }) => resourceId),
        ["s1", "t2"],
      );
      assert.deepEqual(
        floors.map(({ resourceType, until }) => [resourceType, until]),
        [
          ["screening", onDay(9) + 50 * day],
          ["transaction", onDay(7) + 50 * day],
        ],
      );
      assert.deepEqual(new Set(named), new Set(["t1", "t2"]));
      assert.deepEqual((await dryRun(store, ["person", "p"], { now: onDay(59) })).floors, []);
    });

    it("says until when the last floor keeps a report, to those who may know", async (test) => {
      const { store } = await openAcme(engine, test);
      for (const id of ["t1", "t2"]) await store.add("transaction", id, seen(2));
      const ids = { related_tx_ids: ["t1"] };
      await store.add(report, "moves", { ...seen(3), ...ids });
      await store.add(report, "stays", { ...seen(8), related_tx_ids: ["t1", "t2"] });
      await store.setFloor(report, 90);
      const key = ["transaction", "t1"] as const;
      assert.deepEqual((await dryRun(store, key)).restriction, {
        moved: [report, "transaction"].map((type) =>
          parseNodeKey(nodeKey(type, type === report ? "moves" : "t1")),
        ),
        reports: [{ type: report, id: "stays" }],
        until: onDay(8) + 90 * day,
        isHeld: false,
      });
      const without = await dryRun(store, key, { types: openTypes });
      const another = await dryRun(store, ["transaction", "t2"], { types: openTypes });
      assert.deepEqual(without, { ...another, erased: [{ type: "transaction", id: "t1" }] });
    });

    it("names a report about a transaction of a person, directly or by an alert, to those who may know", async (test) => {
      const { store } = await openAcme(engine, test);
      await store.add("person", "p", seen(2));
      for (const id of ["t1", "t2"]) {
        await store.add("transaction", id, { ...seen(2), sender_id: "p", sender_country: "DE" });
      }
      await store.add("transaction_alert", "a", { ...seen(2), related_tx_ids: ["t2"] });
      await store.add(report, "direct", { ...seen(3), related_tx_ids: ["t1"] });
      await store.add(report, "by alert", {
        ...seen(8),
        related_alert_id: "a",
        related_tx_ids: [],
      });
      await store.add(report, "ended", { ...seen(2), related_tx_ids: ["t1"] });
      await store.setFloor(report, 90);
      const key = ["person", "p"] as const;
      const now = onDay(2) + 90 * day;
      const { restriction } = await dryRun(store, key, { now });
      assert.deepEqual(
        [textsOf(restriction.reports), restriction.until],
        [new Set(["direct", "by alert"].map((id) => nodeKey(report, id))), onDay(8) + 90 * day],
      );
      const parts = await dryRun(store, key, { now, recordsMax: 1 });
      assert.ok(parts.restriction.reports.length > 0);
      const nothing = { moved: [], reports: [], until: undefined, isHeld: false };
      assert.deepEqual((await dryRun(store, key, { now, types: openTypes })).restriction, nothing);
    });

    it("contains only what is certain where there is more than it reads", async (test) => {
      const { store } = await openAcme(engine, test);
      for (const id of ["t1", "t2"]) await store.add("transaction", id, seen(2));
      for (let no = 0; no < 20; no += 1) {
        const related = no % 2 === 0 ? ["t1"] : ["t1", "t2"];
        await store.add("transaction_check", `c${no}`, { ...seen(2), related_tx_ids: related });
        const alert = { ...seen(2), related_check_id: `c${no}`, related_tx_ids: ["t1"] };
        await store.add("transaction_alert", `a${no}`, alert);
      }
      const key = ["transaction", "t1"] as const;
      const all = await dryRun(store, key);
      assert.deepEqual([all.isCut, all.erased.length, all.redacted.length], [false, 21, 20]);
      const erased = textsOf(all.erased);
      const redacted = textsOf(all.redacted);
      for (let relationsMax = 1; relationsMax < 140; relationsMax += 3) {
        const part = await dryRun(store, key, { relationsMax });
        assert.ok(textsOf(part.erased).isSubsetOf(erased), `${relationsMax}`);
        assert.ok(textsOf(part.redacted).isSubsetOf(redacted), `${relationsMax}`);
        const isWhole = part.erased.length + part.redacted.length === 41;
        assert.ok(isWhole || part.isCut, `${relationsMax}`);
      }
    });
  });
}
