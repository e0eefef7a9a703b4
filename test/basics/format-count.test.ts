// Numbers in sentences: one of anything is in the singular.

import assert from "node:assert/strict";
import { it } from "node:test";
import { formatCount } from "../../src/basics/format-count.ts";

it("counts in words that fit the number", () => {
  const counted = [0, 1, 2, 1_234].map((count) => formatCount(count, "row"));
  assert.deepEqual(counted, ["0 rows", "1 row", "2 rows", "1,234 rows"]);
  assert.equal(formatCount(1, "wrong entry"), "1 wrong entry");
  assert.equal(formatCount(2, "wrong entry"), "2 wrong entries");
  assert.equal(formatCount(2, "day"), "2 days");
});
