// The messages of a rejection: what was expected, what was probably meant, and nothing of what was
// sent.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { explainErrors, explainRefusal } from "../../../src/domain/validation/explain.ts";
import { inexactMessage } from "../../../src/domain/json/exact-number.ts";
import { limits } from "../../../src/domain/limits.ts";
import type { Operation, RecordType } from "../../../src/domain/record-type.ts";
import { isJsonObject, type SchemaShape } from "../../../src/domain/schema/schema-shape.ts";
import { validatorOf } from "../../../src/domain/schema/validator.ts";
import { validatePayload } from "../../../src/domain/validation/validate.ts";
import { anySubmission, anyType } from "../arbitrary.ts";
import { typeNamed } from "../../conformance/scene.ts";

/**
 * What is wrong with the example of a type after some of its fields were replaced, as `field:
 * message`.
 */
function told(name: string, changes: object, operation: Operation = "add"): readonly string[] {
  const type = typeNamed(name);
  const errors = validatePayload(type, operation, { ...type.example, ...changes });
  return errors.map(({ field, message }) => `${field}: ${message}`);
}

const statuses = "CREATED, PENDING, SETTLED, FAILED, REJECTED, REFUNDED";

describe("a message", () => {
  for (const [sent, meant] of [
    [{ currency: "eur" }, "EUR"],
    [{ currency: "RMB" }, "CNY"],
    [{ sender_country: "UK" }, "GB"],
    [{ sender_country: "de" }, "DE"],
  ] as const) {
    it(`says which code was meant: ${JSON.stringify(sent)}`, () => {
      assert.ok(told("transaction", sent)[0]?.endsWith(`; did you mean ${meant}?`));
    });
  }

  for (const sent of [
    { currency: " USD" },
    { status: "SETTLED " },
    { sender_country: "DE\u00a0" },
  ]) {
    it(`names blanks around a value: ${JSON.stringify(sent)}`, () => {
      assert.match(told("transaction", sent)[0] ?? "", /, but has blanks around it$/);
    });
  }

  it("says what was expected and which kind of value arrived instead", () => {
    const amount =
      "amount: must be a number between -9007199254740991 and 9007199254740991, or null, but is";
    assert.deepEqual(told("transaction", { amount: "12" }), [`${amount} text`]);
    assert.deepEqual(told("transaction", { amount: false }), [`${amount} true or false`]);
    assert.deepEqual(told("transaction", { amount: [] }), [`${amount} a list`]);
    assert.deepEqual(told("transaction", { amount: {} }), [`${amount} an object`]);
    assert.deepEqual(told("transaction", { currency: 5 }), [
      "currency: must be an ISO 4217 currency code in capitals, such as EUR, but is a number",
    ]);
    assert.deepEqual(told("transaction", { type: null }), [
      "type: must be one of DEPOSIT, WITHDRAWAL, but is null",
    ]);
  });

  it("suggests names for the first 20 mistakes of a request only, because each takes time", () => {
    const fields = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`curency${at}`, 1]));
    const suggested = told("transaction", fields).filter((line) => line.includes("did you mean"));
    assert.equal(suggested.length, 20);
  });

  it("contains no content of the right kind", () => {
    assert.deepEqual(told("transaction", { type: "SECRET" }), [
      "type: must be one of DEPOSIT, WITHDRAWAL",
    ]);
    assert.deepEqual(told("transaction", { amount: 1e300 }), [
      "amount: must be a number between -9007199254740991 and 9007199254740991, or null",
    ]);
  });

  it("says what is wrong with the size of text and lists", () => {
    const id = "tx_id: must be an id of 1 to 256 characters without control characters";
    assert.deepEqual(told("transaction", { tx_id: "" }), [`${id}, but is empty`]);
    assert.deepEqual(told("transaction", { tx_id: "x".repeat(257) }), [`${id}, but is longer`]);
    assert.deepEqual(told("transaction", { tx_id: `${"😀".repeat(200)}\n` }), [id]);
    const lists = Array.from({ length: 1001 }, () => 5);
    assert.deepEqual(told("screening", { lists }), [
      "lists: must be a list of at most 1000 items, but has 1001 items",
    ]);
    const reason = Object.fromEntries(lists.map((_, index) => [`k${index}`, "v"]));
    assert.deepEqual(told("onboarding_flow", { outcome_reason: reason }), [
      "outcome_reason: must be text, or an object, but has 1001 entries",
    ]);
  });

  it("says why text with half a surrogate pair is refused", () => {
    assert.deepEqual(told("person", { name: "x\ud83d" }), [
      "name: must be text of at most 1024 characters, but contains half of a surrogate pair, which is not valid text",
    ]);
  });

  it("says where null is allowed", () => {
    assert.deepEqual(told("transaction", { status: null }, "update"), [
      `status: must be one of ${statuses}, but is null; leave it out instead`,
    ]);
    assert.deepEqual(told("transaction", { is_test: null, sender_id: null, receiver_id: "r" }), [
      "receiver_country: is required when receiver_id is sent",
    ]);
    assert.deepEqual(told("person", { address: { city: null } }), []);
    assert.deepEqual(told("person", { address: { city: null } }, "update"), []);
  });

  it("says what to send instead of a number that would be rounded", () => {
    assert.deepEqual(told("transaction", { amount: Infinity }), [`amount: ${inexactMessage}`]);
    assert.deepEqual(told("person", { ownership_percentage: -Infinity }, "update"), [
      `ownership_percentage: ${inexactMessage}`,
    ]);
    assert.deepEqual(told("transaction", { currency: Infinity }), [
      "currency: must be an ISO 4217 currency code in capitals, such as EUR, but is a number",
    ]);
  });

  it("says only that about values that are nested without end", () => {
    const deep: unknown = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
    const { addSchema } = typeNamed("transaction");
    assert.deepEqual(explainRefusal(addSchema, deep, { what: "transaction" }), [
      { message: "is nested deeper than 16 levels" },
    ]);
    assert.deepEqual(told("transaction", { amount: deep }), [
      "amount: is nested deeper than 16 levels",
    ]);
    assert.deepEqual(told("transaction", { nothing_like_it: deep }), [
      "nothing_like_it: is not a field of a transaction",
    ]);
  });

  it("asks whether a known field was meant, where one is close", () => {
    const unknown = (name: string) => told("transaction", { [name]: 1 });
    assert.deepEqual(unknown("sender_contry"), [
      "sender_contry: is not a field of a transaction; did you mean sender_country?",
    ]);
    assert.deepEqual(unknown("senderCountry"), [
      "senderCountry: is not a field of a transaction; did you mean sender_country?",
    ]);
    assert.deepEqual(unknown("colour"), ["colour: is not a field of a transaction"]);
    assert.deepEqual(told("onboarding_flow", { x: 1 }), [
      "x: is not a field of an onboarding flow",
    ]);
    assert.deepEqual(told("customer_sar", { x: 1 }), ["x: is not a field of a customer SAR"]);
  });

  it("asks whether a known value was meant, also in other letters", () => {
    const message = (value: string) => told("transaction", { method: value })[0] ?? "";
    assert.match(message("swift"), /^method: must be one of WIRE, [^;]*; did you mean SWIFT\?$/);
    assert.match(message("APPLEPAY"), /; did you mean APPLE_PAY\?$/);
    assert.match(message("barter"), /, CARD$/);
    assert.match(
      told("person", { account_status: "aproved" })[0] ?? "",
      /did you mean APPROVED\?$/,
    );
    const many = told("transaction", { related_tx_ids: [], method: "x".repeat(100_000) });
    assert.ok(many.every((line) => !line.includes("did you mean")));
  });

  it("says what the items of a list are", () => {
    assert.deepEqual(told("transaction_check", { related_tx_ids: "tx-1" }), [
      "related_tx_ids: must be a list of at most 1000 items, each an id of 1 to 256 characters without control characters, but is text",
    ]);
    assert.deepEqual(told("screening", { lists: 5 }), [
      "lists: must be a list of at most 1000 items, each text of at most 1024 characters, but is a number",
    ]);
  });

  it("says what the objects of a list look like", () => {
    const shape = "an object with key, value, type, and optionally description";
    assert.deepEqual(told("person", { additional_properties: { tier: "3" } }), [
      `additional_properties: must be a list of at most 1000 items, each ${shape}, but is an object`,
    ]);
    assert.deepEqual(told("person", { additional_properties: ["tier"] }), [
      `additional_properties[0]: must be ${shape}, but is text`,
    ]);
  });

  it("lists the existing fields inside a field", () => {
    assert.deepEqual(told("person", { address: { zip: "1", postalcode: "2" } }), [
      "address.zip: is not one of lines, city, state, county, postal_code, country",
      "address.postalcode: is not one of lines, city, state, county, postal_code, country; " +
        "did you mean postal_code?",
    ]);
  });

  it("is one per path, even for a value that could be several things", () => {
    const either = "outcome_reason: must be text, or an object";
    assert.deepEqual(told("onboarding_flow", { outcome_reason: 5 }), [
      `${either}, but is a number`,
    ]);
    assert.deepEqual(told("onboarding_flow", { outcome_reason: 5 }, "update"), [
      `${either}, or null, but is a number`,
    ]);
  });
});

