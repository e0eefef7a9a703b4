// The erasure of an organization whose changes are between those of another one: its changes go first, in bounded
// steps, and `check` knows why its records have none.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import {
  acme,
  operator,
  organization,
  other,
  transaction,
  worker,
} from "../../../conformance/scene.ts";
import type { TestStore } from "../../../support/test-store.ts";
import { makePlace, type Place } from "../place.ts";

const deletionRequestId = "del_everything";
const records = 90;
/** Rows of a step, of which it removes three times as many changes, and reads ten times as many numbers. */
const rowsMax = 4;
const update = { mode: "update" } as const;

async function openClosed(place: Place): Promise<TestStore> {
  const store = await place.open();
  for (const id of [acme, other]) await store.createOrganization(organization(id), operator);
  for (let index = 0; index < records; index += 1) {
    for (const organizationId of [acme, other]) {
      await store.write(transaction(`t${index}`), { organizationId });
    }
  }
  const longer = Array.from({ length: 20 }, (_, amount) => transaction("t7", { amount }));
  await store.write(longer, update);
  await store.closeAll(deletionRequestId);
  await store.claim();
  return store;
}

function countLeft(place: Place): { readonly records: number; readonly changes: number } {
  return place.withDatabase((database) => {
    const left = database.prepare(`
      SELECT count(DISTINCT record_no) AS records, count(change_no) AS changes
      FROM record LEFT JOIN change USING (record_no) WHERE organization_id = ?`);
    return left.get(acme) as { records: number; changes: number };
  });
}

async function requireErased(store: TestStore): Promise<void> {
  await store.requireConsistent();
  assert.equal((await store.finish(deletionRequestId)).status, "completed");
  assert.deepEqual(await store.countRecords(acme), {});
  assert.deepEqual(await store.countRecords(other), { transaction: records });
}

describe("the erasure of an organization on SQLite", () => {
  it("removes nearly all changes before the first record, in bounded steps", async (test: TestContext) => {
    const place = makePlace(test);
    const store = await openClosed(place);
    let before = countLeft(place);
    for (let done = false; !done;) {
      done = await store.eraseOne(deletionRequestId, rowsMax);
      const left = countLeft(place);
      assert.ok(before.changes - left.changes <= 5 * rowsMax, JSON.stringify([before, left]));
      assert.ok(before.records - left.records <= 2 * rowsMax, JSON.stringify([before, left]));
      if (before.records === records && left.records < records) {
        assert.ok(before.changes <= 21 + 3 * rowsMax, `${before.changes}`);
      }
      await store.requireConsistent();
      before = left;
    }
    await requireErased(store);
  });

  it("continues with the records after a restart", async (test) => {
    const place = makePlace(test);
    let store = await openClosed(place);
    for (let steps = 0; countLeft(place).changes > records / 2; steps += 1) {
      assert.ok(steps < records);
      await store.eraseOne(deletionRequestId, rowsMax);
    }
    await store.close();
    store = await place.open();
    assert.equal(countLeft(place).records, records);
    await store.claim(worker.now * 2);
    await requireErased(store);
  });

  it("is no reason for another organization to have a record without a change", async (test) => {
    const place = makePlace(test);
    const store = await openClosed(place);
    for (let steps = 0; steps < 9; steps += 1) await store.eraseOne(deletionRequestId, rowsMax);
    assert.ok(countLeft(place).changes < records);
    await store.requireConsistent();
    place.withDatabase((database) => database.exec("DELETE FROM change WHERE record_no = 2"));
    const { findings } = await store.checkIntegrity();
    assert.deepEqual(findings, ["A record has no change: record 2."]);
  });
});
