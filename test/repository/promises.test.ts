// Each promise of the README is covered by tests that exist. The promises of the README, and the tests that the table
// of promises names for each.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findText, readFile } from "./tree.ts";
import { rowsOf } from "./rule/reference.ts";

interface Promised {
  readonly promise: string;
  readonly path: string;
  readonly title: string;
}

/** `- **Durable.** …` under "What it promises". */
function promisesOf(readme: string): readonly string[] {
  const part = readme.split("\n## What it promises\n")[1]?.split("\n## ")[0] ?? "";
  return [...part.matchAll(/^- \*\*([^*.]+)\.\*\*/gm)].map(([, promise = ""]) => promise);
}

/** Rows of three cells below such titles: promise, test, title. */
function promisedTests(page: string): readonly Promised[] {
  return rowsOf(page)
    .filter(([, test]) => test !== "test")
    .map(([promise = "", path = "", title = ""]) => ({ promise, path, title }));
}

function findPromiseViolations(
  promises: readonly string[],
  tests: readonly Promised[],
  read: (path: string) => string | undefined,
): readonly string[] {
  return [
    ...(promises.length === 0 ? ["the README promises nothing"] : []),
    ...promises
      .filter((promise) => tests.every((test) => test.promise !== promise))
      .map((promise) => `no test is named for the promise "${promise}"`),
    ...tests
      .filter(({ promise }) => !promises.includes(promise))
      .map(({ promise, title }) => `the README does not promise "${promise}" (${title})`),
    ...tests
      .filter((test) => !isThere(test, read))
      .map(({ path, title }) => `${path} has no test "${title}"`),
  ];
}

/** The first argument of `it`; an ellipsis in the title matches an expression in a template. */
function isThere({ path, title }: Promised, read: (path: string) => string | undefined): boolean {
  const parts = title.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const quoted = parts.join("\\$\\{[^}]+\\}");
  return new RegExp(`\\bit\\(\\s*(["'\`])${quoted}\\1`).test(read(path) ?? "");
}

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
