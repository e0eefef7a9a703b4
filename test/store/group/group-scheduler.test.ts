// Which jobs share a group and in which order, without a store and without a clock.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { limits } from "../../../src/domain/limits.ts";
import {
  type Arrival,
  GroupScheduler,
  type Lane,
  groupBytesMax,
  longListRestMsMax,
} from "../../../src/store/group/group-scheduler.ts";

function arrival(name: string, fields: Partial<Arrival<string>> = {}): Arrival<string> {
  const organizationId = name.split("-", 1)[0] ?? "";
  return { item: name, organizationId, rows: 1, bytes: 100, alone: false, ...fields };
}

function scheduler(...arrivals: readonly Arrival<string>[]): GroupScheduler<string> {
  const made = new GroupScheduler<string>();
  for (const one of arrivals) made.add(one, 0);
  return made;
}

/** Everything that can be scheduled at a moment, group by group. */
function takeAll(made: GroupScheduler<string>, nowMs: number): [Lane, readonly string[]][] {
  const groups: [Lane, readonly string[]][] = [];
  for (let group = made.take(nowMs); group !== undefined; group = made.take(nowMs)) {
    groups.push([group.lane, group.items]);
  }
  return groups;
}

const list = { rows: 1_000, bytes: 300_000 };
const long = { rows: limits.groupRowsMax + 1, bytes: 1_000_000 };

