// The texts of letters: those of a file, and how values of records are shown in them.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { english } from "../../../src/feature/subject/english.ts";
import { letterTexts, showText, Texts } from "../../../src/feature/subject/texts.ts";
import { readConfig, valueOf } from "../../../src/settings/config.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { makeCommandLine } from "../../cli/command-line.ts";

const folder = makeTempFolder();
const path = join(folder, "letters.json");

function readTexts(texts: unknown): Texts {
  writeFileSync(path, typeof texts === "string" ? texts : JSON.stringify(texts));
  return valueOf(readConfig({ LETTER_TEXTS: path }, [letterTexts]), letterTexts);
}

describe("the texts of letters", () => {
  it("are those of the file, in its language, and English ones where it has none", () => {
    const texts = readTexts({
      language: "de-DE",
      "erasure.title": "Ihr Antrag auf Löschung vom {requested}",
      "type.transaction": "Überweisung",
      "value.SETTLED": "gebucht",
    });
    const requested = texts.date(Date.parse("2026-03-01T23:59:59.999Z"));
    const title = texts.say("erasure.title", { requested });
    assert.equal(title, "Ihr Antrag auf Löschung vom 1. März 2026");
    assert.deepEqual(
      [texts.type("transaction"), texts.value("status", "SETTLED"), texts.days(1_825)],
      ["Überweisung", "gebucht", "1.825 Tage"],
    );
    assert.equal(texts.value("sender_country", "DE"), "Deutschland");
    assert.equal(texts.amount(1_250.5, "EUR"), "1.250,50\u00a0EUR");
    assert.equal(texts.say("sheet.closing"), english["sheet.closing"]);
  });

  it("are refused with what is wrong in them", () => {
    const cases: readonly (readonly [unknown, RegExp])[] = [
      ["{", /\(it is not JSON\)/],
      [[], /\(it is no object\)/],
      [{ "erasure.titel": "x" }, /\(there is no text "erasure\.titel"\)/],
      [{ "erasure.title": 5 }, /\("erasure\.title" is no text\)/],
      [{ "erasure.title": "x" }, /must have \{requested\}, and has no placeholder\)/],
      [{ "erasure.title": "{requested} {by}" }, /must have \{requested\}, and has \{by\} \{req/],
      [{ language: "german!" }, /\("language" must be a tag such as de-AT\)/],
    ];
    for (const [texts, message] of cases) assert.throws(() => readTexts(texts), { message });
    const environment = { LETTER_TEXTS: "/dev/zero" };
    assert.throws(
      () => readConfig(environment, [letterTexts]),
      /\(it is a named pipe or a device;/,
    );
  });

  it("are all printed by a command, as a file that can be used again", async () => {
    const line = makeCommandLine();
    const { out, code } = await line.type("letter texts");
    assert.equal(code, 0);
    const all = JSON.parse(out) as Record<string, string>;
    assert.deepEqual(
      [all["type.customer_sar"], all["field.date_of_birth"]],
      ["Customer SAR", "Date of birth"],
    );
    assert.deepEqual(readTexts(out).all, all);
  });
});

describe("a value in a letter", () => {
  it("changes neither the direction of the text around it nor its lines", () => {
    assert.equal(showText("a\u202Eb\u2066c\u0007d\u009be"), "a\uFFFDb\uFFFDc\uFFFDd\uFFFDe");
    assert.equal(showText("محمد"), "\u2068محمد\u2069");
    assert.equal(showText("Ковальчук Ā"), "Ковальчук Ā");
  });

  it("is a day only in a field that has days, and as it was sent if there is no such day", () => {
    const texts = new Texts();
    for (const text of ["2026-07-08", "2026-02-30", "2026-13-45", "2026-01-31T99:99:99Z"]) {
      assert.equal(texts.value("tx_id", text), text);
      const entries = [{ key: "timestamp", value: { date_of_birth: text } }];
      const shown = `timestamp: date_of_birth: ${text}`;
      assert.equal(texts.value("additional_properties", entries), shown);
    }
    assert.equal(texts.value("date_of_birth", "2026-07-08"), "8 July 2026");
    const second = "2016-12-31T23:59:60Z";
    assert.equal(texts.value("timestamp", second), second);
    assert.equal(texts.date(second), second);
  });

  it("is written in words, and as it was sent where it is free text", () => {
    const texts = new Texts();
    assert.equal(texts.value("status", "SETTLED"), "Settled");
    assert.equal(texts.value("name", "SETTLED"), "SETTLED");
    assert.equal(texts.value("name", "DE"), "DE");
    const verified = [{ type: "DATE_OF_BIRTH", outcome: "MATCH", value: "A_1" }];
    const shown = "Type: Date of birth\nOutcome: Match\nValue: A_1";
    assert.equal(texts.value("verified_data", verified), shown);
    assert.equal(texts.value("type", "GmbH"), "GmbH");
    assert.equal(texts.value("method", "PROV_X_TRANSFER"), "Provider X transfer");
    assert.equal(texts.amount(99_643, "JPY"), "JPY\u00a099,643");
    assert.equal(texts.value("is_director", true), "yes");
    assert.equal(texts.value("date_of_birth", "1990-12-10"), "10 December 1990");
    assert.equal(texts.value("timestamp", "2026-01-31T23:30:00-02:00"), "1 Feb 2026, 01:30:00 UTC");
    assert.equal(
      texts.value("address", { lines: ["1 Road"], country: "DE" }),
      "Lines: 1 Road\nCountry: Germany",
    );
    const properties = [{ key: "a\u202Eb", type: "STRING", value: "<b>" }];
    assert.equal(texts.value("additional_properties", properties), "a\uFFFDb: <b>");
  });
});
