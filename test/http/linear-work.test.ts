// Twice the input costs at most about twice the work, whatever the input: counted, never timed.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { countWork } from "../support/work-meter.ts";
import { makeErrorBudget } from "../../src/domain/validation/explain.ts";
import { readSubmission } from "../../src/domain/record/payload.ts";
import { normaliseTimestamp } from "../../src/domain/timestamp.ts";
import { findInexactNumbers, isExactNumber } from "../../src/domain/json/exact-number.ts";
import { LineSplitter } from "../../src/http/body/line-splitter.ts";
import { parseJson } from "../../src/http/body/parse-json.ts";
import { typeNamed } from "../conformance/scene.ts";

const size = 4_000;
/** More than twice, for sorting and for buffers that double; quadratic work would be four times. */
const growthMax = 2.5;

function assertLinear(work: (size: number) => () => void): void {
  const [once, twice] = [work(size), work(2 * size)];
  // What is created once, for all requests, is not counted.
  once();
  const [less, more] = [countWork(once), countWork(twice)];
  const growth = (more.blocks + more.natives) / (less.blocks + less.natives);
  assert.ok(less.blocks > 0, "nothing was counted");
  assert.ok(growth <= growthMax, `twice the input, ${growth.toFixed(2)} times the work`);
}

function attempt(work: () => unknown): () => void {
  return () => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "AppError") throw error;
    }
  };
}

const bodies: Readonly<Record<string, (size: number) => string>> = {
  "a long number": (count) => `[1.${"0".repeat(count)}1]`,
  "a long whole number": (count) => `[${"1".repeat(count)}]`,
  "a number with a long exponent": (count) => `[1e-${"0".repeat(count)}1]`,
  "many long numbers": (count) => `[${"12345678901234567,".repeat(count)}1]`,
  "many numbers beside a long one": (count) => `[${"1,".repeat(count)}12345678901234567]`,
  "many texts beside a long number": (count) => `[${'"",'.repeat(count)}12345678901234567]`,
  "many long digits in texts": (count) => `[${'"12345678901234567890",'.repeat(count)}1]`,
  "backslashes beside a long number": (count) => `["${"\\\\".repeat(count)}",12345678901234567]`,
  "backslashes without an end": (count) => `[12345678901234567,"${"\\".repeat(count)}`,
  "escaped quotes": (count) => `[12345678901234567,"${'\\"'.repeat(count)}"]`,
  "quotes that open and close": (count) => `12345678901234567${'"'.repeat(count)}`,
  "lists that open": (count) => "[".repeat(count),
  "lists that open and close": (count) => "[".repeat(count) + "]".repeat(count),
  "objects that open": (count) => '{"a":'.repeat(count),
  "lists that open around a long number": (count) =>
    `${"[".repeat(count)}12345678901234567${"]".repeat(count)}`,
  "lines before a mistake": (count) => `${"\n".repeat(count)}x`,
  "blanks without an end": (count) => " ".repeat(count),
  "text without an end": (count) => `"${"a".repeat(count)}`,
  "items before a mistake": (count) => `[${'{"a":[1,true,"b"]},'.repeat(count)}x]`,
  "minus signs": (count) => `[${"-".repeat(count)}]`,
  "exponents without digits": (count) => `[${"1e".repeat(count)}]`,
};

describe("the work of reading a body", () => {
  for (const [what, make] of Object.entries(bodies)) {
    it(`grows in proportion to its size: ${what}`, () => {
      assertLinear((count) => {
        const bytes = Buffer.from(make(count));
        return attempt(() => findInexactNumbers(parseJson(bytes)));
      });
    });
  }
});

function fields(count: number, name: (index: number) => string, value: unknown = 1): object {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), value]));
}

function list(count: number, item: (index: number) => unknown): readonly unknown[] {
  return Array.from({ length: count }, (_, index) => item(index));
}