describe("the group scheduler", () => {
  it("puts small writes together, in order of arrival", () => {
    const made = scheduler(arrival("a-1"), arrival("a-2"), arrival("a-3", { rows: 16 }));
    assert.deepEqual(takeAll(made, 0), [["small", ["a-1", "a-2", "a-3"]]]);
  });

  it("serves the other lanes in turn while several of them have jobs", () => {
    const made = scheduler(
      arrival("op1", { alone: true, organizationId: "" }),
      arrival("op2", { alone: true, organizationId: "" }),
      arrival("a-list", list),
      arrival("a-list2", { ...list, rows: 1_001 }),
    );
    assert.deepEqual(
      takeAll(made, 0).map(([lane]) => lane),
      ["alone", "lists", "alone", "lists"],
    );
  });

  it("serves small writes first, and after them one group of each other kind in turn", () => {
    const made = scheduler(
      arrival("a-list", list),
      arrival("a-list2", { ...list, rows: 1_001 }),
      arrival("op", { alone: true, organizationId: "" }),
    );
    made.add(arrival("a-1"), 0);
    assert.deepEqual(made.take(0), { lane: "small", items: ["a-1"] });
    made.add(arrival("a-2"), 0);
    assert.deepEqual(made.take(0), { lane: "alone", items: ["op"] });
    assert.deepEqual(made.take(0), { lane: "small", items: ["a-2"] });
    made.add(arrival("a-3"), 0);
    assert.deepEqual(made.take(0), { lane: "lists", items: ["a-list"] });
    assert.deepEqual(made.take(0), { lane: "small", items: ["a-3"] });
    assert.deepEqual(made.take(0), { lane: "lists", items: ["a-list2"] });
  });

  it("halves the rows of a group of lists while another organization is active", () => {
    const made = scheduler(arrival("b-1"), arrival("a-1", list), arrival("a-2", list));
    const separate = [
      ["lists", ["a-1"]],
      ["lists", ["a-2"]],
    ];
    assert.deepEqual(takeAll(made, 999), [["small", ["b-1"]], ...separate]);
    for (const name of ["a-3", "a-4"]) made.add(arrival(name, list), 999);
    assert.deepEqual(takeAll(made, 1_000), [["lists", ["a-3", "a-4"]]]);
  });

  it("collects lists up to its bounds of rows and of bytes", () => {
    const rows = scheduler(...[1, 2, 3].map((no) => arrival(`a-${no}`, list)));
    assert.deepEqual(takeAll(rows, 0), [
      ["lists", ["a-1", "a-2"]],
      ["lists", ["a-3"]],
    ]);
    const bytes = { rows: 20, bytes: groupBytesMax / 2 };
    const large = scheduler(...[1, 2, 3].map((no) => arrival(`a-${no}`, bytes)));
    assert.deepEqual(takeAll(large, 0), [
      ["lists", ["a-1", "a-2"]],
      ["lists", ["a-3"]],
    ]);
  });

  it("alternates between organizations by rows, whatever is waiting", () => {
    const made = scheduler(
      ...Array.from({ length: 6 }, (_, no) => arrival(`greedy-${no}`, list)),
      arrival("modest-1", { rows: 100, bytes: 30_000 }),
    );
    assert.deepEqual(made.take(0)?.items, ["greedy-0"]);
    assert.equal(made.take(0)?.items[0], "modest-1");
  });

  it("schedules a list beyond the bounds by itself, at once while nobody else is active", () => {
    const made = scheduler(arrival("a-1", long), arrival("a-2", long));
    assert.deepEqual(made.take(0), { lane: "long", items: ["a-1"] });
    made.ran("long", 50, 50);
    assert.deepEqual(made.take(50), { lane: "long", items: ["a-2"] });
  });

  it("pauses long lists while another organization is active, and returns until when", () => {
    const made = scheduler(arrival("a-1", long), arrival("a-2", long), arrival("b-1"));
    assert.equal(made.take(0)?.lane, "small");
    assert.equal(made.take(0)?.lane, "long");
    made.ran("long", 50, 50);
    made.add(arrival("b-2"), 900);
    assert.equal(made.take(900)?.lane, "small");
    assert.equal(made.take(900), undefined);
    assert.equal(made.nextAt(), 1_900, "when the other organization has been quiet for a second");
    for (let nowMs = 1_000; nowMs <= 2_500; nowMs += 500) made.add(arrival("b-n"), nowMs);
    takeAll(made, 2_500);
    assert.equal(
      made.nextAt(),
      50 + 2_500,
      "25 ms beyond what others may wait, in one percent of the time",
    );
    assert.deepEqual(made.take(50 + 2_500)?.items, ["a-2"]);
    assert.equal(made.nextAt(), undefined);
  });

  it("pauses for a bounded time, and not after a list that is short enough", () => {
    const made = scheduler(...[1, 2, 3].map((no) => arrival(`a-${no}`, long)), arrival("b-1"));
    assert.equal(made.take(0)?.lane, "small");
    assert.deepEqual(made.take(0)?.items, ["a-1"]);
    made.ran("long", 20, 20);
    assert.deepEqual(made.take(20)?.items, ["a-2"]);
    made.ran("long", 10_000, 10_020);
    for (let nowMs = 10_020; nowMs < 18_000; nowMs += 500) made.add(arrival("b-n"), nowMs);
    assert.equal(made.nextAt(), 10_020 + longListRestMsMax);
  });

  it("serves everything once, each organization in its order within a lane", () => {
    const anyArrival = fc.record({
      organization: fc.constantFrom("a", "b", "c"),
      rows: fc.constantFrom(1, 16, 17, 500, 2_000, 2_001, 10_000),
      bytes: fc.constantFrom(1, 1_000_000, groupBytesMax + 1),
    });
    fc.assert(
      fc.property(fc.array(anyArrival, { maxLength: 60 }), (plans) => {
        const made = scheduler(
          ...plans.map(({ organization, rows, bytes }, no) =>
            arrival(`${organization}-${no}`, { rows, bytes }),
          ),
        );
        const groups = takeAll(made, 1e9);
        const taken = groups.flatMap(([, items]) => items);
        assert.equal(new Set(taken).size, plans.length);
        assert.equal(taken.length, plans.length);
        assert.equal(made.size, 0);
        for (const organization of ["a", "b", "c"]) {
          for (const lane of ["small", "lists", "long"]) {
            const numbers = groups
              .filter(([of]) => of === lane)
              .flatMap(([, items]) => items)
              .filter((name) => name.startsWith(`${organization}-`))
              .map((name) => Number(name.slice(2)));
            assert.deepEqual(
              numbers,
              numbers.toSorted((one, other) => one - other),
            );
          }
        }
      }),
    );
  });
});
