// Ceilings: which one applies to a type, whether a change may erase earlier, and the sentence that says what a rule
// does. How far ahead the end of a hold may be.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  ceilingOf,
  ceilingsOf,
  describeRule,
  isEarlier,
} from "../../../src/domain/retention/ceiling.ts";
import type { FloorOrigin } from "../../../src/domain/retention/floor.ts";
import { latestEnd } from "../../../src/domain/retention/hold-end.ts";

function rule(keepDays: number, deleteAfterDays?: number, countedFrom: FloorOrigin = "closed") {
  const ceiling = deleteAfterDays === undefined ? {} : { deleteAfterDays };
  return { resourceType: "person", keepDays, countedFrom, redactable: false, ...ceiling };
}

describe("the ceiling of a type", () => {
  it("is its own, or else that of the organization", () => {
    const own = { resourceType: "person", days: 9, countedFrom: "closed", isOwn: true };
    const common = { resourceType: "person", days: 5, countedFrom: "last_seen", isOwn: false };
    assert.deepEqual(ceilingOf("person", [rule(9, 9)], 5), own);
    assert.deepEqual(ceilingOf("person", [rule(3)], 5), common);
    assert.equal(ceilingOf("person", [rule(3)], undefined), undefined);
    assert.equal(ceilingOf("company", [rule(9, 9)], undefined), undefined);
  });

  it("is listed in the order of the types", () => {
    const types = ["screening", "person", "company"].map((resourceType) => ({ resourceType }));
    const listed = ceilingsOf(types, [rule(0, 9)], 5).map(({ resourceType }) => resourceType);
    assert.deepEqual(listed, ["company", "person", "screening"]);
    assert.equal(ceilingsOf(types, [rule(0, 9)], undefined).length, 1);
  });

  it("may erase earlier if it is shorter or of another kind", () => {
    const of = (deleteAfterDays?: number, retainDays?: number) =>
      ceilingOf("person", [rule(0, deleteAfterDays)], retainDays);
    assert.equal(isEarlier(undefined, of(9)), true);
    assert.equal(isEarlier(of(9), of(8)), true);
    assert.equal(isEarlier(of(9), of(9)), false);
    assert.equal(isEarlier(of(9), undefined), false);
    assert.equal(isEarlier(of(9), of(undefined, 90)), true);
    const seen = ceilingOf("person", [rule(0, 90, "last_seen")], undefined);
    assert.equal(isEarlier(of(9), seen), true);
    assert.equal(isEarlier(of(undefined, 90), seen), true);
  });
});

describe("the sentence of a rule", () => {
  const open = " One that is not closed is kept until its deletion is requested";
  for (const [given, retainDays, says] of [
    [
      rule(1827, 1827),
      undefined,
      "Each person must be kept for 1,827 days from its closing, and is then erased without a request, unless a hold or a " +
        `floor keeps it longer.${open}, and then for 1,827 days.`,
    ],
    [
      rule(1827, 3653),
      undefined,
      "Each person must be kept for 1,827 days from its closing, and is erased without a request 3,653 days from its closing, " +
        `unless a hold or a floor keeps it longer.${open}, and then for 1,827 days.`,
    ],
    [
      rule(0, 1),
      9,
      `Each person is erased without a request 1 day from its closing, unless a hold or a floor keeps it longer.${open}.`,
    ],
    [
      rule(5),
      undefined,
      "Each person must be kept for 5 days from its closing, and is erased after that only when its deletion is requested." +
        `${open}, and then for 5 days.`,
    ],
    [
      rule(1),
      9,
      "Each person must be kept for 1 day from its closing, and is erased after that when its deletion is requested, at the " +
        `latest 9 days after it was last seen, unless a hold or a floor keeps it longer.${open}, and then for 1 day.`,
    ],
    [
      rule(5, undefined, "last_seen"),
      9,
      "Each person must be kept for 5 days from when it was last seen, and is erased after that when its deletion is " +
        "requested, at the latest 9 days after it was last seen, unless a hold or a floor keeps it longer. Transactions that " +
        "name it do not count as seeing it.",
    ],
    [
      rule(0),
      9,
      "Each person is erased when its deletion is requested, at the latest 9 days after it was last seen, unless a hold or a " +
        "floor keeps it longer. Transactions that name it do not count as seeing it.",
    ],
    [
      { ...rule(5, 5, "last_seen"), resourceType: "customer_sar" },
      undefined,
      "Each customer SAR must be kept for 5 days from when it was last seen, and is then erased without a request, unless a " +
        "hold or a floor keeps it longer.",
    ],
    [rule(0), undefined, "Each person is erased only when its deletion is requested."],
  ] as const) {
    it(`says: ${says}`, () => assert.equal(describeRule(given, retainDays), says));
  }
});

describe("the latest end of a hold", () => {
  for (const [today, latest] of [
    ["2026-03-01", "2031-03-01"],
    ["2026-12-31", "2031-12-31"],
    ["2027-02-28", "2032-02-28"],
    // No period may end later than that of its month: article 3 (2) (c) of Regulation (EEC, Euratom) 1182/71.
    ["2028-02-29", "2033-02-28"],
  ] as const) {
    it(`is ${latest} on ${today}`, () => {
      assert.equal(latestEnd(Date.parse(`${today}T00:00:00Z`)), latest);
      assert.equal(latestEnd(Date.parse(`${today}T23:59:59.999Z`)), latest);
    });
  }
});
