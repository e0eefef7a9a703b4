// The known name that a mistyped one probably means.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { closestName } from "../../../src/domain/validation/suggest.ts";

const known = [
  "tx_id",
  "type",
  "amount",
  "amount_usd",
  "sender_id",
  "sender_country",
  "receiver_country",
];

describe("the closest name", () => {
  it("is found despite typing errors", () => {
    for (const [typed, meant] of [
      ["amuont", "amount"],
      ["amout", "amount"],
      ["ammount", "amount"],
      ["amount_us", "amount_usd"],
      ["sender_contry", "sender_country"],
      ["reciever_country", "receiver_country"],
      ["typ", "type"],
    ] as const) {
      assert.equal(closestName(typed, known), meant, typed);
    }
  });

  it("is found in other spellings", () => {
    for (const typed of [
      "senderCountry",
      "SenderCountry",
      "SENDER_COUNTRY",
      "sender-country",
      "sender country",
    ]) {
      assert.equal(closestName(typed, known), "sender_country", typed);
    }
  });

  it("is not found where nothing is close", () => {
    for (const typed of [
      "",
      "x",
      "colour",
      "tip",
      "country",
      "__proto__",
      "toString",
      "sender_id".repeat(20),
    ]) {
      assert.equal(closestName(typed, known), undefined, typed);
    }
  });

  it("differs by at most one character from a short name, two from a longer one, three from a long one", () => {
    assert.equal(closestName("tyx", ["typ"]), "typ");
    assert.equal(closestName("txx", ["typ"]), undefined);
    assert.equal(closestName("amouxx", ["amount"]), "amount");
    assert.equal(closestName("amoxxx", ["amount"]), undefined);
    assert.equal(closestName("currenxxx", ["currency_"]), "currency_");
    assert.equal(closestName("currexxxx", ["currency_"]), undefined);
  });

  it("is the closest of several, and the first of equals", () => {
    assert.equal(closestName("amount_us", ["amount", "amount_usd"]), "amount_usd");
    assert.equal(closestName("lint", ["line", "link"]), "line");
  });
});
