// How numbers of records are written.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatCounts } from "../../../src/console/html/time.ts";

describe("numbers by type", () => {
  it("are written in words, and say where the count stopped", () => {
    const counts = { person: 12, transaction: 100_001 };
    assert.equal(formatCounts(counts), "Person 12, Transaction 100,001");
    assert.equal(formatCounts(counts, 100_001), "Person 12, Transaction 100,001");
    assert.equal(formatCounts(counts, 100_000), "Person 12, Transaction more than 100,000");
  });
});
