// Items by reusable number.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { Slots } from "../../src/basics/slots.ts";

describe("slots", () => {
  it("return each item once, by its ticket", () => {
    const slots = new Slots<string>();
    const tickets = ["a", "b", "c"].map((item) => slots.add(item));
    assert.equal(slots.size, 3);
    assert.equal(slots.remove(tickets[1] ?? -1), "b");
    assert.equal(slots.remove(tickets[1] ?? -1), undefined);
    assert.equal(slots.remove(99), undefined);
    assert.equal(slots.size, 2);
  });

  it("reuse the tickets of removed items, and never those of others", () => {
    const slots = new Slots<number>();
    const first = slots.add(1);
    const second = slots.add(2);
    slots.remove(first);
    const third = slots.add(3);
    assert.equal(third, first);
    assert.notEqual(slots.add(4), second);
    assert.equal(slots.remove(second), 2);
  });

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