describe("a path", () => {
  it("leads through objects and lists to the exact value", () => {
    const lines = ["1", "2", "3", 4];
    const [address] = told("company", { addresses: [{}, { address: { lines } }] });
    assert.match(address ?? "", /^addresses\[1\]\.address\.lines\[3\]: /);
    const item = { key: "k", value: "v", type: "STRING" };
    const [key] = told("company", { additional_properties: [item, { ...item, key: 5 }] });
    assert.match(key ?? "", /^additional_properties\[1\]\.key: /);
  });
});

describe("a list of errors", () => {
  it("ends one after the most that a reply lists, whatever was sent", () => {
    const lists = Array.from({ length: 1000 }, () => 5);
    assert.equal(told("screening", { lists }).length, limits.fieldErrorsMax + 1);
    const unknown = Object.fromEntries(
      Array.from({ length: 200_000 }, (_, n) => [`sender_${n}`, 1]),
    );
    const bothWrong = { ...unknown, receiver_id: "without its country" };
    assert.equal(told("transaction", bothWrong).length, limits.fieldErrorsMax + 1);
    const keys = Array.from({ length: 1000 }, () => ({ key: "same", value: "", type: "STRING" }));
    assert.equal(
      told("transaction", { additional_properties: keys }).length,
      limits.fieldErrorsMax + 1,
    );
  });

  it("is made without scanning a list that is too long", () => {
    const lists: unknown[] = Array.from({ length: 1001 }, () => "");
    Object.defineProperty(lists, 0, { get: () => assert.fail("an item was read") });
    const { addSchema, example } = typeNamed("screening");
    const errors = explainRefusal(addSchema, { ...example, lists }, { what: "screening" });
    assert.deepEqual(
      errors.map((error) => error.field),
      ["lists"],
    );
  });

  it("is empty exactly when the validator accepts the payload and no rule objects", () => {
    const submission = anyType.chain((type) =>
      fc.tuple(fc.constant(type), fc.constantFrom<Operation>("add", "update"), anySubmission(type)),
    );
    let taken = 0;
    let runs = 0;
    fc.assert(
      fc.property(submission, ([type, operation, value]) => {
        const valid = isValid(type, operation, value);
        const errors = validatePayload(type, operation, value);
        assert.equal(errors.length === 0, valid, JSON.stringify(errors));
        const fields = errors.map((error) => error.field);
        assert.deepEqual(fields, [...new Set(fields)]);
        runs += 1;
        if (valid) taken += 1;
      }),
      { numRuns: 1000 },
    );
    assert.ok(taken > runs / 20 && taken < runs, `${taken} of ${runs} submissions were valid`);
  });
});

