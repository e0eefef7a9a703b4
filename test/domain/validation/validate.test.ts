// Every field of every type, at every depth: what is rejected, and under which path.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inexactMessage } from "../../../src/domain/json/exact-number.ts";
import { limits } from "../../../src/domain/limits.ts";
import type { Operation, RecordType } from "../../../src/domain/record-type.ts";
import { brokenRules } from "../../../src/domain/record/merge.ts";
import { recordTypes } from "../../../src/domain/record-types.ts";
import { kindOf } from "../../../src/domain/schema/schema-shape.ts";
import { validateIdentifier, validatePayload } from "../../../src/domain/validation/validate.ts";
import { fullPayload, placesOf, type Step, withPlace, wrongValues } from "../samples.ts";
import { typeNamed } from "../../conformance/scene.ts";

const operations: readonly Operation[] = ["add", "update"];

function pathsOf(type: RecordType, operation: Operation, value: unknown) {
  return validatePayload(type, operation, value).map((error) => error.field);
}

function fullWith(type: RecordType, steps: readonly Step[], to: unknown): unknown {
  return withPlace(fullPayload(type, `${steps[0]}`), steps, to);
}

for (const type of recordTypes) {
  describe(`a ${type.resourceType}`, () => {
    const places = placesOf(type.addSchema);

    it("is accepted with every field filled in, in any order", () => {
      const full = fullPayload(type);
      const backwards = Object.fromEntries(Object.entries(full).toReversed());
      for (const operation of operations) {
        assert.deepEqual(validatePayload(type, operation, full), []);
        assert.deepEqual(validatePayload(type, operation, backwards), []);
      }
    });

    it("is refused with a wrong value in any place, which is named", () => {
      for (const { path, steps, schema } of places) {
        for (const [what, wrong] of wrongValues(schema)) {
          for (const operation of operations) {
            const paths = pathsOf(type, operation, fullWith(type, steps, wrong));
            assert.deepEqual(paths, [path], `${operation}: ${path} with ${what}`);
          }
        }
      }
    });

    it("is refused without what is required, at any depth", () => {
      for (const { path, steps, required } of places) {
        if (!required || typeof steps.at(-1) === "number") continue;
        const value = fullWith(type, steps, undefined);
        const errors = validatePayload(type, "add", value);
        assert.deepEqual(errors, [{ field: path, message: "is required" }]);
        const inUpdate = steps.length > 1 || path === type.idField || path === "timestamp";
        assert.deepEqual(pathsOf(type, "update", value), inUpdate ? [path] : [], path);
      }
    });

    it("is accepted without what is optional", () => {
      for (const { path, steps, required } of places) {
        if (required || type.rules.some((rule) => rule.summary.includes(path))) continue;
        for (const operation of operations) {
          assert.deepEqual(pathsOf(type, operation, fullWith(type, steps, undefined)), [], path);
        }
      }
    });

    it("is refused with an unknown field in any object", () => {
      const objects = places.filter(({ schema }) => schema.properties !== undefined);
      for (const { path, steps } of [{ path: "", steps: [] }, ...objects]) {
        for (const name of ["nothing_like_it", "__proto__", "constructor", "toString", ""]) {
          const value = withOwn(fullPayload(type, `${steps[0]}`), steps, name);
          const step = name === "" ? '""' : name;
          const field = path === "" ? step : `${path}.${step}`;
          for (const operation of operations) {
            const paths = pathsOf(type, operation, value);
            assert.deepEqual(paths, [field]);
          }
        }
      }
    });

    it("accepts null in optional fields, at any depth, and as an amount", () => {
      for (const { path, steps, required } of places) {
        const value = fullWith(type, steps, null);
        const isAmount = type.resourceType === "transaction" && path === "amount";
        // A rule that requires it may report another error, but of another kind.
        const isTaken = isAmount || !required;
        for (const operation of operations) {
          const errors = validatePayload(type, operation, value);
          const isNamed = errors.some(
            (error) => error.field === path && /null/.test(error.message ?? ""),
          );
          assert.equal(isNamed, !isTaken, `${operation}: ${path}`);
        }
        if (isTaken) assert.deepEqual(pathsOf(type, "update", value), [], path);
      }
    });

    it("is refused when it is not an object", () => {
      for (const value of [null, [], [type.example], "text", 5, true, undefined]) {
        const [error, ...more] = validatePayload(type, "add", value);
        assert.deepEqual(more, []);
        assert.equal(error?.field, undefined);
        assert.match(error?.message ?? "", /^must be an object, but is /, kindOf(value));
      }
    });
  });
}

