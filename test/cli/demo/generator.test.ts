// What the demonstration makes up.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findType } from "../../../src/actions/find-target.ts";
import { generateInput } from "../../../src/cli/demo/generator.ts";
import type { Source } from "../../../src/cli/demo/input.ts";
import { makeRandom } from "../../../src/cli/demo/random.ts";
import type { Payload } from "../../../src/domain/record-type.ts";
import { validatePayload } from "../../../src/domain/validate.ts";

async function readAll(source: Source): Promise<readonly Payload[]> {
  return Array.fromAsync(source.read());
}

function readMade(seed: number): Promise<readonly Payload[]> {
  return readAll(generateInput({ count: 50, seed }).transactions);
}

describe("the generator", () => {
  it("makes as many records as it says, all valid and each with an id of its own", async () => {
    const input = generateInput({ count: 2_000, seed: 3 });
    for (const [name, source] of [
      ["transaction", input.transactions],
      ["risk_assessment", input.assessments],
    ] as const) {
      const type = findType(name);
      const records = await readAll(source);
      assert.equal(records.length, source.count);
      assert.equal(new Set(records.map((record) => record[type.idField])).size, records.length);
      for (const record of records) assert.deepEqual(validatePayload(type, "add", record), []);
    }
  });

  it("makes the same records from the same seed, and others from another", async () => {
    assert.deepEqual(await readMade(7), await readMade(7));
    assert.notDeepEqual(await readMade(7), await readMade(8));
  });

  it("can be read again from the beginning", async () => {
    const { transactions } = generateInput({ count: 20, seed: 1 });
    assert.deepEqual(await readAll(transactions), await readAll(transactions));
  });

  it("varies methods, currencies, amounts and directions", async () => {
    const records = await readAll(generateInput({ count: 1_000, seed: 1 }).transactions);
    const distinct = (field: string): number =>
      new Set(records.map((record) => record[field])).size;
    assert.ok(distinct("method") > 5);
    assert.ok(distinct("currency") > 3);
    assert.ok(distinct("amount") > 900);
    assert.equal(distinct("type"), 2);
  });
});

describe("pseudo-random numbers", () => {
  it("stay within their bounds and spread evenly over ten parts", () => {
    const random = makeRandom(42);
    const parts = Array.from({ length: 10 }, () => 0);
    for (let count = 0; count < 100_000; count += 1) {
      const part = random.below(10);
      assert.ok(Number.isInteger(part) && part >= 0 && part < 10);
      parts[part] = (parts[part] ?? 0) + 1;
    }
    for (const count of parts) assert.ok(Math.abs(count - 10_000) < 500, parts.join());
  });
});
