// The position where a text stops being JSON, compared with the language's own parser on broken
// texts of every kind.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { limits } from "../../../src/domain/limits.ts";
import { findJsonSyntaxError } from "../../../src/http/body/parse-json.ts";

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const whole = fc
  .tuple(fc.jsonValue({ noUnicodeString: false }), fc.constantFrom(0, 1))
  .map(([value, indent]) => JSON.stringify(value, undefined, indent));

describe("the position of a JSON syntax error", () => {
  it("is undefined in valid JSON", () => {
    fc.assert(
      fc.property(whole, (text) => {
        assert.deepEqual(findJsonSyntaxError(text), {
          at: text.length,
          isAfterEnd: true,
          isTooDeep: false,
        });
      }),
    );
  });

  it("is the end of a truncated text", () => {
    fc.assert(
      fc.property(whole, fc.nat(), (text, cut) => {
        const part = text.slice(0, cut % text.length);
        fc.pre(!isJson(part));
        assert.ok(findJsonSyntaxError(part).at <= part.length);
        // A truncated number, word or escape is reported at its beginning or its end.
        assert.ok(part.length - findJsonSyntaxError(part).at <= 5, part);
      }),
    );
  });

  it("is never before the position of a character that is valid nowhere in JSON", () => {
    fc.assert(
      fc.property(whole, fc.nat(), (text, nth) => {
        const at = nth % (text.length + 1);
        const corrupted = `${text.slice(0, at)}\u0001${text.slice(at)}`;
        const fault = findJsonSyntaxError(corrupted);
        assert.ok(!isJson(corrupted) && fault.at <= at && at - fault.at <= 5, corrupted);
      }),
    );
  });

  it("is found in everything that the parser rejects, and in nothing that it accepts", () => {
    const signs = fc.string({
      unit: fc.constantFrom(...Array.from('{}[],:"\\ \n01-.eEtrufalsn')),
      maxLength: 12,
    });
    fc.assert(
      fc.property(signs, (text) => {
        const { at, isAfterEnd } = findJsonSyntaxError(text);
        assert.equal(isAfterEnd && at === text.length, isJson(text), text);
      }),
      { numRuns: 20_000 },
    );
  });

  it("is found in long texts and deeply nested ones", () => {
    const long = `["${"x\\n".repeat(500_000)}", x]`;
    assert.equal(findJsonSyntaxError(long).at, long.length - 2);
    const most = "[".repeat(limits.jsonDepthMax);
    assert.deepEqual(findJsonSyntaxError(most), { at: 16, isAfterEnd: false, isTooDeep: false });
    const deep = '[{"a":'.repeat(100_000);
    assert.deepEqual(findJsonSyntaxError(deep), { at: 49, isAfterEnd: false, isTooDeep: true });
  });
});
