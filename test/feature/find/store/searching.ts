// The index of persons and companies: what is due, what is found, and that it is erased with its records on every path.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { persons } from "../../../../src/feature/find/store/part.ts";
import type { RecordKey } from "../../../../src/domain/record/record-write.ts";
import { searchedTypes } from "../../../../src/feature/find/store/tokens.ts";
import { recordTypes } from "../../../../src/domain/record-types.ts";
import type { DuePage } from "../../../../src/feature/find/store/index-tokens.ts";
import type { TestStore } from "../../../support/test-store.ts";
import { type Engine, openSite } from "../../../conformance/engine.ts";
import {
  acme,
  draftOf,
  keyOf,
  mark,
  operator,
  organization,
  other,
} from "../../../conformance/scene.ts";

const person = { resourceType: "person" };
const hashOf = (text: string): Uint8Array => Buffer.alloc(16, text);

async function open(engine: Engine, test: Parameters<typeof openSite>[1]): Promise<TestStore> {
  const { store } = await openSite(engine, test);
  for (const id of [acme, other]) await store.createOrganization(organization(id), operator);
  return store;
}

/** What is due beyond the mark. */
async function dueIds(store: TestStore, more: Partial<DuePage> = {}): Promise<readonly string[]> {
  const { indexedNo: after } = await store.of(persons).state();
  const { settled } = await store.settledArrival();
  const page = { after, through: settled, settled, limit: 99, ...more };
  return (await store.of(persons).listDue(page)).map(({ resourceId }) => resourceId);
}

/** Moves the mark to the latest arrival. */
async function markAll(store: TestStore): Promise<void> {
  const { keyCheck, indexedNo: from } = await store.of(persons).state();
  const { settled: to } = await store.settledArrival();
  assert.ok(await store.of(persons).store([], { keyCheck, mark: { from, to } }));
}

/** Indexes a record under these texts, and leaves the mark where it is. */
async function index(store: TestStore, key: RecordKey, ...texts: readonly string[]): Promise<void> {
  const [change] = await store.of(persons).readChanges([key], 1);
  const tokens = texts.map((text) => ({ hash: hashOf(text), field: "name", former: false }));
  await store
    .of(persons)
    .store([{ ...key, changeNo: change?.changeNo ?? 0, tokens }], { keyCheck: 0 });
}

async function find(
  store: TestStore,
  texts: readonly string[],
  { organizationId = acme, rowsMax = 100 } = {},
) {
  const { tokens, more } = await store.of(persons).find({
    organizationId,
    hashes: texts.map(hashOf),
    recordsMax: 2,
    rowsMax,
  });
  return [...tokens.map(({ at, resourceId }) => `${at} ${resourceId}`).sort(), more];
}

