// Parsing JSON: what can be stored exactly is returned unchanged, a number that can't is marked,
// and everything else that parsing would change is rejected.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { AppError } from "../../../src/domain/error.ts";
import { findInexactNumbers, inexactMessage } from "../../../src/domain/json/exact-number.ts";
import { limits } from "../../../src/domain/limits.ts";
import { parseJson } from "../../../src/http/body/parse-json.ts";
import { describeJsonError } from "../../../src/http/body/json-syntax-error.ts";

function parse(text: string | Uint8Array): unknown {
  return parseJson(Buffer.from(text));
}

function refusal(text: string | Uint8Array): AppError {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new assert.AssertionError({ message: "it was accepted" });
}

describe("accepted numbers", () => {
  const numbers = `
    0 -0 0.1 -12.50 1e3 123456789012345 0.123456789012345 9007199254740991 -9007199254740991 9007199254740992
    1000000000000000000000 0.30000000000000004 1.50000000000000000000000000 0.000000000000000000000001 5e-324
    1.7976931348623157e308 0e400 100e-2`;
  for (const text of numbers.trim().split(/\s+/)) {
    it(text, () => assert.equal(parse(text), Number(text)));
  }
});

describe("numbers that would be rounded", () => {
  const numbers = `
    9007199254740993 -9007199254740993 12345678901234567 0.1234567890123456789 1.00000000000000001 1e400 -1e400 1e-400
    3e-324 1e999999999999999999999 1e-999999999999999999999 4.35e-323`;
  for (const text of [
    ...numbers.trim().split(/\s+/),
    `1${"0".repeat(400)}`,
    `0.${"0".repeat(400)}1`,
    `1.${"0".repeat(limits.numberCharactersMax)}`,
    `1.${"0".repeat(250_000)}1`,
  ]) {
    it(`are marked: ${text.slice(0, 40)}`, () => {
      assert.deepEqual(parse(`{"amount": ${text}, "tx_id": "t"}`), {
        amount: text === "-1e400" ? -Infinity : Infinity,
        tx_id: "t",
      });
    });
  }

  it("are named by their paths where no schema is given", () => {
    const value = parse('[{"a":1},{"list":[0,{"b":12345678901234567}],"c":1e-400}]');
    assert.deepEqual(value, [{ a: 1 }, { list: [0, { b: Infinity }], c: Infinity }]);
    assert.deepEqual(findInexactNumbers(value), [
      { field: "[1].list[1].b", message: inexactMessage },
      { field: "[1].c", message: inexactMessage },
    ]);
  });

  it("are named up to the bound", () => {
    const value = Array.from({ length: 150 }, () => Infinity);
    assert.equal(findInexactNumbers(value).length, limits.fieldErrorsMax);
  });

  it("do not affect other values of the text", () => {
    const text = '[1e-400,"\\\\\\"1e-400\\\\",{"12345678901234567":[true,null,-1e-5]},"\\\\"]';
    assert.deepEqual(parse(text), [Infinity, ...(JSON.parse(text) as unknown[]).slice(1)]);
  });

  for (const text of [
    "[01234567890123456789]",
    "[+1234567890123456789]",
    "[1234567890123456789x]",
  ]) {
    it(`do not make invalid text valid: ${text}`, () => assert.equal(refusal(text).code, 40001));
  }

  it("are not searched for in strings", () => {
    const value = { note: "12345678901234567 and 1e-400", id: "9007199254740993" };
    assert.deepEqual(parse(JSON.stringify(value)), value);
  });

  it("are exactly those whose decimal value differs from that of the printed double", () => {
    const digits = fc.string({
      unit: fc.integer({ min: 0, max: 9 }).map(String),
      minLength: 1,
      maxLength: 24,
    });
    const exponent = fc.option(fc.integer({ min: -340, max: 320 }), { nil: undefined });
    const number = fc.tuple(fc.boolean(), digits, fc.option(digits, { nil: undefined }), exponent);
    fc.assert(
      fc.property(number, ([negative, whole, fraction, power]) => {
        const text =
          (negative ? "-" : "") +
          whole.replace(/^0+(?=\d)/, "") +
          (fraction === undefined ? "" : `.${fraction}`) +
          (power === undefined ? "" : `e${power}`);
        const value = Number(text);
        const exact = Number.isFinite(value) && sameDecimal(text, String(value));
        const [parsed] = parse(`[${text}]`) as [number];
        assert.equal(Number.isFinite(parsed), exact, text);
        if (exact) assert.equal(parsed, value);
      }),
      { numRuns: 2_000 },
    );
  });
});

/** Compares two decimal numbers as fractions of integers. */
function sameDecimal(one: string, other: string): boolean {
  const [a, b] = [fractionOf(one), fractionOf(other)];
  return a.numerator * b.denominator === b.numerator * a.denominator;
}

