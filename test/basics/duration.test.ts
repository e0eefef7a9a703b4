// The notation of durations.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { duration } from "../../src/cli/input/kinds.ts";
import { formatDuration, isWaitOver, parseDuration } from "../../src/basics/duration.ts";

describe("durations", () => {
  it("are a whole number and a unit", () => {
    const read = ["90d", "12h", "30m", "45s", "0s", "007m"].map(parseDuration);
    assert.deepEqual(read, [7_776_000_000, 43_200_000, 1_800_000, 45_000, 0, 420_000]);
  });

  for (const text of [
    "",
    "90",
    "d",
    "1.5h",
    "-1d",
    "1w",
    "1 d",
    "90D",
    "99999999d",
    "１d",
    "1d ",
  ]) {
    it(`are not ${JSON.stringify(text)}`, () => {
      assert.equal(parseDuration(text), undefined);
    });
  }

  it("are written in the largest unit that divides them", () => {
    assert.deepEqual(
      [0, 45_000, 60_000, 90_000, 43_200_000, 86_400_000, 129_600_000].map(formatDuration),
      ["0s", "45s", "1m", "90s", "12h", "1d", "36h"],
    );
  });

  it("say what was expected on the command line", () => {
    assert.throws(
      () => duration.read("soon"),
      /whole number with a unit, d, h, m or s, such as 90d/,
    );
  });
});

describe("a wait until a noted time", () => {
  it("is over then, and at once if the clock was set back since", () => {
    const over = [999, 1_000, 949, 950].filter((now) => isWaitOver(1_000, now, 50));
    assert.deepEqual(over, [1_000, 949]);
    assert.ok(isWaitOver(undefined, 0, 50));
  });
});