const items: Readonly<Record<string, readonly [type: string, (size: number) => unknown]>> = {
  "unknown names that are nearly known": [
    "transaction",
    (count) => fields(count, (index) => `sender_i${index}`),
  ],
  "unknown names, each very long": [
    "transaction",
    (count) => fields(20, (index) => `${index}${"n".repeat(count)}`),
  ],
  "a map with many keys": [
    "onboarding_flow",
    (count) => ({ outcome_reason: fields(count, (index) => `k${index}`) }),
  ],
  "a map with a wide value": [
    "onboarding_flow",
    (count) => ({ outcome_reason: { a: list(count, () => Infinity) } }),
  ],
  "a map with a deep value": [
    "onboarding_flow",
    (count) => ({ outcome_reason: JSON.parse(`${'{"a":'.repeat(count)}1${"}".repeat(count)}`) }),
  ],
  "a deep value instead of text": [
    "person",
    (count) => ({ name: JSON.parse("[".repeat(count) + "]".repeat(count)) }),
  ],
  "a list that is too long": ["screening", (count) => ({ lists: list(count, () => "x") })],
  "many properties under one key": [
    "company",
    (count) => ({
      additional_properties: list(count / 10, () => ({ key: "k", value: "", type: "STRING" })),
    }),
  ],
  "properties that are all invalid": [
    "company",
    (count) => ({ additional_properties: list(count / 10, () => ({ kay: 1, valu: 2 })) }),
  ],
  "a long text": ["customer_sar", (count) => ({ sar_reason: "x".repeat(count) })],
  "half a surrogate pair after a long text": [
    "customer_sar",
    (count) => ({ sar_reason: `${"x".repeat(count)}\ud800` }),
  ],
  "a timestamp with many zeros": [
    "risk_assessment",
    (count) => ({ timestamp: `2026-01-01T00:00:00.${"0".repeat(count)}Z` }),
  ],
};

describe("the work of validating an item", () => {
  for (const [what, [name, make]] of Object.entries(items)) {
    it(`grows in proportion to its size: ${what}`, () => {
      const type = typeNamed(name);
      for (const mode of ["add", "update"] as const) {
        assertLinear((count) => {
          const item = { ...type.example, ...(make(count) as object) };
          return () => void readSubmission(type, item, { mode, now: 0 });
        });
      }
    });
  }

  it("grows in proportion to the number of items with many errors each", () => {
    const type = typeNamed("transaction");
    assertLinear((count) => {
      const all = list(count / 4, (index) => fields(20, (field) => `sender_i${index}_${field}`));
      return () => {
        const context = { mode: "add", now: 0, budget: makeErrorBudget() } as const;
        for (const item of all) readSubmission(type, item, context);
      };
    });
  });

  it("suggests names at most a bounded number of times, whatever is sent", () => {
    const type = typeNamed("transaction");
    const budget = makeErrorBudget();
    const before = budget.suggestions;
    for (const item of list(50, (index) => fields(20, (field) => `sender_i${index}_${field}`))) {
      readSubmission(type, item, { mode: "add", now: 0, budget });
    }
    assert.deepEqual([before, budget.suggestions], [20, 0]);
  });
});

describe("the work of splitting lines", () => {
  const inputs: Readonly<Record<string, (count: number) => readonly Buffer[]>> = {
    "chunks of one byte": (count) => list(count, () => Buffer.from("x")) as Buffer[],
    "empty lines": (count) => [Buffer.from("\n".repeat(count))],
    "blank lines in chunks": (count) => list(count, () => Buffer.from(" \n ")) as Buffer[],
    "a line far beyond the bound": (count) => list(count, () => Buffer.alloc(64, "x")) as Buffer[],
  };
  for (const [what, make] of Object.entries(inputs)) {
    it(`grows in proportion to their size: ${what}`, () => {
      assertLinear((count) => {
        const chunks = make(count);
        return () => {
          const splitter = new LineSplitter();
          for (const chunk of chunks) splitter.push(chunk);
          splitter.end();
        };
      });
    });
  }
});

describe("the work of reading one value", () => {
  it("grows in proportion to its size", () => {
    assertLinear((count) => () => void isExactNumber(`1.${"0".repeat(count)}`, 1));
    assertLinear((count) => () => void normaliseTimestamp("2".repeat(count)));
  });
});