/** Like JSON.parse, which makes even `__proto__` an own property. */
function withOwn(value: unknown, steps: readonly Step[], name: string): unknown {
  const copy = structuredClone(value);
  let place: unknown = copy;
  for (const step of steps) place = (place as Record<Step, unknown>)[step];
  Object.defineProperty(place, name, { value: 1, enumerable: true, configurable: true });
  return copy;
}

describe("rules across fields", () => {
  const transaction = typeNamed("transaction");
  const { sender_id: _id, sender_country: _country, ...noParties } = transaction.example;

  it("require a sender or a receiver of a transaction that is added", () => {
    assert.deepEqual(pathsOf(transaction, "add", noParties), ["sender_id"]);
    assert.deepEqual(pathsOf(transaction, "update", noParties), []);
    const receiver = { receiver_id: "r", receiver_country: "FR" };
    assert.deepEqual(pathsOf(transaction, "add", { ...noParties, ...receiver }), []);
  });

  it("require the country of each party, but not a party for a country", () => {
    const both = { ...noParties, sender_id: "s", receiver_id: "r" };
    assert.deepEqual(pathsOf(transaction, "add", both), ["sender_country", "receiver_country"]);
    const country = { ...transaction.example, receiver_country: "FR" };
    assert.deepEqual(pathsOf(transaction, "add", country), []);
    assert.deepEqual(pathsOf(transaction, "update", both), []);
  });

  it("allow at most one subject of a screening, always", () => {
    const screening = typeNamed("screening");
    const two = { ...screening.example, related_company_id: "c" };
    assert.deepEqual(pathsOf(screening, "add", two), ["related_company_id"]);
    assert.deepEqual(pathsOf(screening, "update", two), ["related_company_id"]);
    const three = { ...two, related_tx_id: "t" };
    assert.deepEqual(pathsOf(screening, "add", three), ["related_person_id", "related_company_id"]);
    const cleared = { ...two, related_person_id: null };
    assert.deepEqual(pathsOf(screening, "update", cleared), []);
  });

  it("allow at most one of person and company where a record is about either", () => {
    for (const name of ["risk_assessment", "identity_verification", "onboarding_flow"]) {
      const two = { ...typeNamed(name).example, related_person_id: "p", related_company_id: "c" };
      assert.deepEqual(pathsOf(typeNamed(name), "add", two), ["related_company_id"], name);
    }
  });

  it("require a SAR to be about a person or a company, and allow both", () => {
    const sar = typeNamed("customer_sar");
    const { related_person_id: _person, ...about } = sar.example;
    assert.deepEqual(pathsOf(sar, "add", about), ["related_person_id"]);
    assert.deepEqual(pathsOf(sar, "update", about), []);
    const both = { ...about, related_person_id: "p", related_company_id: "c" };
    assert.deepEqual(pathsOf(sar, "add", both), []);
  });

  it("require the relation to the company for a person that is not a retail customer", () => {
    const person = typeNamed("person");
    const roles = ["is_beneficial_owner", "is_director", "is_account_owner", "is_shareholder"];
    const inBusiness = { ...person.example, is_retail_customer: false };
    assert.deepEqual(pathsOf(person, "add", inBusiness), roles);
    assert.deepEqual(pathsOf(person, "add", { ...inBusiness, is_director: true }), [
      "is_beneficial_owner",
      "is_account_owner",
      "is_shareholder",
    ]);
    assert.deepEqual(pathsOf(person, "update", inBusiness), []);
    const known = Object.fromEntries(roles.map((role) => [role, false]));
    assert.deepEqual(pathsOf(person, "add", { ...inBusiness, ...known }), []);
  });

  it("require the keys of additional_properties to be unique", () => {
    const item = { key: "a", value: "1", type: "STRING" };
    const other = { ...item, key: "__proto__" };
    const properties = [item, other, item, other, { ...item, key: "A" }];
    const value = { ...transaction.example, additional_properties: properties };
    for (const operation of operations) {
      assert.deepEqual(validatePayload(transaction, operation, value), [
        {
          field: "additional_properties[2].key",
          message: "must be unique, but additional_properties[0] has the same key",
        },
        {
          field: "additional_properties[3].key",
          message: "must be unique, but additional_properties[1] has the same key",
        },
      ]);
    }
  });

  it("are reported together with errors of single fields, and never twice for one field", () => {
    const value = { ...noParties, amount: "1", sender_id: 5, receiver_id: "r" };
    assert.deepEqual(pathsOf(transaction, "add", value), [
      "amount",
      "sender_id",
      "sender_country",
      "receiver_country",
    ]);
    const nobody = { ...noParties, sender_id: null };
    assert.deepEqual(pathsOf(transaction, "add", nobody), ["sender_id"]);
  });
});

