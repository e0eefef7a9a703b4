// Telephone numbers in a search: one number in all of its written forms, with and without its country.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { loadTelephoneReader } from "../../../src/actions/search/telephone.ts";

const readTelephone = await loadTelephoneReader();

describe("a telephone number", () => {
  for (const text of [
    "+49 30 1234567",
    "+49 (0)30 1234567",
    "0049 30 123-4567",
    "+49.30.1234567",
    "＋４９ ３０ １２３４５６７",
    "+49 30 1234567 ext. 12",
    "\u202a+49 30 1234567\u202c",
    "+٤٩ ٣٠ ١٢٣٤٥٦٧",
  ]) {
    it(`is one number however it is written: ${text}`, () => {
      assert.deepEqual(readTelephone(text), { full: "+49301234567", national: ["301234567"] });
    });
  }

  for (const [national, international] of [
    ["030 1234567", "+49 30 1234567"],
    ["٠٣٠ ١٢٣٤٥٦٧", "+49 30 1234567"],
    ["(415) 555-2671", "+1 415 555 2671"],
    ["1-415-555-2671", "+1 415 555 2671"],
    ["06 6982 1234", "+39 06 6982 1234"],
    ["020 7946 0018", "+44 20 7946 0018"],
    ["8 (495) 123-45-67", "+7 495 123 45 67"],
    ["06 1 123 4567", "+36 1 123 4567"],
  ] as const) {
    it(`shares its national digits with the form that has a country: ${national}`, () => {
      const known = new Set(readTelephone(international).national);
      assert.ok(readTelephone(national).national.some((digits) => known.has(digits)));
      assert.equal(readTelephone(national).full, undefined);
    });
  }

  it("is of one country only", () => {
    assert.notEqual(readTelephone("+49 30 1234567").full, readTelephone("+43 30 1234567").full);
  });

  for (const text of ["", "none", "12", "x".repeat(1_024)]) {
    it(`is none: ${text.slice(0, 8)}`, () => {
      assert.deepEqual(readTelephone(text), { full: undefined, national: [] });
    });
  }
});
