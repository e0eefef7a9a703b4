// Canonical payloads and drafts: one text for one content, with nothing added, lost or altered.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { limits } from "../../../src/domain/limits.ts";
import { canonicalPayload, isTooLarge, makeDraft } from "../../../src/domain/record/payload.ts";
import type { RecordType } from "../../../src/domain/record-type.ts";
import { recordTypes } from "../../../src/domain/record-types.ts";
import { isJsonObject } from "../../../src/domain/schema/schema-shape.ts";
import { anyOrder, anyPayload, anyType, withoutInnerNulls, withoutNulls } from "../arbitrary.ts";
import { fullPayload } from "../samples.ts";
import { typeNamed } from "../../conformance/scene.ts";

/** The same content with the fields of every object, at any depth, in reverse order. */
function backwards(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(backwards);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(entries.map(([name, held]) => [name, backwards(held)]));
}

function asPayload(value: unknown): Record<string, unknown> {
  assert.ok(isJsonObject(value));
  return { ...value };
}

/** As POST interprets it, with 0 for -0 and the like. */
function meaning(type: RecordType, payload: object): unknown {
  return JSON.parse(JSON.stringify(withoutNulls(type.addSchema, payload)));
}

const anySent = anyType.chain((type) => fc.tuple(fc.constant(type), anyPayload(type, "update")));

describe("a canonical payload", () => {
  it("has fields in the order of the type, at every depth", () => {
    const person = typeNamed("person");
    const sent = {
      timestamp: "2026-01-01T00:00:00Z",
      address: { country: "DE", lines: ["b", "a"], city: "Berlin" },
      additional_properties: [{ type: "STRING", key: "b", value: "1" }],
      name: "Ada",
      person_id: "p",
    };
    assert.equal(
      canonicalPayload(person, sent),
      '{"person_id":"p","name":"Ada","address":{"lines":["b","a"],"city":"Berlin","country":"DE"},' +
        '"timestamp":"2026-01-01T00:00:00Z","additional_properties":[{"key":"b","value":"1","type":"STRING"}]}',
    );
  });

  it("has the keys of maps in order, whatever they are", () => {
    const flow = typeNamed("onboarding_flow");
    const reason = '{"b":"1","a":"2","10":"3","9":"4","__proto__":"5","":"6"}';
    const sent = { onboarding_flow_id: "f", outcome_reason: JSON.parse(reason), timestamp: "t" };
    assert.equal(
      canonicalPayload(flow, sent),
      '{"onboarding_flow_id":"f","outcome_reason":{"9":"4","10":"3","":"6","__proto__":"5","a":"2","b":"1"},' +
        '"timestamp":"t"}',
    );
  });

  it("of a POST is the same with null in optional fields, at any depth, as without them", () => {
    for (const type of recordTypes) {
      const { properties, required: names = [] } = type.addSchema;
      const optional = type.fieldNames.filter((name) => !names.includes(name));
      const nulls = Object.fromEntries(optional.map((name) => [name, null]));
      const required = Object.entries(fullPayload(type)).filter(([name]) => !(name in nulls));
      const bare = Object.fromEntries(required);
      const text = canonicalPayload(type, bare, "add");
      assert.equal(canonicalPayload(type, { ...nulls, ...bare }, "add"), text, type.resourceType);
      assert.deepEqual(
        Object.keys(properties).toSorted(),
        [...optional, ...Object.keys(bare)].toSorted(),
      );
    }
    const person = typeNamed("person");
    const { address: _address, ...rest } = person.example;
    for (const operation of ["add", "update"] as const) {
      assert.equal(
        canonicalPayload(person, { ...rest, address: { city: "Berlin", state: null } }, operation),
        canonicalPayload(person, { ...rest, address: { city: "Berlin" } }, operation),
      );
    }
  });

  it("keeps nulls among any JSON values, and has their keys in order at any depth", () => {
    const flow = typeNamed("onboarding_flow");
    const sent = { ...flow.example, outcome_reason: { b: [{ d: null, c: 1 }], a: null } };
    const text = canonicalPayload(flow, sent, "add");
    assert.ok(text.includes('"outcome_reason":{"a":null,"b":[{"c":1,"d":null}]}'), text);
  });

  it("is one text for one content, and contains just that content", () => {
    const anySentTwice = anySent.chain(([type, payload]) =>
      fc.tuple(fc.constant(type), fc.constant(payload), anyOrder(payload)),
    );
    fc.assert(
      fc.property(anySentTwice, ([type, payload, reordered]) => {
        const text = canonicalPayload(type, payload);
        assert.equal(canonicalPayload(type, reordered), text);
        assert.equal(canonicalPayload(type, asPayload(backwards(payload))), text);
        const meant = withoutInnerNulls(type, payload);
        assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(meant)));
        assert.equal(canonicalPayload(type, JSON.parse(text)), text);
      }),
    );
  });

  it("is another text for other content", () => {
    const anyTwo = anyType.chain((type) =>
      fc.tuple(fc.constant(type), anyPayload(type, "add"), anyPayload(type, "add")),
    );
    fc.assert(
      fc.property(anyTwo, ([type, one, other]) => {
        const same = canonicalPayload(type, one, "add") === canonicalPayload(type, other, "add");
        const turned = canonicalPayload(type, asPayload(backwards(one)), "add");
        assert.equal(same, turned === canonicalPayload(type, other, "add"));
        if (same) assert.deepEqual(meaning(type, one), meaning(type, other));
      }),
    );
  });

  it("is too large with one byte of UTF-8 more than a record may have", () => {
    const fits = [
      ["a", 1],
      ["é", 2],
      ["€", 3],
      ["😀", 4],
    ] as const;
    for (const [character, bytes] of fits) {
      const text = character.repeat(Math.floor(limits.recordBytesMax / bytes));
      const full = text + "a".repeat(limits.recordBytesMax % bytes);
      assert.equal(Buffer.byteLength(full), limits.recordBytesMax);
      assert.equal(isTooLarge(full), false, character);
      assert.equal(isTooLarge(`${full}a`), true, character);
    }
  });
});

