// Names with more terms than are kept: they never displace the other values that a person is found by.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { termsOfName } from "../../../src/domain/search/name-terms.ts";
import { readTerms } from "../../../src/actions/search/record-terms.ts";
import { loadTelephoneReader } from "../../../src/actions/search/telephone.ts";
import { readWanted } from "../../../src/actions/search/wanted-terms.ts";

/** Each word has three spellings, with the hyphen and without it. */
const words = ["Ахг", "Бхг", "Вхг", "Гхг", "Дхг", "Жхг", "Зхг", "Кхг"];
const name = `${words.map((word, at) => `${word}-${words[(at + 3) % words.length]}`).join(" ")} GmbH`;
const readTelephone = await loadTelephoneReader();

describe("a name with more terms than are kept", () => {
  it("leaves room for the other values of a record, of now and of before", () => {
    const before = { name, email: "before@example.com" };
    const now = { email: "now@example.com", date_of_birth: "1990-12-10" };
    const changes = [before, now];
    const terms = readTerms("person", { state: { ...before, ...now }, changes, readTelephone });
    const found = terms.filter(({ field }) => field !== "name").map(({ term }) => term);
    assert.deepEqual(found.toSorted(), [
      "born 1990-12-10",
      "email before@example.com",
      "email now@example.com",
    ]);
  });

  it("leaves room for what else is known", () => {
    const wanted = readWanted({ name, born: "1990-12-10" }, readTelephone);
    assert.deepEqual(
      wanted.filter(({ criterion }) => criterion !== "name").map(({ term }) => term),
      ["born 1990-12-10"],
    );
  });

  it("is found by its own terms beside many values of before", () => {
    const changes = Array.from({ length: 400 }, (_, at) => ({
      name: "Ada Example",
      email: `a${at}@example.com`,
    }));
    const terms = readTerms("person", { state: changes.at(-1) ?? {}, changes, readTelephone });
    assert.ok(terms.some(({ term }) => term === "whole adaexample"));
    assert.ok(terms.length <= 256);
  });

  it("is kept as a whole in all of its spellings, before its parts, and leaves room for a former name", () => {
    const former = "Ada Example";
    const changes = [{ name: former }, { name }];
    const kept = readTerms("person", { state: { name }, changes, readTelephone });
    const terms = new Set(kept.map(({ term }) => term));
    const spelled = termsOfName(name, "person").filter(({ form }) => form === "whole");
    assert.ok(spelled.length > 2);
    for (const { text } of spelled) assert.ok(terms.has(`whole ${text}`), text);
    assert.ok(terms.has("whole adaexample"));
  });

  it("is not read from values for which no term is left", () => {
    let read = 0;
    const counting = (text: string) => {
      read += 1;
      return readTelephone(text);
    };
    const changes = Array.from({ length: 1_000 }, (_, at) => ({
      phone_number: `030 ${100_000 + at}`,
    }));
    readTerms("person", { state: {}, changes, readTelephone: counting });
    assert.ok(read > 100 && read <= 130, `${read}`);
  });
});
