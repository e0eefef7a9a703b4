// A name that occurs twice in an object, however it is written; and no false alarms in any JSON.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { findRepeatedName } from "../../../src/domain/json/repeated-name.ts";

describe("a repeated name", () => {
  it("is found at any depth and in any spelling", () => {
    for (const [text, name] of [
      ['{"a":1,"a":2}', "a"],
      ['{"a":{"b":1 , "b" : 2}}', "b"],
      ['[{"x":[]},{"a":"{","a":"}"}]', "a"],
      ['{"\\u0061":1,"a":2}', "a"],
      ['{"a\\"b":1,"c":{"a\\"b":2},"a\\"b":3}', 'a"b'],
      ['{"":1,"":2}', ""],
      ['{"a":1,"b":{"c":1},"c":2,"b":3}', "b"],
    ] as const) {
      assert.equal(findRepeatedName(text), name, text);
    }
  });

  it("is not reported where a name is in two objects, or a text is the same as a name", () => {
    for (const text of [
      '{"a":{"a":{"a":"a"}},"b":["a","a"]}',
      '[{"a":1},{"a":1}]',
      '{"a":"b","b":"a"}',
      '{"a":"\\"a\\":1,","b":"a\\\\"}',
    ]) {
      assert.equal(findRepeatedName(text), undefined, text);
    }
  });

  it("is not reported in what JSON.stringify writes, and is found once a member is written twice", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const written = JSON.stringify(JSON.parse(text));
        assert.equal(findRepeatedName(written), undefined);
        const outer = `{"k":${written},"l":1,"k":${written}}`;
        assert.equal(findRepeatedName(outer), "k");
      }),
    );
  });
});