function isValid(type: RecordType, operation: Operation, value: unknown): boolean {
  const validator = validatorOf(operation === "add" ? type.addSchema : type.updateSchema);
  if (!validator.Check(value) || !isJsonObject(value)) return false;
  const rules = type.rules.filter((rule) => operation === "add" || rule.on === "always");
  if (rules.some((rule) => rule.check(value).length > 0)) return false;
  const properties = (value["additional_properties"] ?? []) as readonly { key: string }[];
  return new Set(properties.map((property) => property.key)).size === properties.length;
}

describe("the explanation of any schema", () => {
  const schema: SchemaShape = {
    type: "object",
    required: ["seconds", "names"],
    properties: {
      seconds: { type: "integer", minimum: 300, expected: "a whole number from 300" },
      names: {
        type: "array",
        items: { type: "string" },
        minItems: 1,
        expected: "a list of at least one name",
      },
      plain: { anyOf: [{ type: "integer" }, { type: "string", maxLength: 3 }] },
    },
    additionalProperties: false,
  };
  const explain = (value: unknown) => explainErrors(schema, value, { what: "token request" });

  it("is empty for a value that is valid", () => {
    assert.deepEqual(explain({ seconds: 300, names: [""], plain: 5 }), []);
  });

  it("uses what the schema says, or the kinds it accepts", () => {
    assert.deepEqual(explain({ seconds: 1.5, names: [], plain: true, tokens: 1 }), [
      { field: "seconds", message: "must be a whole number from 300" },
      { field: "names", message: "must be a list of at least one name" },
      { field: "plain", message: "must be a whole number or text, but is true or false" },
      { field: "tokens", message: "is not a field of a token request" },
    ]);
    assert.deepEqual(explain({ seconds: 300, names: ["", 5], plain: "long" }), [
      { field: "names[1]", message: "must be text, but is a number" },
      { field: "plain", message: "must be a whole number or text, but is longer" },
    ]);
  });
});
