// The code lists, compared with what the runtime knows of the same standards.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { validatePayload } from "../../../src/domain/validation/validate.ts";
import {
  codeMeantBy,
  countriesAlpha2,
  countriesAlpha3,
  currencies,
  withdrawalOf,
} from "../../../src/domain/schema/codes.ts";
import { typeNamed } from "../../conformance/scene.ts";

describe("country codes", () => {
  it("are the 249 of the standard and Kosovo's, in both forms", () => {
    assert.equal(countriesAlpha2.size, 250);
    assert.equal(countriesAlpha3.size, 250);
    assert.ok(countriesAlpha2.has("XK"));
    assert.ok(countriesAlpha3.has("XKX"));
  });

  it("include every alpha-2 code as a region that the runtime has a name for", () => {
    const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
    assert.deepEqual(
      [...countriesAlpha2].filter((code) => names.of(code) === undefined),
      [],
    );
  });

  it("include no code that is reserved, withdrawn or invented", () => {
    for (const code of ["UK", "EU", "AN", "YU", "SU", "ZZ", "de", "D", ""]) {
      assert.equal(countriesAlpha2.has(code), false, code);
    }
    for (const code of ["EUR", "ROM", "YUG", "ZZZ", "deu"]) {
      assert.equal(countriesAlpha3.has(code), false, code);
    }
  });

  it("are capitals only, two and three of them", () => {
    for (const code of countriesAlpha2) assert.match(code, /^[A-Z]{2}$/);
    for (const code of countriesAlpha3) assert.match(code, /^[A-Z]{3}$/);
  });

  it("include both codes of a country, however different they are", () => {
    for (const pair of "DE DEU,AT AUT,CH CHE,UA UKR,AQ ATA,ME MNE,GG GGY,YT MYT".split(",")) {
      const [two = "", three = ""] = pair.split(" ");
      assert.ok(countriesAlpha2.has(two) && countriesAlpha3.has(three), pair);
      assert.equal(codeMeantBy(three.toLowerCase(), countriesAlpha2), two);
    }
  });
});

describe("currency codes", () => {
  it("are the 178 active ones and 132 historic ones, each with what replaced it and is known too", () => {
    assert.equal(currencies.size, 178 + 132);
    for (const code of currencies) {
      const { month = "2000-01", successor = "EUR" } = withdrawalOf(code) ?? {};
      assert.match(month, /^(?:19[789]|20[012])\d-(?:0[1-9]|1[0-2])$/, code);
      assert.ok(currencies.has(successor), code);
    }
  });

  it("are accepted until the month in which they were withdrawn, and later name what replaced them", () => {
    const type = typeNamed("transaction");
    const now = Date.parse("2026-06-01T00:00:00Z");
    const errors = (currency: string, timestamp: unknown) =>
      validatePayload(type, "add", { ...type.example, currency, timestamp }, { now });
    assert.deepEqual(errors("VEF", "2018-08-31T23:59:59.9Z"), []);
    const message = "was replaced by VES in 2018-08, before the timestamp";
    assert.deepEqual(errors("VEF", "2018-09-01T00:00:00Z"), [{ field: "currency", message }]);
    assert.match(
      errors("XFO", "2026-01-31T09:30:00Z")[0]?.message ?? "",
      /^was withdrawn in 2006-10/,
    );
    assert.deepEqual(errors("HRK", "2026-01-31T09:30:00Z"), []);
    assert.deepEqual(
      errors("DEM", 5).map(({ field }) => field),
      ["timestamp"],
    );
  });

  it("cover money, funds, metals, testing and none", () => {
    for (const code of ["EUR", "USD", "JPY", "KWD", "XCG", "ZWG", "VED", "SLE"]) {
      assert.ok(currencies.has(code), code);
    }
    for (const code of ["CHE", "CHW", "CLF", "COU", "MXV", "USN", "UYI", "UYW", "BOV", "XAD"]) {
      assert.ok(currencies.has(code), code);
    }
    for (const code of ["XAU", "XAG", "XPT", "XPD", "XDR", "XSU", "XUA", "XTS", "XXX"]) {
      assert.ok(currencies.has(code), code);
    }
  });

  it("are codes that the runtime has a name for, except for the newest", () => {
    const names = new Intl.DisplayNames("en", { type: "currency", fallback: "none" });
    const current = [...currencies].filter((code) => withdrawalOf(code) === undefined);
    const unknown = current.filter((code) => names.of(code) === undefined);
    assert.deepEqual(
      unknown.filter((code) => code !== "XAD"),
      [],
    );
  });

  it("include none that is in lower case or invented", () => {
    for (const code of ["eur", "BTC", "QQQ", ""]) {
      assert.equal(currencies.has(code), false, code);
    }
  });
});
