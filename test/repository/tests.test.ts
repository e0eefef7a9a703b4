// The rules for tests, in examples (code.test.ts applies them).

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findTestViolations } from "./rule/tests.ts";
import { parseFiles } from "./syntax.ts";

describe("the tests", () => {
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
