// Lists long enough to be stored with several records per statement, of which some already exist: the result is the
// same as if each draft had been sent alone, and a rejected list leaves nothing. A record with many changes, some of
// which are equal: an identical one is found among the first changes, which are compared one by one, and among the
// later ones, which are found by their digests.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import type { Draft, DraftOutcome, WriteMode } from "../../src/domain/record/record-write.ts";
import { type Engine, openSite } from "./engine.ts";
import { acme, draftOf, keyOf, operator, transaction } from "./scene.ts";
import type { TestStore } from "../support/test-store.ts";
import type { Payload } from "../../src/domain/record-type.ts";
import { comparedChanges } from "../../src/store/shared/payload-digest.ts";
import { Model } from "./model.ts";

const check = "transaction_check";
const count = 53;

/** Checks of one transaction each, named by their position in the list. */
function checks(owner: string): readonly Draft[] {
  return Array.from({ length: count }, (_, index) =>
    draftOf(check, `check ${index}`, { related_tx_ids: [owner] }),
  );
}

function writeChecks(store: TestStore, drafts: readonly Draft[], lenient: boolean) {
  return store.write(drafts, { resourceType: check, lenient });
}

/**
 * Processes the deletion of the transaction, and returns how many records of each type were erased
 * with it.
 */
async function erasedWith(store: TestStore, id: string): Promise<unknown> {
  const asked = await store.request(keyOf("transaction", id));
  await store.claim();
  return (await store.finish(asked)).erased;
}

async function changeCounts(store: TestStore): Promise<readonly number[]> {
  const counts: number[] = [];
  for (let index = 0; index < count; index += 1) {
    counts.push((await store.changesOf(keyOf(check, `check ${index}`))).length);
  }
  return counts;
}

export function testLongLists(engine: Engine): void {
  describe(`${engine.name}: a long list of new records`, () => {
    for (const there of [15, count - 1]) {
      it(`stores nothing if it is strict and number ${there} already exists`, async (test) => {
        const { store } = await openSite(engine, test);
        await store.add("transaction", "owner");
        await store.add(check, `check ${there}`);
        const { written, drafts } = await writeChecks(store, checks("owner"), false);
        assert.equal(written, 0);
        assert.equal(drafts[there], "record_exists");
        assert.deepEqual(await store.countRecords(acme), { transaction: 1, [check]: 1 });
        for (let index = 0; index < count; index += 1) {
          assert.equal(await store.exists(keyOf(check, `check ${index}`)), index === there);
        }
        assert.deepEqual(await erasedWith(store, "owner"), { transaction: 1 });
        await store.requireConsistent();
      });

      it(`stores all others if it is lenient and number ${there} already exists`, async (test) => {
        const { store } = await openSite(engine, test);
        await store.add("transaction", "owner");
        await store.add(check, `check ${there}`);
        const { written, drafts } = await writeChecks(store, checks("owner"), true);
        assert.equal(written, count - 1);
        const expected: DraftOutcome[] = Array.from({ length: count }, () => "created");
        expected[there] = "record_exists";
        assert.deepEqual(drafts, expected);
        assert.deepEqual(
          await changeCounts(store),
          Array.from({ length: count }, () => 1),
        );
        assert.deepEqual(await erasedWith(store, "owner"), { transaction: 1, [check]: count - 1 });
        await store.requireConsistent();
      });
    }

    it("can be sent again after it was refused, and the numbers that follow are in order", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("transaction", "owner");
      const all = checks("owner");
      const again = [...all.slice(0, -1), ...all.slice(0, 1)];
      assert.equal((await writeChecks(store, again, false)).written, 0);
      const before = await store.latestArrival();
      assert.equal((await writeChecks(store, all, false)).written, count);
      assert.ok((await store.latestArrival()) >= before + count);
      assert.deepEqual(
        await changeCounts(store),
        Array.from({ length: count }, () => 1),
      );
    });

    it("evaluates a record that it contains twice against its first occurrence", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("transaction", "owner");
      const all = checks("owner");
      const twice = [...all.slice(0, 20), ...all.slice(3, 5), ...all.slice(20)];
      const { written, drafts } = await writeChecks(store, twice, true);
      assert.equal(written, count);
      assert.deepEqual(drafts.slice(19, 23), [
        "created",
        "identical_record_exists",
        "identical_record_exists",
        "created",
      ]);
    });

    it("rolls back completely, with no effect on the list that follows", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("transaction", "owner");
      await store.add("transaction", "heir");
      await store.add(check, "check 50");
      await writeChecks(store, checks("owner"), false);
      const outcome = await writeChecks(store, checks("heir").slice(0, 50), false);
      assert.equal(outcome.written, 50);
      assert.deepEqual(await erasedWith(store, "owner"), { transaction: 1 });
      assert.deepEqual(await erasedWith(store, "heir"), { transaction: 1, [check]: 50 });
    });
  });
}

interface Step {
  readonly mode: WriteMode;
  readonly amounts: readonly number[];
  /** Whether a deletion of another record of the organization is open. */
  readonly deletionOpen: boolean;
}

/** Few amounts, so that many changes are equal, and more than are compared one by one. */
const anyAmount = fc.nat(comparedChanges + 8);
const anyStep: fc.Arbitrary<Step> = fc.record({
  mode: fc.constantFrom<WriteMode>("append", "append", "update", "add"),
  amounts: fc.array(anyAmount, { minLength: 1, maxLength: 5 }),
  deletionOpen: fc.boolean(),
});

export function testManyChanges(engine: Engine): void {
  describe(`${engine.name}: a record with many changes`, () => {
    it("has the same result as in the model", async (test) => {
      const { store } = await openSite(engine, test);
      await store.add("transaction", "other");
      let runs = 0;
      const anySteps = fc.array(anyStep, { minLength: 4, maxLength: 14, size: "max" });
      await fc.assert(
        fc.asyncProperty(anySteps, (steps) => {
          runs += 1;
          return runSteps(store, `run ${runs}`, steps);
        }),
        { numRuns: 25, endOnFailure: true },
      );
    });
  });
}

async function runSteps(store: TestStore, id: string, steps: readonly Step[]): Promise<void> {
  const model = new Model();
  const draftsOf = (amounts: readonly number[]) =>
    amounts.map((amount) => transaction(id, { amount }));
  for (const { mode, amounts, deletionOpen } of [firstStep, ...steps]) {
    const drafts = draftsOf(amounts);
    const deletion = deletionOpen ? await store.request(keyOf("transaction", "other")) : undefined;
    const outcome = await store.write(drafts, { mode, lenient: true });
    const options = { mode, lenient: true };
    assert.deepEqual(outcome, model.write("transaction", drafts.map(payloadOf), options));
    if (deletion !== undefined) await store.cancelDeletion(deletion, operator);
  }
  const expected = model.records.get(`transaction/${id}`);
  assert.deepEqual(await store.payloadsOf(keyOf("transaction", id)), expected);
}

/** So that some of the next changes are still compared one by one, and others are not. */
const firstStep: Step = {
  mode: "append",
  amounts: Array.from({ length: comparedChanges - 6 }, (_, index) => index),
  deletionOpen: false,
};

function payloadOf({ payload }: Draft): Payload {
  return JSON.parse(payload) as Payload;
}
