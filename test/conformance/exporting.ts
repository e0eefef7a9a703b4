// What an export reads from a store: every change up to one moment, in order, page by page, while writes continue.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ExportedChange } from "../../src/domain/record/record-write.ts";
import { waitFor } from "../support/wait-for.ts";
import { type Engine, openSite } from "./engine.ts";
import { acme, keyOf, other, transaction } from "./scene.ts";
import type { TestStore } from "../support/test-store.ts";

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
