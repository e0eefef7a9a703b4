// What the feed reads from a store: every change of an organization in the order of arrival, up to the number that is
// settled, while several processes write.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { recordTypes } from "../../src/domain/record-types.ts";
import type { ArrivedChange } from "../../src/domain/record/record-write.ts";
import type { ArrivalQuery } from "../../src/store/sql/record/arrivals.ts";
import type { TestStore } from "../support/test-store.ts";
import { waitFor } from "../support/wait-for.ts";
import { type Engine, openSite } from "./engine.ts";
import { acme, keyOf, other, transaction } from "./scene.ts";

const writerCount = 16;
const eachWrites = 40;
const types = recordTypes.map(({ resourceType }) => resourceType);

async function read(
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
      const all = await read(store);
      assert.deepEqual(shown(all), ["b", "p", "b again", "a"]);
      assert.deepEqual(
        all.map(({ changeNo }) => changeNo),
        all.map(({ changeNo }) => changeNo).toSorted((one, two) => one - two),
      );
      assert.deepEqual([all[0]?.receivedAt, all[2]?.receivedAt], [7, 5]);
      assert.equal(all[0]?.payload, undefined);
      const full = await read(store, { content: true, types: ["transaction"] });
      assert.deepEqual(shown(full), ["b", "b again", "a"]);
      assert.equal(full[1]?.payload, update.payload);
      const after = all[1]?.changeNo ?? 0;
      assert.deepEqual(shown(await read(store, { after, limit: 1 })), ["b again"]);
      assert.deepEqual(shown(await read(store, { through: after })), ["b", "p"]);
      assert.deepEqual(shown(await read(store, { fromEnd: true, limit: 2 })), ["a", "b again"]);
      assert.deepEqual(shown(await read(store, { organizationId: other })), ["foreign"]);
    });

    it("has nothing of what is erased", async (test) => {
      const { store } = await openSite(engine, test);
      for (const id of ["a", "b", "c"]) await store.write(transaction(id));
      await store.write(transaction("b", { amount: 2 }), { mode: "update" });
      await store.request(keyOf("transaction", "b"));
      await store.processAll();
      assert.deepEqual(shown(await read(store)), ["a", "c"]);
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
        const part = await read(site.store, { after: followed.at(-1)?.changeNo ?? 0, limit: 50 });
        followed.push(...part);
        return followed.length === writerCount * eachWrites * 2 || undefined;
      };
      await waitFor("the reader to have everything", follow);
      await Promise.all(writers);
      assert.deepEqual(shown(followed).toSorted(), acknowledged.toSorted());
      assert.deepEqual(followed, await read(site.store));
    });
  });
}
