// The pairs of names.tsv: that a name is found in the spellings that it has, and not by other names. E-mail addresses,
// numbers of documents and dates: which spellings are the same in a search.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import {
  termsOfName,
  termsOfSimilarName,
  termsOfWantedName,
} from "../../../src/feature/find/name-terms.ts";
import {
  normaliseDate,
  normaliseEmail,
  normaliseNumber,
} from "../../../src/feature/find/value-terms.ts";

/** How a stored name is found by a wanted one. */
function compare(of: "person" | "company", stored: string, wanted: string): string {
  const terms = new Set(termsOfName(stored, of).map(({ form, text }) => `${form} ${text}`));
  const found = termsOfWantedName(wanted).filter(({ form, text }) => terms.has(`${form} ${text}`));
  if (found.some(({ exact }) => exact)) return "exact";
  return found.length > 0 ? "partial" : "none";
}

/** By which rule a stored name is similar to a wanted one. */
function ruleOf(stored: string, wanted: string): string | undefined {
  const terms = new Set(termsOfName(stored, "person").map(({ form, text }) => form + text));
  return termsOfSimilarName(wanted).find(({ form, text }) => terms.has(form + text))?.rule;
}

const [spelling, letter] = ["another transliteration", "one letter apart"];

const pairs = readFileSync(new URL("names.tsv", import.meta.url), "utf8")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => line.split("\t"));

