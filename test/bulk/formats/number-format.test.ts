// Numbers in the formats of other systems, and their values; what could be two numbers is refused.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "../../../src/actions/operator/operator-error.ts";
import { CellError } from "../../../src/bulk/formats/csv-cell.ts";
import { compileNumberFormat } from "../../../src/bulk/formats/number-format.ts";

const numbers: readonly (readonly [format: string, text: string, value: number | undefined])[] = [
  ["point", "1234.5", 1234.5],
  ["point", "1,234,567.89", 1_234_567.89],
  ["point", "1'234.50", 1234.5],
  ["point", "US$ 12.5", 12.5],
  ["point", "-£12", -12],
  ["point", "$-12", -12],
  ["point", "(1,234.5)", -1234.5],
  ["point", "+12 EUR", 12],
  ["comma", "1.234,56", 1234.56],
  ["comma", "1 234,56", 1234.56],
  ["comma", "1\u202f234,56\u00a0€", 1234.56],
  ["comma", "12,5-", -12.5],
  ["comma", "\u221212,5", -12.5],
  ["comma", "EUR 0,07", 0.07],
  ["comma", "-", undefined],
  ["point", "(null)", undefined],
  ["point", "NaN", undefined],
  ["minor:=GBP", "1390", 13.9],
  ["minor:=JPY", "1390", 1390],
  ["minor:=KWD", "-12345", -12.345],
  ["minor:=EUR", "7", 0.07],
];

const wrong: readonly (readonly [format: string, text: string, message: RegExp])[] = [
  ["point", "12,5", /written as 1,234.56, not "12,5"/],
  ["point", "1.234,56", /written as 1,234.56/],
  ["comma", "12.50", /written as 1.234,56/],
  ["comma", "1.234 567,00", /written as/],
  ["point", "1.23457E+15", /written as/],
  ["point", "--5", /written as/],
  ["point", "(5", /written as/],
  ["point", "-5-", /written as/],
  ["point", "5 apples", /written as/],
  ["point", "9007199254740993", /./],
  ["minor:=EUR", "13.90", /whole number of minor units/],
];

describe("the format of a number", () => {
  for (const [format, text, value] of numbers) {
    it(`${format} reads ${text} as ${value}`, () => {
      assert.equal(compileNumberFormat(format).read(text, ""), value);
    });
  }

  for (const [format, text, message] of wrong) {
    it(`${format} refuses ${text}, and says why`, () => {
      const found = compileNumberFormat(format).read(text, "");
      assert.ok(found instanceof CellError);
      assert.match(found.message, message);
    });
  }

  it("takes the digits of minor units from the currency of the row", () => {
    const { read, currencyColumn } = compileNumberFormat("minor:ccy");
    assert.equal(currencyColumn, "ccy");
    assert.deepEqual([read("1390", "jpy"), read("1390", "EUR")], [1390, 13.9]);
    assert.match((read("1", "XYZ") as CellError).message, /"XYZ" is not one/);
  });

  for (const format of ["dot", "minor:", "minor:=XYZ"]) {
    it(`can't be ${format}`, () => assert.throws(() => compileNumberFormat(format), UsageError));
  }
});
