// The rules for tests, on the real tests and on examples that fail.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findTestViolations } from "./rule/tests.ts";
import { parseFiles } from "./syntax.ts";
import { readFiles } from "./tree.ts";

describe("the tests", () => {
  it("are all run", () => {
    assert.deepEqual(parseFiles(readFiles("test/**/*.test.ts")).flatMap(findTestViolations), []);
  });

  it("would be reported if skipped or exclusive", () => {
    const faulty = [
      // Text that is parsed and never run: each line has to be reported.
      ...["only", "skip", "todo"].flatMap((word) =>
        ["it", "describe", "test"].map((caller) => `${caller}.${word}("a", () => {});`),
      ),
      'it("a", { skip: true }, () => {});',
      'it("a", { skip: "because" }, () => {});',
      'it("a", { timeout: 1, only: true }, () => {});',
    ];
    const fine = [
      'it("skip only todo", () => {});',
      'list.skip("a"); it("a", { timeout: 1 }, () => {});',
      'it("a", { skip: !isRoot }, () => {}); it("a", { skip }, () => {});',
    ];
    assert.deepEqual(
      parse(faulty)
        .filter((file) => findTestViolations(file).length !== 1)
        .map(({ text }) => text),
      [],
    );
    assert.deepEqual(parse(fine).flatMap(findTestViolations), []);
  });
});

function parse(texts: readonly string[]) {
  return parseFiles(texts.map((text, index) => ({ path: `test/a${index}.test.ts`, text })));
}
