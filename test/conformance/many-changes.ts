// A record with many changes, some of which are equal: an identical one is found among the first changes, which are
// compared one by one, and among the later ones, which are found by their digests.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import type { Payload } from "../../src/domain/record-type.ts";
import type { Draft, WriteMode } from "../../src/domain/record/record-write.ts";
import { comparedChanges } from "../../src/store/shared/payload-digest.ts";
import { type Engine, openSite } from "./engine.ts";
import { Model } from "./model.ts";
import { keyOf, operator, transaction } from "./scene.ts";
import type { TestStore } from "../support/test-store.ts";

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
