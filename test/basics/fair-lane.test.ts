// A queue that organizations share fairly.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { FairLane } from "../../src/basics/fair-lane.ts";

function takeAll(lane: FairLane<string>): readonly string[] {
  const taken: string[] = [];
  lane.take(taken, () => true);
  return taken;
}

function push(lane: FairLane<string>, names: string, rows = 1): void {
  for (const item of names.split(" ")) {
    lane.push({ item, organizationId: item.slice(0, 1), rows, bytes: 1 });
  }
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
}

describe("a fair lane", () => {
  it("serves each organization in turn until its credit is used up, in order of arrival", () => {
    const lane = new FairLane<string>(2);
    push(lane, "a1 a2 a3 a4 b1 b2 b3 c1");
    assert.deepEqual(takeAll(lane), ["a1", "a2", "b1", "b2", "c1", "a3", "a4", "b3"]);
    assert.equal(lane.size, 0);
  });

  it("lets an organization that overdraws its credit wait for as many turns", () => {
    const lane = new FairLane<string>(2);
    push(lane, "a1", 5);
    push(lane, "a2 b1 b2 b3 b4 b5 b6");
    assert.deepEqual(takeAll(lane), ["a1", "b1", "b2", "b3", "b4", "a2", "b5", "b6"]);
  });

  it("keeps no item in memory that was taken while others wait", async () => {
    const lane = new FairLane<object>(1);
    const pushed = (): WeakRef<object> => {
      const item = {};
      lane.push({ item, organizationId: "a", rows: 1, bytes: 1 });
      return new WeakRef(item);
    };
    const [taken, waiting] = [pushed(), pushed()];
    lane.take([], (entry) => entry.item === taken.deref());
    // A WeakRef keeps its object until the end of the tick in which it was read.
    await nextTick();
    collectGarbage();
    assert.equal(lane.size, 1);
    assert.equal(taken.deref(), undefined);
    assert.notEqual(waiting.deref(), undefined);
  });

  it("stops at the first entry that does not fit, and shows it", () => {
    const lane = new FairLane<string>(10);
    push(lane, "a1 a2 a3");
    const taken: string[] = [];
    lane.take(taken, ({ item }) => item !== "a2");
    assert.deepEqual(taken, ["a1"]);
    assert.equal(lane.peek()?.item, "a2");
    assert.deepEqual([lane.size, lane.sizeOf("a"), lane.sizeOf("b")], [2, 2, 0]);
  });

  it("keeps the order of many entries", () => {
    const lane = new FairLane<string>(1);
    const names = Array.from({ length: 3_000 }, (_, index) => `a${index}`);
    push(lane, names.join(" "));
    assert.deepEqual(takeAll(lane), names);
  });
});
