// Room for request bodies: what fits is admitted at once, what does not waits, and released room is
// reused.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { MemoryBudget, type Reservation } from "../../../src/http/load/memory-budget.ts";

const options = {
  totalBytesMax: 100,
  organizationBytesMax: 60,
  assuredBytes: 0,
  waitMsMax: 60_000,
  waitingMax: 2,
};
const here = new AbortController().signal;

/** Which of the promises are settled by now. */
async function settled(
  waits: readonly (Reservation | Promise<Reservation>)[],
): Promise<readonly boolean[]> {
  const none = Symbol("none");
  return Promise.all(
    waits.map(async (wait) => (await Promise.race([wait, Promise.resolve(none)])) !== none),
  );
}

describe("the body budget", () => {
  it("grants room at once while there is some, per organization and in total", () => {
    const budget = new MemoryBudget(options);
    const first = budget.reserve("a", 60, here);
    assert.ok(!(first instanceof Promise));
    assert.ok(budget.reserve("a", 1, here) instanceof Promise, "the organization has no room left");
    assert.ok(!(budget.reserve("b", 40, here) instanceof Promise));
    assert.ok(budget.reserve("c", 1, here) instanceof Promise, "there is no room left");
    assert.equal(budget.heldBytes, 100);
  });

  it("grants released room to those that wait, each organization in order", async () => {
    const budget = new MemoryBudget(options);
    const first = budget.reserve("a", 60, here) as Reservation;
    const waits = [budget.reserve("a", 50, here), budget.reserve("a", 10, here)];
    assert.deepEqual(await settled(waits), [false, false]);
    first.release();
    first.release();
    assert.deepEqual(await settled(waits), [true, true]);
    assert.equal(budget.heldBytes, 60);
  });

  it("does not let a large body of one organization keep others waiting", async () => {
    const budget = new MemoryBudget(options);
    const held = [budget.reserve("a", 60, here), budget.reserve("b", 40, here)] as Reservation[];
    const waits = [budget.reserve("a", 60, here), budget.reserve("c", 30, here)];
    held[1]?.release();
    assert.deepEqual(await settled(waits), [false, true]);
  });

  it("keeps new bodies waiting beyond a lower bound, and admits them when it is lifted", async () => {
    const budget = new MemoryBudget({ ...options, organizationBytesMax: 100 });
    const first = budget.reserve("a", 60, here) as Reservation;
    budget.boundNew(50);
    const waits = [budget.reserve("b", 10, here), budget.reserve("c", 50, here)];
    first.extend(20);
    assert.deepEqual(await settled(waits), [false, false]);
    first.release();
    assert.deepEqual(await settled(waits), [true, false]);
    budget.boundNew(100);
    assert.deepEqual(await settled(waits), [true, true]);
    assert.equal(budget.heldBytes, 60);
  });

  it("assures each organization of a little room beyond a lower bound, within the total", async () => {
    const budget = new MemoryBudget({ ...options, assuredBytes: 20 });
    const waits = [budget.reserve("a", 60, here)];
    budget.boundNew(50);
    waits.push(budget.reserve("b", 15, here), budget.reserve("b", 10, here));
    waits.push(budget.reserve("c", 20, here), budget.reserve("d", 20, here));
    assert.deepEqual(await settled(waits), [true, true, false, true, false]);
  });

  it("lets a body grow beyond a lower bound only if it is alone", () => {
    const budget = new MemoryBudget({ ...options, organizationBytesMax: 100 });
    const first = budget.reserve("a", 60, here) as Reservation;
    const second = budget.reserve("b", 10, here) as Reservation;
    budget.boundNew(50);
    assert.throws(() => first.extend(1), { errorName: "unavailable" });
    second.release();
    first.extend(40);
    assert.throws(() => first.extend(1), { errorName: "unavailable" });
  });

  it("refuses what has waited too long, or exceeds the number that may wait", async () => {
    const budget = new MemoryBudget({ ...options, waitMsMax: 10 });
    assert.ok(!(budget.reserve("a", 60, here) instanceof Promise));
    const waits = [budget.reserve("a", 1, here), budget.reserve("a", 1, here)];
    assert.throws(() => budget.reserve("a", 1, here), { errorName: "unavailable" });
    for (const wait of waits) {
      await assert.rejects(Promise.resolve(wait), {
        errorName: "unavailable",
        retryAfterSeconds: 1,
      });
    }
    assert.equal(budget.heldBytes, 60);
  });

  it("forgets clients that disconnect", async () => {
    const budget = new MemoryBudget(options);
    const held = budget.reserve("a", 60, here) as Reservation;
    const gone = new AbortController();
    const wait = budget.reserve("a", 60, gone.signal);
    gone.abort();
    await assert.rejects(Promise.resolve(wait));
    const after = budget.reserve("a", 60, gone.signal);
    await assert.rejects(Promise.race([after, new Promise(setImmediate)]));
    held.release();
    assert.equal(budget.heldBytes, 0);
  });

  it("extends room only while there is some", () => {
    const budget = new MemoryBudget(options);
    const reservation = budget.reserve("a", 10, here) as Reservation;
    reservation.extend(50);
    assert.throws(() => reservation.extend(1), { errorName: "unavailable" });
    reservation.release();
    assert.equal(budget.heldBytes, 0);
  });

  it("never exceeds its bounds, and finally serves or refuses everybody", async () => {
    const anyStep = fc.record({
      organization: fc.constantFrom("a", "b", "c"),
      bytes: fc.integer({ min: 1, max: 60 }),
      releaseFirst: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), async (steps) => {
        const budget = new MemoryBudget({ ...options, waitingMax: 100 });
        const reservations: Reservation[] = [];
        const waits: Promise<unknown>[] = [];
        for (const { organization, bytes, releaseFirst } of steps) {
          if (releaseFirst) reservations.shift()?.release();
          waits.push(
            Promise.resolve(budget.reserve(organization, bytes, here)).then((reservation) =>
              reservations.push(reservation),
            ),
          );
          await Promise.resolve();
          assert.ok(budget.heldBytes <= 100);
        }
        for (let round = 0; round <= steps.length; round += 1) {
          await new Promise(setImmediate);
          for (const reservation of reservations.splice(0)) reservation.release();
        }
        await Promise.all(waits);
        for (const reservation of reservations) reservation.release();
        assert.equal(budget.heldBytes, 0);
      }),
    );
  });
});
