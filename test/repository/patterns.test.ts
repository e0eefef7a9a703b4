// Each kind of regular expression that takes more than linear time is found (code.test.ts looks for them).

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findSlowPatterns } from "./rule/patterns.ts";
import { parseFiles } from "./syntax.ts";

function findIn(text: string, path = "src/http/example.ts"): readonly string[] {
  return parseFiles([{ path, text }]).flatMap(findSlowPatterns);
}

describe("regular expressions", () => {
  for (const [what, pattern] of [
    ["a repetition before the end of the text", "/0+$/"],
    ["one after an optional part", "/x?\\s+$/m"],
    ["nested repetitions", "/^(?:a+)+$/"],
    ["adjacent repetitions that can share their match", "/^\\d+\\.?\\d*$/"],
    ["repetitions that can replace each other", "/^\\s*x?\\s*y/"],
  ] as const) {
    it(`are reported as slow: ${what}`, () => {
      assert.match(findIn(`export const p = ${pattern};`)[0] ?? "", /^src\/http\/example\.ts:1: /);
    });
  }

  for (const pattern of [
    "/^0+/",
    "/^\\d+(?:\\.\\d*)?$/",
    "/,\\s*x/",
    '/[^"]*/y',
    "/a{1,8}$/",
    "/\\.\\w+$/",
  ]) {
    it(`are not reported without need: ${pattern}`, () => {
      assert.deepEqual(findIn(`export const p = ${pattern};`), []);
    });
  }

  it("are not created while requests are served", () => {
    const code = 'export const p = new RegExp("a" + Math.random());';
    assert.equal(findIn(code).length, 1);
    assert.equal(findIn(code, "src/console/example.ts").length, 1);
    assert.deepEqual(findIn(code, "src/cli/example.ts"), []);
  });
});
