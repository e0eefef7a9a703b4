// The values of records as people write them.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeValue, renderTyped } from "../../../src/console/html/typed-value.ts";

describe("a value on the page of a record", () => {
  it("is an address, yes or no, or a text, and JSON if it is anything else", () => {
    const address = {
      country: "DE",
      lines: ["Example Street 1", "c/o B"],
      postal_code: "10115",
      city: null,
    };
    const shown: readonly (readonly [value: unknown, text: string])[] = [
      ["Ada", "Ada"],
      [false, "no"],
      [address, "Example Street 1\nc/o B\n10115\nDE"],
      [{ ...address, planet: "Earth" }, JSON.stringify({ ...address, planet: "Earth" })],
      [{ city: 5 }, '{"city":5}'],
      [{}, "{}"],
      [[address], JSON.stringify([address])],
      [null, "null"],
      [1.5, "1.5"],
    ];
    for (const [value, text] of shown) assert.equal(describeValue(value), text);
  });

  it("is marked as a date, a telephone number or an e-mail address, and never as a script", () => {
    const shown: readonly (readonly [text: string, markup: string])[] = [
      ["1990-12-10", "<time>1990-12-10</time>"],
      ["+49 (30) 123-45", '<a href="tel:+493012345">+49 (30) 123-45</a>'],
      ["ada@example.com", '<a href="mailto:ada@example.com">ada@example.com</a>'],
      ["ada@example.com?bcc=b@example.com", "ada@example.com?bcc=b@example.com"],
      ["javascript:alert(1)@example.com", "javascript:alert(1)@example.com"],
      ["<b>", "&lt;b&gt;"],
    ];
    for (const [text, markup] of shown) assert.equal(renderTyped(text).text, markup);
  });
});
