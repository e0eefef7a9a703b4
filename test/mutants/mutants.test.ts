// The campaign of planted faults: what it finds, what it reports, and that it leaves the checkout alone.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { root } from "../repository/tree.ts";
import { parseMutants } from "./mutant.ts";
import { runMutants } from "./run-mutants.ts";

const list = `
src/domain/timestamp.ts: a negative offset is added
- return sign === "-" ? -minutes : minutes;
+ return minutes;
test/domain/timestamp.test.ts

src/domain/scope.ts: the order of families, which no test of timestamps can see
- "transactions",
-   "risk_assessment",
+ "risk_assessment",
+   "transactions",
test/domain/timestamp.test.ts: leap
`;

const run = (text: string) =>
  runMutants(parseMutants(text), {
    seed: 1,
    countMax: Infinity,
    budgetMs: Infinity,
    tell: () => undefined,
  });

describe("the campaign of planted faults", () => {
  it("reports a fault that the tests do not find, and no other", async () => {
    const before = readFileSync(join(root, "src/domain/timestamp.ts"), "utf8");
    const { figures, findings } = await run(list);
    assert.deepEqual(figures, { planted: 2, found: 1 });
    assert.equal(findings.length, 1);
    assert.match(findings[0] ?? "", /^src\/domain\/scope\.ts: the order of families/);
    assert.equal(readFileSync(join(root, "src/domain/timestamp.ts"), "utf8"), before);
  });

  it("reports tests that fail without a fault", async () => {
    const missing = "src/domain/scope.ts: a\n- const known\n+ const  known\ntest/missing.test.ts";
    const { findings } = await run(missing);
    assert.deepEqual(findings, ["test/missing.test.ts fails without any fault"]);
  });
});

describe("the form of a planted fault", () => {
  it("is refused if a part is missing", () => {
    for (const block of [
      "src/a.ts: without a text\ntest/a.test.ts",
      "src/a.ts: without a test\n- a\n+ b",
      "src/a.ts\n- a\n+ b\ntest/a.test.ts",
      "src/a.ts: with something else\n- a\n+ b\nnot/a.test.ts",
    ]) {
      assert.throws(() => parseMutants(block), TypeError);
    }
  });
});
