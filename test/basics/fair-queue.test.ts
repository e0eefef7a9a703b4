// A queue that keys share fairly.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { FairQueue } from "../../src/basics/fair-queue.ts";

function takeAll<Item>(queue: FairQueue<Item>): readonly Item[] {
  return Array.from(queue.inTurn(), (place) => queue.take(place));
}

function push(queue: FairQueue<string>, names: string, cost?: number) {
  return names.split(" ").map((item) => queue.push(item.slice(0, 1), item, cost));
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
}

const anyItems = fc.array(
  fc.record({
    key: fc.constantFrom("a", "b", "c"),
    cost: fc.integer({ min: 1, max: 9 }),
    isRemoved: fc.boolean(),
  }),
  { maxLength: 60 },
);

describe("a fair queue", () => {
  it("serves each key in turn until its credit is used up, in order of arrival", () => {
    const queue = new FairQueue<string>(2);
    push(queue, "a1 a2 a3 a4 b1 b2 b3 c1");
    assert.deepEqual(takeAll(queue), ["a1", "a2", "b1", "b2", "c1", "a3", "a4", "b3"]);
    assert.equal(queue.size, 0);
  });

  it("lets a key that overdraws its credit wait for as many turns", () => {
    const queue = new FairQueue<string>(2);
    push(queue, "a1", 5);
    push(queue, "a2 b1 b2 b3 b4 b5 b6");
    assert.deepEqual(takeAll(queue), ["a1", "b1", "b2", "b3", "b4", "a2", "b5", "b6"]);
  });

  it("passes over a key whose first item is not taken, and shows it next", () => {
    const queue = new FairQueue<string>();
    push(queue, "a1 a2 b1 b2 c1");
    const taken: string[] = [];
    for (const place of queue.inTurn()) {
      if (place.item !== "a1") taken.push(queue.take(place));
    }
    assert.deepEqual(taken, ["b1", "c1", "b2"]);
    assert.equal(queue.peek(), "a1");
    assert.deepEqual([queue.size, queue.sizeOf("a"), queue.sizeOf("b")], [2, 2, 0]);
  });

  it("goes on where it was when the next items are taken later", () => {
    const queue = new FairQueue<string>();
    push(queue, "a1 a2 a3 b1 b2 c1");
    const taken: string[] = [];
    const takeTwo = (): void => {
      let count = 0;
      for (const place of queue.inTurn()) {
        if (count === 2) return;
        count += 1;
        taken.push(queue.take(place));
      }
    };
    takeTwo();
    push(queue, "d1");
    takeTwo();
    takeTwo();
    takeTwo();
    assert.deepEqual(taken, ["a1", "b1", "c1", "a2", "b2", "d1", "a3"]);
  });

  it("keeps no item in memory that was taken while others wait", async () => {
    const queue = new FairQueue<object>();
    const pushed = (): WeakRef<object> => new WeakRef(queue.push("a", {}).item);
    const [taken, waiting] = [pushed(), pushed()];
    const takeFirst = (): void => {
      for (const place of queue.inTurn()) return void queue.take(place);
    };
    takeFirst();
    // A WeakRef keeps its object until the end of the tick in which it was made.
    await nextTick();
    collectGarbage();
    assert.equal(queue.size, 1);
    assert.equal(taken.deref(), undefined);
    assert.notEqual(waiting.deref(), undefined);
  });

  it("returns every item once, those of a key in order, but for those that were removed", () => {
    fc.assert(
      fc.property(anyItems, fc.integer({ min: 1, max: 5 }), (items, turnCost) => {
        const queue = new FairQueue<(typeof items)[number]>(turnCost);
        const places = items.map((item) => queue.push(item.key, item, item.cost));
        for (const place of places.filter(({ item }) => item.isRemoved)) {
          queue.remove(place);
          queue.remove(place);
        }
        const left = items.filter(({ isRemoved }) => !isRemoved);
        const ofKey = (list: typeof items, key: string) => list.filter((item) => item.key === key);
        assert.equal(queue.size, left.length);
        for (const key of "abc") assert.equal(queue.sizeOf(key), ofKey(left, key).length);
        const taken = [...takeAll(queue)];
        assert.equal(taken.length, left.length);
        for (const key of "abc") assert.deepEqual(ofKey(taken, key), ofKey(left, key));
        assert.deepEqual([queue.size, queue.sizeOf("a"), queue.peek()], [0, 0, undefined]);
      }),
    );
  });

  it("serves keys that always wait to within one turn and one item of each other", () => {
    fc.assert(
      fc.property(anyItems, fc.integer({ min: 1, max: 5 }), (items, turnCost) => {
        const queue = new FairQueue<(typeof items)[number]>(turnCost);
        for (const item of items) queue.push(item.key, item, item.cost);
        const served: Record<string, number> = { a: 0, b: 0, c: 0 };
        for (const place of queue.inTurn()) {
          const { key, cost } = queue.take(place);
          served[key] = (served[key] ?? 0) + cost;
          const waiting = Object.keys(served).filter((one) => queue.sizeOf(one) > 0);
          const costs = waiting.map((one) => served[one] ?? 0);
          if (costs.length > 1) {
            assert.ok(Math.max(...costs) - Math.min(...costs) <= turnCost + 9, String(costs));
          }
        }
      }),
    );
  });
});
