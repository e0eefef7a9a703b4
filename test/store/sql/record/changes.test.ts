// How much of the changes of records one transaction reads: as much as it may rewrite, in order, and nothing twice.

import assert from "node:assert/strict";
import { it, type TestContext } from "node:test";
import { limits } from "../../../../src/domain/limits.ts";
import { readInTurn, type Wanted } from "../../../../src/store/sql/record/changes.ts";
import { Connection } from "../../../../src/store/sqlite/connection.ts";
import { acme, draftOf, keyOf, operator, organization } from "../../../conformance/scene.ts";
import { makePlace } from "../../sqlite/place.ts";

const max = limits.rewrittenChangesMax;
const inShort = 3;
const inLong = max + 50;

/** Two records with few changes and one with many. Returns a function that says what is read: how many changes each. */
async function openRecords(test: TestContext) {
  const place = makePlace(test);
  const store = await place.open({ role: "command" });
  await store.createOrganization(organization(acme), operator);
  const counts = { a: inShort, b: inShort, long: inLong };
  for (const [id, count] of Object.entries(counts)) {
    const drafts = Array.from({ length: count }, (_, amount) =>
      draftOf("transaction", id, { amount }),
    );
    await store.write(drafts, { mode: "append" });
  }
  const connection = new Connection(place.path, { readOnly: true });
  test.after(() => connection[Symbol.dispose]());
  const read = (...lists: readonly (readonly Wanted[])[]) => connection.perform(readInTurn, lists);
  const count = (...lists: readonly (readonly Wanted[])[]) =>
    read(...lists).map((list) =>
      list.map(({ changes, isLast }) => `${changes.length}${isLast ? "" : " and more"}`),
    );
  return { read, count };
}

function wanted(id: string, { after = 0, isConfidential = false } = {}): Wanted {
  return { key: keyOf("transaction", id), after, isConfidential };
}

it("ends a list within a record with many changes, and continues there", async (test) => {
  const { read, count } = await openRecords(test);
  const list = [wanted("a"), wanted("long"), wanted("b")];
  assert.deepEqual(count(list), [["3", `${max - inShort} and more`]]);
  const after = read(list)[0]?.[1]?.changes.at(-1)?.change_no ?? 0;
  const left = inLong - (max - inShort);
  assert.deepEqual(count([wanted("long", { after }), wanted("b")]), [[`${left}`, "3"]]);
  assert.deepEqual(count([wanted("none"), wanted("b")]), [["0", "3"]]);
});

it("shares what it reads of a record, unless a list continues elsewhere in it", async (test) => {
  const { read, count } = await openRecords(test);
  const lists = [[wanted("a"), wanted("long")], [wanted("a")], [wanted("long"), wanted("a")]];
  const part = `${max - inShort} and more`;
  assert.deepEqual(count(...lists), [["3", part], ["3"], [part]]);
  const [[, long] = []] = read(...lists);
  const after = long?.changes.at(-1)?.change_no ?? 0;
  const continued = [wanted("long", { after })];
  const left = `${inLong - (max - inShort)}`;
  assert.deepEqual(count(continued, [wanted("long")], [wanted("a")]), [[left], [], ["3"]]);
});

it("reads as much of other records, however much it reads of confidential ones", async (test) => {
  const { count } = await openRecords(test);
  const long = wanted("long", { isConfidential: true });
  assert.deepEqual(count([long], [wanted("a")]), [[`${max} and more`], ["3"]]);
  assert.deepEqual(count([wanted("long")], [wanted("a")]), [[`${max} and more`], []]);
});
