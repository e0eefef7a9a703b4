// The items of a list that arrives in pieces of text.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ListSplitter } from "../../../src/bulk/formats/json-rows.ts";

/** In pieces of one character, so that every position is the end of one. */
function split(text: string) {
  const splitter = new ListSplitter();
  const items = text
    .split("")
    .flatMap((sign) => splitter.push(sign))
    .map((item) => item.trim());
  return { items, state: splitter.state };
}

describe("a list in pieces", () => {
  it("has its items, with what is nested or quoted in them", () => {
    const { items, state } = split(String.raw`[ {"a":"]}\",["}, [1,[2]], "x" ]`);
    assert.deepEqual(items, [String.raw`{"a":"]}\",["}`, "[1,[2]]", '"x"']);
    assert.equal(state, "ended");
    assert.deepEqual(split("[]"), { items: [], state: "ended" });
  });

  for (const text of ["[,1]", "[1,,2]", "[1}", "{}", "[1] 2"]) {
    it(`is broken: ${text}`, () => {
      assert.equal(split(text).state, "broken");
    });
  }
});