export function testSearching(engine: Engine): void {
  describe(`${engine.name}: the index of persons and companies`, () => {
    it("is of the types that are parties", () => {
      const parties = recordTypes.filter(({ party }) => party === true);
      assert.deepEqual(
        parties.map(({ resourceType }) => resourceType).sort(),
        searchedTypes.toSorted(),
      );
    });

    it("is due for what is written by any path, and for no other type", async (test) => {
      const store = await open(engine, test);
      await store.add("transaction", "t");
      await store.add("person", "one");
      const list = Array.from({ length: 40 }, (_, at) => draftOf("person", `list ${at + 10}`));
      await store.write(list, person);
      await store.write(draftOf("company", "c"), {
        resourceType: "company",
        idempotency: mark("c"),
      });
      const due = await dueIds(store);
      assert.equal(due.length, 42);
      assert.deepEqual([due[0], due[41]], ["one", "c"]);
      assert.deepEqual(await dueIds(store, { limit: 2 }), due.slice(0, 2));
      await markAll(store);
      assert.deepEqual(await dueIds(store), []);
      await store.write(draftOf("person", "one", { name: "B" }), { ...person, mode: "update" });
      await store.add("person", "two");
      await store.write(draftOf("transaction", "t"), { mode: "update" });
      assert.deepEqual(await dueIds(store), ["one", "two"]);
      // Of several changes, the last one counts that arrived by then.
      assert.deepEqual((await dueIds(store, { after: 0 })).slice(-2), ["one", "two"]);
      assert.equal((await dueIds(store, { after: 0, settled: 5 }))[0], "one");
      await store.requireConsistent();
    });

    it("is due for nothing of a list that is refused", async (test) => {
      const store = await open(engine, test);
      await store.add("person", "known", { name: "A" });
      await markAll(store);
      const ids = [...Array.from({ length: 30 }, (_, at) => `new ${at}`), "known"];
      const outcome = await store.write(
        ids.map((id) => draftOf("person", id)),
        person,
      );
      assert.equal(outcome.written, 0);
      assert.deepEqual(await dueIds(store), []);
      await store.requireConsistent();
    });

    it("finds a record by its hashes, in its organization only", async (test) => {
      const store = await open(engine, test);
      for (const id of ["one", "two", "three"]) {
        await store.add("person", id);
        await index(store, keyOf("person", id), "common", id);
      }
      assert.deepEqual(await find(store, ["one", "none"]), ["0 one", false]);
      assert.deepEqual(await find(store, ["one"], { organizationId: other }), [false]);
      // Of a common hash some records are read, and those that have a rare one too.
      assert.deepEqual(await find(store, ["common", "two"]), [
        "0 one",
        "0 three",
        "0 two",
        "1 two",
        true,
      ]);
      await index(store, keyOf("person", "one"), "changed");
      assert.deepEqual(await find(store, ["one", "changed"]), ["1 one", false]);
    });

    it("reads a bounded number of rows, however many hashes are searched for", async (test) => {
      const store = await open(engine, test);
      const commons = Array.from({ length: 8 }, (_, at) => `common ${at}`);
      for (const id of ["one", "two", "three", "with rare"]) {
        await store.add("person", id);
        await index(
          store,
          keyOf("person", id),
          ...commons,
          ...(id === "with rare" ? ["rare"] : []),
        );
      }
      const found = await find(store, [...commons, "rare"], { rowsMax: 9 });
      // One row of each hash, and two records of which the others are looked up.
      assert.equal(found.length, 9 + 8 + 1);
      assert.equal(found.filter((one) => String(one).endsWith(" with rare")).length, 9);
    });

    it("stores nothing of a record that has changed since it was read, which is due again", async (test) => {
      const store = await open(engine, test);
      await store.add("person", "p");
      const [read] = await store.of(persons).readChanges([keyOf("person", "p")], 1);
      await store.write(draftOf("person", "p", { name: "B" }), { ...person, mode: "update" });
      const late = { ...keyOf("person", "p"), changeNo: read?.changeNo ?? 0 };
      const token = { hash: hashOf("late"), field: "name", former: false };
      assert.equal(
        await store.of(persons).store([{ ...late, tokens: [token] }], { keyCheck: 0 }),
        false,
      );
      assert.deepEqual(await dueIds(store), ["p"]);
      assert.deepEqual(await find(store, ["late"]), [false]);
    });

    it("reads the latest changes of a record first, and so many", async (test) => {
      const store = await open(engine, test);
      await store.add("person", "p", { name: "1" });
      const update = { ...person, mode: "update" } as const;
      for (const name of ["2", "3"]) await store.write(draftOf("person", "p", { name }), update);
      const keys = [keyOf("person", "p"), keyOf("person", "unknown")];
      const changes = await store.of(persons).readChanges(keys, 2);
      const names = changes.map(({ payload }) => (JSON.parse(payload) as { name: string }).name);
      assert.deepEqual(names, ["3", "2"]);
    });

    it("takes nothing from a process that another one has overtaken, or that has another key", async (test) => {
      const store = await open(engine, test);
      await store.add("person", "p");
      const read = await store.of(persons).readChanges([keyOf("person", "p")], 1);
      const records = read.map((change) => {
        return { ...change, tokens: [{ hash: hashOf("a"), field: "name", former: false }] };
      });
      const step = { keyCheck: 0, mark: { from: 0, to: 1 } };
      assert.equal(
        await store.of(persons).store(records, { keyCheck: 0, mark: { from: 7, to: 8 } }),
        false,
      );
      await store.of(persons).begin(7);
      assert.equal(await store.of(persons).store(records, step), false);
      assert.equal(await store.of(persons).store(records, { keyCheck: 0 }), false);
      assert.deepEqual(await find(store, ["a"]), [false]);
      assert.deepEqual(await dueIds(store), ["p"]);
      assert.ok(await store.of(persons).store(records, { ...step, keyCheck: 7 }));
      assert.deepEqual(await store.of(persons).state(), { keyCheck: 7, indexedNo: 1 });
      assert.deepEqual(await find(store, ["a"]), ["0 p", false]);
      await store.of(persons).begin(8);
      assert.deepEqual(await store.of(persons).state(), { keyCheck: 8, indexedNo: 0 });
    });

    it("forgets a record with its erasure, indexed or due", async (test) => {
      const store = await open(engine, test);
      for (const id of ["indexed", "due", "stays"]) await store.add("person", id);
      for (const id of ["indexed", "stays"]) await index(store, keyOf("person", id), id);
      const [read] = await store.of(persons).readChanges([keyOf("person", "due")], 1);
      for (const id of ["indexed", "due"]) await store.erase("person", id);
      assert.deepEqual(await find(store, ["indexed", "stays"]), ["1 stays", false]);
      assert.deepEqual(await dueIds(store), ["stays"]);
      // What was read before the erasure is not stored after it.
      const late = { ...keyOf("person", "due"), changeNo: read?.changeNo ?? 0 };
      const token = { hash: hashOf("due"), field: "name", former: false };
      await store.of(persons).store([{ ...late, tokens: [token] }], { keyCheck: 0 });
      assert.deepEqual(await find(store, ["due"]), [false]);
      await store.requireConsistent();
    });

    it("forgets a closed organization in bounded steps", async (test) => {
      const store = await open(engine, test);
      for (const organizationId of [acme, other]) {
        const ids = Array.from({ length: 9 }, (_, at) => `p${at}`);
        await store.write(
          ids.map((id) => draftOf("person", id)),
          { ...person, organizationId },
        );
        for (const id of ids.slice(4)) await index(store, keyOf("person", id, organizationId), id);
      }
      const id = "del_everything";
      await store.closeAll(id);
      const late = await store.of(persons).readChanges([keyOf("person", "p0")], 1);
      await store.claim();
      const token = { hash: hashOf("late"), field: "name", former: false };
      const records = late.map((change) => ({ ...change, tokens: [token] }));
      assert.ok(await store.of(persons).store(records, { keyCheck: 0 }));
      assert.deepEqual(await find(store, ["late"]), [false]);
      while (!(await store.eraseOne(id, 4))) await store.requireConsistent();
      assert.equal((await store.finish(id, 4)).status, "completed");
      assert.deepEqual(await find(store, ["p5"]), [false]);
      assert.deepEqual(await find(store, ["p5"], { organizationId: other }), ["0 p5", false]);
      assert.equal((await dueIds(store)).length, 9);
    });
  });
}