function fractionOf(text: string): { numerator: bigint; denominator: bigint } {
  const [mantissa = "", power = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const shift = Number(power) - fraction.length;
  const digits = BigInt(whole + fraction);
  return shift >= 0
    ? { numerator: digits * 10n ** BigInt(shift), denominator: 1n }
    : { numerator: digits, denominator: 10n ** BigInt(-shift) };
}

describe("any JSON value", () => {
  it("is parsed unchanged", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false, maxDepth: 4 }), (value) => {
        const text = JSON.stringify(value);
        assert.deepEqual(parse(text), JSON.parse(text));
      }),
    );
  });

  it("is parsed unchanged with white space around its parts", () => {
    assert.deepEqual(parse(' \t\r\n{ "a" : [ 1 , 2 ] }\n'), { a: [1, 2] });
  });

  it("keeps names that are special in JavaScript as plain names", () => {
    const value = parse('{"__proto__":{"polluted":true},"constructor":1}') as object;
    assert.deepEqual(Object.keys(value), ["__proto__", "constructor"]);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
  });
});

describe("invalid JSON", () => {
  for (const [what, text] of [
    ["an empty body", ""],
    ["NaN", '{"a":NaN}'],
    ["two values", "{} {}"],
    ["a control character in text", '"a\u0001b"'],
  ] as const) {
    it(`is refused: ${what}`, () => assert.equal(refusal(text).code, 40001));
  }

  for (const [what, bytes] of [
    ["Latin-1", [0x22, 0xfc, 0x22]],
    ["half of a character", [0x22, 0xf0, 0x9f, 0x98, 0x22]],
    ["an overlong form", [0x22, 0xc0, 0xaf, 0x22]],
    ["a surrogate in UTF-8", [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ["UTF-16", [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ] as const) {
    it(`is refused: ${what}`, () => {
      const error = refusal(Uint8Array.from(bytes));
      assert.equal(error.code, 40001);
      assert.match(error.message, /UTF-8/);
    });
  }

  for (const [text, told] of [
    ['{\n  "a": 1,\n  b: 2\n}', /unexpected text at line 3, column 3\.$/],
    [`{"tx_id": "${"x".repeat(100)}",\n"amount": +1}`, /unexpected text at line 2, column 11\.$/],
    [`{"amount": NaN, "tx_id": "${"x".repeat(100)}"}`, /unexpected text at line 1, column 12\.$/],
    ['{"a": 1,}', /unexpected text at line 1, column 9\.$/],
    ['{"a": [1, 2}', /unexpected text at line 1, column 12\.$/],
    ['["a\tb"]', /unexpected text at line 1, column 4\.$/],
    ['{"ü😀": 1}\n}', /unexpected text at line 2, column 1\.$/],
    ['{"a": "b', /ends too early\.$/],
    ["[1, 2", /ends too early\.$/],
    ["  \n", /ends too early\.$/],
    ["\ufeff{}", /byte order mark/],
  ] as const) {
    it(`is reported with its position: ${JSON.stringify(text.slice(0, 30))}`, () => {
      const error = refusal(text);
      assert.equal(error.code, 40001);
      assert.match(error.message, told);
    });
  }

  it("in a line is reported by its column", () => {
    const message = /^The line .*: unexpected text at column 7\.$/;
    assert.throws(() => parseJson(Buffer.from('{"ü": +1}'), "line"), { message });
  });

  it("is never repeated in the message", () => {
    for (const text of ['{"secret-name": sekrit}', "sekrit", '["sekrit']) {
      assert.doesNotMatch(refusal(text).message, /se[ck]r/);
    }
  });
});

function nested(depth: number, inside = ""): string {
  return "[".repeat(depth) + inside + "]".repeat(depth);
}

describe("nesting", () => {
  it("needs no stack, however deep it is", () => {
    const levels = 1_000_000;
    assert.ok(Array.isArray(parse(nested(levels))));
    assert.ok(Array.isArray(parse(nested(levels - 20, "1e-400"))));
    assert.match(refusal("[".repeat(limits.bodyBytesMax)).message, /nested deeper than 16 levels/);
    assert.match(refusal('{"a":'.repeat(100_000)).message, /nested deeper than 16 levels/);
  });

  it("up to the bound is reported by its other errors", () => {
    assert.match(refusal("[".repeat(limits.jsonDepthMax)).message, /ends too early/);
  });

  it("is not counted in strings, whatever is escaped there", () => {
    const text = JSON.stringify([`${"[".repeat(50)}"\\"{{`, "x".repeat(limits.recordBytesMax)]);
    assert.deepEqual(parse(text), JSON.parse(text));
  });
});

function messageOf(text: string, from: number): string {
  return describeJsonError(Buffer.from(text), "body", from).message;
}

describe("the mistake in a list", () => {
  it("is reported with its place in the body", () => {
    assert.match(messageOf('[1,\n {"a" 2}]', 3), /unexpected text at line 2, column 7\.$/);
    assert.match(messageOf("[1,\n [2", 3), /it ends too early\.$/);
  });

  it("is not searched for in more than a bounded part of a large item", () => {
    for (const part of ["1,", '"\\u0041",', '"é",', "\n"]) {
      const message = messageOf(`[0,\n[${part.repeat(200_000)}`, 4);
      assert.equal(message, "The body is not valid JSON.");
    }
  });
});
