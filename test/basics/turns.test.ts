// The turns of organizations on the bulk thread, by the time that their steps take on a fake clock. A queue that keys
// share fairly. Items by reusable number. Asynchronous calls, one after another.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { Turns } from "../../src/basics/turns.ts";
import { FairQueue } from "../../src/basics/fair-queue.ts";
import { Slots } from "../../src/basics/slots.ts";
import { SerialQueue } from "../../src/basics/serial-queue.ts";

interface Work {
  readonly organizationId: string;
  readonly steps: number;
  readonly stepMs: number;
}

function makeThread() {
  const served: string[] = [];
  let nowMs = 0;
  const turns = new Turns({ now: () => nowMs });
  const work = async ({ organizationId, steps, stepMs }: Work) => {
    for (let step = 0; step < steps; step += 1) {
      await turns.next(organizationId);
      served.push(organizationId);
      nowMs += stepMs;
    }
  };
  return { served, work };
}

describe("the turns of the bulk thread", () => {
  it("let cheap steps wait for at most one expensive step of another organization", async () => {
    const { served, work } = makeThread();
    const expensive = Array.from({ length: 8 }, () =>
      work({ organizationId: "expensive", steps: 4, stepMs: 20 }),
    );
    while (served.length < 3) await new Promise(setImmediate);
    const before = served.length;
    await work({ organizationId: "cheap", steps: 5, stepMs: 2 });
    const meanwhile = served.slice(before).filter((one) => one === "expensive");
    assert.ok(meanwhile.length <= 1, served.join(" "));
    await Promise.all(expensive);
    assert.equal(served.length, 8 * 4 + 5);
  });

  it("do not depend on how many tasks an organization has", async () => {
    const { served, work } = makeThread();
    const many = Array.from({ length: 10 }, () =>
      work({ organizationId: "many", steps: 1, stepMs: 5 }),
    );
    await Promise.all([...many, work({ organizationId: "one", steps: 4, stepMs: 5 })]);
    assert.equal(served.slice(0, 8).filter((one) => one === "one").length, 4, served.join(" "));
  });

  it("are not saved up by an organization that does not wait", async () => {
    const { served, work } = makeThread();
    const long = work({ organizationId: "long", steps: 20, stepMs: 10 });
    while (served.length < 10) await new Promise(setImmediate);
    const before = served.length;
    await Promise.all([long, work({ organizationId: "late", steps: 6, stepMs: 10 })]);
    const next = served.slice(before, before + 8).filter((one) => one === "long");
    assert.ok(next.length >= 3, served.join(" "));
  });

  it("forget everything when nobody waits", async () => {
    const { served, work } = makeThread();
    await work({ organizationId: "a", steps: 3, stepMs: 1_000 });
    await new Promise(setImmediate);
    const both = [
      work({ organizationId: "a", steps: 2, stepMs: 1 }),
      work({ organizationId: "b", steps: 2, stepMs: 1 }),
    ];
    await Promise.all(both);
    assert.deepEqual(served.slice(3), ["a", "b", "a", "b"]);
  });

  it("let the event loop run as often as asked between two steps", async () => {
    const turns = new Turns({ loopIterations: 16 });
    const [iterations, steps]: [number[], Promise<void>[]] = [[], []];
    let iteration = 0;
    for (let step = 0; step < 3; step += 1) {
      steps.push(turns.next("a").then(() => void iterations.push(iteration)));
    }
    while (iterations.length < 3) {
      await new Promise(setImmediate);
      iteration += 1;
    }
    await Promise.all(steps);
    const [first = 0, second = 0, third = 0] = iterations;
    assert.ok(second - first >= 16 && third - second >= 16, iterations.join(" "));
  });
});

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

describe("slots", () => {
  it("stay as small as the most items that they had at a time", () => {
    const slots = new Slots<object>();
    for (let count = 0; count < 1_000; count += 1) {
      const tickets = [slots.add({}), slots.add({})];
      assert.ok(tickets.every((ticket) => ticket < 2));
      for (const ticket of tickets) slots.remove(ticket);
    }
  });

  it("have what was added and not removed, whatever comes and goes", () => {
    const anySteps = fc.array(fc.option(fc.nat({ max: 9 })), { maxLength: 60 });
    fc.assert(
      fc.property(anySteps, (steps) => {
        const slots = new Slots<string>();
        const items = new Map<number, string>();
        for (const [step, ticket] of steps.entries()) {
          if (ticket === null) items.set(slots.add(`item ${step}`), `item ${step}`);
          else {
            assert.equal(slots.remove(ticket), items.get(ticket));
            items.delete(ticket);
          }
          assert.deepEqual(new Set(slots), new Set(items.values()));
          assert.equal(slots.size, items.size);
        }
      }),
    );
  });

  it("return all items at the end, and begin again", () => {
    const slots = new Slots<string>();
    const [first] = [slots.add("a"), slots.add("b"), slots.add("c")];
    slots.remove(first);
    assert.deepEqual(slots.removeAll(), ["b", "c"]);
    assert.equal(slots.size, 0);
    assert.equal(slots.add("d"), 0);
  });
});

describe("a serial queue", () => {
  it("runs one call at a time, in their order, and gives each caller its own result or error", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.boolean(), { maxLength: 10 }),
        async (scheduler, failures) => {
          const queue = new SerialQueue();
          const steps: string[] = [];
          const calls = failures.map((fails, index) =>
            queue.run(async () => {
              steps.push(`begin ${index}`);
              await scheduler.schedule(Promise.resolve());
              steps.push(`end ${index}`);
              if (fails) throw new Error(`failed ${index}`);
              return index;
            }),
          );
          const settled = Promise.allSettled(calls);
          await scheduler.waitFor(settled);
          assert.deepEqual(
            steps,
            failures.flatMap((_, index) => [`begin ${index}`, `end ${index}`]),
          );
          for (const [index, result] of (await settled).entries()) {
            if (result.status === "fulfilled") assert.equal(result.value, index);
            else assert.match(String(result.reason), new RegExp(`failed ${index}$`));
            assert.equal(result.status, failures[index] === true ? "rejected" : "fulfilled");
          }
        },
      ),
    );
  });

  it("begins no call in the tick in which it is made", () => {
    const queue = new SerialQueue();
    let began = false;
    void queue.run(async () => void (began = true));
    assert.equal(began, false);
  });
});