describe("a name", () => {
  it("is found in other spellings, and not by other names, of ten countries", () => {
    const wrong = pairs.flatMap(([, expected, kind, stored = "", wanted = ""]) => {
      const found = compare(kind === "company" ? "company" : "person", stored, wanted);
      return found === expected ? [] : [`${stored} | ${wanted}: ${found}, not ${expected}`];
    });
    assert.deepEqual(wrong, []);
  });

  it("is compared in at least 200 pairs that match, and 200 that don't, of ten countries", () => {
    const matching = pairs.filter(([, expected]) => expected !== "none");
    assert.ok(matching.length >= 200);
    assert.ok(pairs.length - matching.length >= 200);
    for (const some of [matching, pairs.filter(([, expected]) => expected === "none")]) {
      assert.equal(new Set(some.map(([country]) => country)).size, 10);
    }
  });

  it("is similar to others by another transliteration, or by one letter, and to no more", () => {
    for (const [stored, rule, wanted] of [
      ["Vladimir Kovalchuk", spelling, "Wladimir Kowaltschuk"],
      ["Владимир Ковальчук", spelling, "Wladimir Kowaltschuk"],
      ["Mohamed Aly", spelling, "Muhammad Ali"],
      ["Maria Ana D Souza", spelling, "Maria D'Souza"],
      ["Anna Meyer", spelling, "Anna Maier"],
      ["Gazprom", spelling, "Gasprom"],
      ["Ada Maria Example", letter, "Ada Exmaple"],
      ["Ada Example", letter, "Ada Exampel"],
      ["Khalid Saeed", letter, "Saeed Khaled"],
      ["Schmidt", letter, "Schmit"],
      ["Ada Example", undefined, "Ida Exampel"],
      ["Li Na", undefined, "Lu Na"],
      ["Peter Schmidt", undefined, "Petra Schmitt"],
    ] as const) {
      assert.equal(ruleOf(stored, wanted), rule, `${stored} | ${wanted}`);
    }
    assert.ok(
      termsOfSimilarName("Maximiliane Christianson Featherstone".repeat(9)).length <= 4_096,
    );
  });

  it("is found by its words where characters are in them that nobody sees", () => {
    for (const one of ["\u00ad", "\u200c", "\u200d", "\u200e", "\u202e", "\u2060", "\ufeff"]) {
      const hidden = `Ada${one} Maria Exa${one}mple`;
      assert.equal(compare("person", hidden, "Ada Example"), "partial", JSON.stringify(one));
      assert.equal(compare("person", "Ada Maria Example", hidden), "exact", JSON.stringify(one));
    }
    assert.equal(compare("person", "Ada Maria\u200bExample", "Ada Example"), "partial");
  });

  it("is another name with other vowels or voiced syllables, in scripts that write these as marks", () => {
    const others = ["राम कुमार|रमा कुमार", "राम|रमा", "สมชาย|สมชิย", "がく|かく", "ハナ|パナ"];
    for (const pair of others) {
      const [stored = "", wanted = ""] = pair.split("|");
      assert.equal(compare("person", stored, wanted), "none", pair);
      assert.equal(compare("person", stored, stored), "exact", pair);
    }
    for (const same of [
      "محمد علی|محمد علي",
      "فاطمة یحیی|فاطمه يحيى",
      "کریم|كريم",
      "مُحَمَّد علي|محمد علي",
      "محـــمد علي|محمد علي",
      "שָׁלוֹם כהן|שלום כהן",
    ]) {
      const [stored = "", wanted = ""] = same.split("|");
      assert.equal(compare("person", stored, wanted), "exact", same);
    }
  });

  it("is the same with and without the signs for hamza and ayin, at the edge of a word too", () => {
    for (const one of "'’‘`´ʹʻʼʽʾʿˀˁ′‛՚׳᾽᾿῾ꞌ") {
      for (const signed of [`${one}Abdullah Khan`, `Abdu${one}llah Khan`, `Abdullah${one} Khan`]) {
        assert.equal(compare("person", signed, "Abdullah Khan"), "exact", signed);
        assert.equal(compare("person", "Abdullah Khan", signed), "exact", signed);
        assert.equal(compare("person", signed, "Khan Abdullah"), "exact", signed);
        assert.equal(compare("person", signed, "Abdulla Khan"), "none", signed);
      }
    }
    assert.equal(compare("person", "Qurʾan Ali", "Quran Ali"), "exact");
    assert.equal(compare("person", "ג׳ורג׳ כהן", "גורג כהן"), "exact");
  });

  it("is found by a family name of one ideograph or syllable, and never by an initial alone", () => {
    for (const pair of ["王 伟|王", "王 伟|伟", "김 민수|김", "王 伟 Wei|伟 王"]) {
      const [stored = "", wanted = ""] = pair.split("|");
      assert.equal(compare("person", stored, wanted), "partial", pair);
    }
    for (const pair of ["王 伟|李", "王 伟|玉", "Ada Example|A", "A. Example|A", "А. Петров|А"]) {
      const [stored = "", wanted = ""] = pair.split("|");
      assert.equal(compare("person", stored, wanted), "none", pair);
    }
    assert.equal(compare("person", "王 伟", "伟 王"), "exact");
    assert.equal(compare("person", "A. Example", "Ada Example"), "partial");
  });

  it("is found by an initial that is transliterated as several letters", () => {
    const names = [
      "Юлия Петрова",
      "Яна Петрова",
      "Θεόδωρος Παππάς",
      "Þór Jónsson",
      "Æsa Jónsdóttir",
    ];
    for (const name of names) {
      const [first = "", last = ""] = name.split(" ");
      const short = `${first.slice(0, 1)}. ${last}`;
      assert.equal(compare("person", name, short), "partial", short);
      assert.equal(compare("person", short, name), "partial", short);
      assert.equal(compare("person", short, short), "exact", short);
    }
    assert.equal(compare("person", "Ю. Петрова", "Ю"), "none");
  });

  it("is written in a to z as in other countries with Cyrillic letters, and in Africa", () => {
    for (const pair of [
      "Ђорђе Жарковић|Djordje Zarkovic",
      "Щерю Ъглев|Shteryu Aglev",
      "Ѕвездана Ѓоргиева|Dzvezdana Gjorgieva",
      "Қасым Нұрсұлтан|Kasym Nursultan",
      "Қасым Нұрсұлтан|Qasym Nursultan",
      "Ўткир Ҳамроев|Otkir Hamroev",
      "Ɗan Ƙasim Ɓala|Dan Kasim Bala",
    ]) {
      const [stored = "", wanted = ""] = pair.split("|");
      assert.equal(compare("person", stored, wanted), "exact", pair);
    }
  });
});

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