describe("bounds", () => {
  const transaction = typeNamed("transaction");

  it("accept values just within them", () => {
    const within = {
      ...transaction.example,
      tx_id: "😀".repeat(limits.idCharactersMax),
      amount: -Number.MAX_SAFE_INTEGER,
      amount_usd: Number.MAX_SAFE_INTEGER,
      additional_properties: Array.from({ length: limits.listItemsMax }, (_, index) => ({
        key: `${index}`,
        value: "😀".repeat(limits.textCharactersMax),
        type: "STRING",
      })),
    };
    assert.deepEqual(validatePayload(transaction, "add", within), []);
    assert.deepEqual(pathsOf(transaction, "add", { ...within, amount: 2 ** 53 }), ["amount"]);
  });

  it("also apply to the keys of a map, whatever their characters", () => {
    const flow = typeNamed("onboarding_flow");
    const long = "x".repeat(limits.textCharactersMax + 1);
    const reason = { "line\nbreak": "good", "\ud800": "half a pair", [long]: "long", good: "" };
    const paths = pathsOf(flow, "add", { ...flow.example, outcome_reason: reason });
    assert.deepEqual(paths, ["outcome_reason.\ud800", `outcome_reason.${"x".repeat(256)}…`]);
  });

  it("are wider for narratives", () => {
    const most = "😀".repeat(limits.longTextCharactersMax);
    for (const [name, field] of [
      ["customer_sar", "sar_reason"],
      ["screening", "outcome_details"],
    ] as const) {
      const { example } = typeNamed(name);
      assert.deepEqual(pathsOf(typeNamed(name), "add", { ...example, [field]: most }), []);
      assert.deepEqual(pathsOf(typeNamed(name), "add", { ...example, [field]: `${most}x` }), [
        field,
      ]);
    }
    const property = { key: "k", value: most, type: "STRING" };
    assert.deepEqual(
      pathsOf(transaction, "add", { ...transaction.example, additional_properties: [property] }),
      [],
    );
  });
});

function nested(levels: number): unknown {
  return JSON.parse("[".repeat(levels) + "]".repeat(levels));
}

describe("a map of any JSON values", () => {
  const flow = typeNamed("onboarding_flow");
  const told = (reason: unknown) =>
    validatePayload(flow, "add", { ...flow.example, outcome_reason: reason }).map(
      ({ field, message }) => `${field}: ${message}`,
    );

  it("accepts every value that JSON has", () => {
    assert.deepEqual(
      told({ a: null, b: [1, true, "x", { c: {} }], d: { e: [[]] }, "": 1e300 }),
      [],
    );
  });

  it("is bounded in depth, itself included", () => {
    assert.deepEqual(told({ a: nested(limits.jsonFieldDepthMax - 1) }), []);
    const [error, ...more] = told({ a: 1, b: nested(limits.jsonFieldDepthMax) });
    assert.deepEqual(more, []);
    assert.match(
      error ?? "",
      /^outcome_reason\.b(\[0\])+: is nested too deep: .* at most 14 levels$/,
    );
    assert.equal(told({ a: nested(1_000_000) }).length, 1);
  });

  it("is refused for what could not be stored as it was sent, at its path", () => {
    assert.deepEqual(told({ a: [{ b: Infinity }], c: { "\udc00": "\ud800" } }), [
      `outcome_reason.a[0].b: ${inexactMessage}`,
      "outcome_reason.c.\udc00: as a key contains half of a surrogate pair, which is not valid text",
      "outcome_reason.c.\udc00: contains half of a surrogate pair, which is not valid text",
    ]);
    const many = Array.from({ length: 5_000 }, () => Infinity);
    assert.equal(told({ many }).length, limits.fieldErrorsMax + 1);
  });
});

describe("rules that a folded state may break", () => {
  it("are described in words", () => {
    const transaction = typeNamed("transaction");
    assert.deepEqual(brokenRules(transaction, transaction.example), []);
    const { sender_id: _id, ...state } = transaction.example;
    assert.deepEqual(brokenRules(transaction, state), [
      "At least one of sender_id and receiver_id is required.",
    ]);
  });
});

describe("an id from outside a body", () => {
  it("is accepted if it would be accepted in a record", () => {
    for (const id of ["1", "a/b?c", "ünï", "😀".repeat(limits.idCharactersMax)]) {
      assert.deepEqual(validateIdentifier("tx_id", id), []);
    }
  });

  it("is refused otherwise, under the name of its parameter", () => {
    assert.deepEqual(validateIdentifier("tx_id", undefined), [
      { field: "tx_id", message: "is required" },
    ]);
    for (const id of ["", "x".repeat(257), "a\nb", "\udc00", 5, null, ["a", "b"], {}]) {
      const [error, ...more] = validateIdentifier("tx_id", id);
      assert.deepEqual([error?.field, more], ["tx_id", []]);
      assert.match(error?.message ?? "", /^must be an id of 1 to 256 characters/);
    }
  });
});