describe("a draft", () => {
  it("has the id, the instant in UTC, the canonical payload and the references", () => {
    const alert = typeNamed("transaction_alert");
    const sent = { ...alert.example, timestamp: "2026-01-31T10:30:00.50+01:00" };
    assert.deepEqual(makeDraft(alert, sent), {
      id: "alert-77",
      timestamp: "2026-01-31T09:30:00.5",
      payload: canonicalPayload(alert, sent),
      references: [
        { to: "transaction_check", id: "check-5501", kind: "belongs" },
        { to: "transaction", id: "tx-2026-000417", kind: "belongs" },
      ],
    });
  });

  it("names each reference once, from whichever field, and none for null", () => {
    const check = typeNamed("transaction_check");
    const sent = { ...check.example, related_tx_ids: ["b", "a", "c", "b"], related_tx_id: "a" };
    assert.deepEqual(
      makeDraft(check, sent).references.map((reference) => reference.id),
      ["b", "a", "c"],
    );
    const cleared = { ...check.example, related_tx_ids: null, related_tx_id: null };
    assert.deepEqual(makeDraft(check, cleared).references, []);
    const empty = { ...check.example, related_tx_ids: [] };
    assert.deepEqual(makeDraft(check, empty).references, []);
  });

  it("distinguishes ids that are alike across types, and kinds of reference", () => {
    const sar = typeNamed("customer_sar");
    const both = { ...sar.example, related_person_id: "x", related_company_id: "x" };
    assert.deepEqual(makeDraft(sar, both).references, [
      { to: "person", id: "x", kind: "belongs" },
      { to: "company", id: "x", kind: "belongs" },
    ]);
    const person = typeNamed("person");
    const mentioned = makeDraft(person, { ...person.example, related_company_id: "c" });
    assert.deepEqual(mentioned.references, [{ to: "company", id: "c", kind: "mentions" }]);
  });

  it("is not made from a payload without an id or a timestamp", () => {
    const { example } = typeNamed("person");
    for (const wrong of [{ person_id: 5 }, { timestamp: "now" }, { timestamp: undefined }]) {
      assert.throws(() => makeDraft(typeNamed("person"), { ...example, ...wrong }), TypeError);
    }
  });
});
