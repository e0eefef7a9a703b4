// E-mail addresses, numbers of documents and dates: which spellings are the same in a search.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  normaliseDate,
  normaliseEmail,
  normaliseNumber,
} from "../../../src/domain/search/contact-terms.ts";

describe("an e-mail address", () => {
  for (const [one, other] of [
    ["Ada.Example@Example.COM", "ada.example@example.com"],
    [" ada@bücher.example ", "ada@xn--bcher-kva.example"],
    ["ada@BÜCHER.example", "ada@bücher.example"],
    ["ａｄａ＠example.com", "ada@example.com"],
    ["\u202aa\u200bda@example.com.\u202c", "ada@example.com"],
  ] as const) {
    it(`is the same as another: ${one}`, () => {
      assert.equal(normaliseEmail(one), normaliseEmail(other));
      assert.ok(normaliseEmail(one));
    });
  }

  for (const [one, other] of [
    ["ada@example.com", "ada@example.org"],
    ["ada.l@example.com", "adal@example.com"],
    ["ada+bank@example.com", "ada@example.com"],
  ] as const) {
    it(`differs from another: ${one}`, () => {
      assert.notEqual(normaliseEmail(one), normaliseEmail(other));
    });
  }

  for (const text of ["", "ada", "@example.com", "ada@", "ada@exa mple.com"]) {
    it(`is none: "${text}"`, () => {
      assert.equal(normaliseEmail(text), undefined);
    });
  }
});

describe("the number of a document", () => {
  it("is compared by its letters and digits", () => {
    assert.equal(normaliseNumber("c01-X00 T47"), normaliseNumber("C01X00T47"));
    assert.equal(normaliseNumber("C\u200b01 X00"), normaliseNumber("C01X00"));
    assert.notEqual(normaliseNumber("007"), normaliseNumber("7"));
    assert.equal(normaliseNumber(" -/ "), undefined);
  });
});

describe("a digit", () => {
  it("is the same in every script", () => {
    for (const digits of [
      "٠١٢٣٤٥٦٧٨٩",
      "۰۱۲۳۴۵۶۷۸۹",
      "०१२३४५६७८९",
      "๐๑๒๓๔๕๖๗๘๙",
      "０１２３４５６７８９",
      "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗",
    ]) {
      assert.equal(normaliseNumber(digits), "0123456789");
    }
  });
});

describe("a date of birth", () => {
  it("is a date of the calendar as records have it", () => {
    assert.equal(normaliseDate("1990-12-10"), "1990-12-10");
    assert.equal(normaliseDate("10.12.1990"), undefined);
    assert.equal(normaliseDate("1990-02-31"), undefined);
    assert.equal(normaliseDate("1992-02-29"), "1992-02-29");
  });
});
