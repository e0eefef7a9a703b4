// Each promise of the README is covered by tests that exist.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  findPromiseViolations,
  type Promised,
  promisedTests,
  promisesOf,
} from "./rule/promises.ts";
import { findText, readFile } from "./tree.ts";

describe("the promises of the README", () => {
  it("are each covered by tests that exist", () => {
    const promises = promisesOf(readFile("README.md").text);
    const tests = promisedTests(readFile("docs/concepts/promises.md").text);
    assert.deepEqual(findPromiseViolations(promises, tests, findText), []);
  });

  it("would be reported without a test, and so would a test without a promise or a title", () => {
    const kept = { promise: "Durable", path: "test/a.test.ts", title: "keeps … of it" };
    assert.equal(violations(["Durable"], kept), 0);
    assert.equal(violations([]), 1);
    assert.equal(violations(["Durable", "Fast"], kept), 1);
    assert.equal(violations(["Fast"], kept), 2);
    assert.equal(violations(["Durable"], { ...kept, path: "test/b.test.ts" }), 1);
    assert.equal(violations(["Durable"], { ...kept, title: "keeps none" }), 1);
  });

  it("are read from the README and the table", () => {
    const readme =
      "# S\n\n## What it promises\n\n- **Durable.** It is.\n- **Fast.** It is.\n\n## Run it\n\n- **No.** No.\n";
    assert.deepEqual(promisesOf(readme), ["Durable", "Fast"]);
    const table =
      "| promise | test | title |\n|---|---|---|\n| Durable | `test/a.test.ts` | keeps it |\n";
    assert.deepEqual(promisedTests(table), [
      { promise: "Durable", path: "test/a.test.ts", title: "keeps it" },
    ]);
  });
});

function violations(promises: readonly string[], ...tests: readonly Promised[]): number {
  return findPromiseViolations(promises, tests, readExample).length;
}

function readExample(path: string): string | undefined {
  return path === "test/a.test.ts" ? "it(`keeps ${all} of it`, () => {});" : undefined;
}
