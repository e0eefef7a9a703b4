// The fold over changes: the same state from any order of arrival, and the effect of null, defaults
// and ties.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import { mergeChanges, StateFold } from "../../../src/domain/record/merge.ts";
import type { Payload, RecordType } from "../../../src/domain/record-type.ts";
import { anyPayload, anyType, withoutInnerNulls } from "../arbitrary.ts";
import { arrived } from "./arrived.ts";
import { typeNamed } from "../../conformance/scene.ts";

const transaction = typeNamed("transaction");

function stateOf(...payloads: readonly Payload[]): Payload {
  return mergeChanges(transaction, arrived(transaction, payloads));
}

const at = (second: string) => `2026-01-01T00:00:${second}Z`;

describe("the state of a record", () => {
  it("compares instants, not text, at any precision", () => {
    const early = {
      tx_id: "t",
      status: "CREATED",
      timestamp: "2026-01-01T12:00:00.1234567890123+02:00",
    };
    const late = { tx_id: "t", status: "SETTLED", timestamp: "2026-01-01T10:00:00.1234567890124Z" };
    assert.equal(stateOf(late, early)["status"], "SETTLED");
    assert.equal(stateOf(early, late)["status"], "SETTLED");
    assert.equal(stateOf(late, early)["timestamp"], late.timestamp);
  });

  it("takes the later arrival at equal timestamps, however they are written", () => {
    const one = {
      tx_id: "t",
      status: "CREATED",
      amount: 1,
      timestamp: "2026-01-01T12:00:00+02:00",
    };
    const other = { tx_id: "t", status: "SETTLED", timestamp: "2026-01-01T10:00:00.000Z" };
    assert.equal(stateOf(one, other)["status"], "SETTLED");
    assert.equal(stateOf(other, one)["status"], "CREATED");
    const [first, second] = arrived(transaction, [one, other]);
    assert.ok(first && second);
    assert.equal(mergeChanges(transaction, [second, first])["status"], "SETTLED");
  });

  it("has defaults where no change has a value", () => {
    const added = { tx_id: "t", is_test: true, timestamp: at("01") };
    assert.equal(stateOf(added)["is_test"], true);
    assert.equal(
      stateOf(added, { tx_id: "t", is_test: null, timestamp: at("02") })["is_test"],
      false,
    );
    assert.equal(stateOf({ tx_id: "t", timestamp: at("01") })["is_test"], false);
    const person = typeNamed("person");
    const merged = mergeChanges(person, arrived(person, [person.example]));
    assert.deepEqual(merged, person.example);
  });

  it("shows of mutually exclusive fields only the one that was set last", () => {
    const assessment = typeNamed("risk_assessment");
    const state = (...payloads: readonly Payload[]) =>
      mergeChanges(assessment, arrived(assessment, payloads));
    const person = { related_person_id: "p", timestamp: at("01") };
    const company = { related_company_id: "c", timestamp: at("02") };
    const cleared = { related_company_id: null, timestamp: at("03") };
    assert.deepEqual(state(person, company), company);
    assert.deepEqual(state(company, person), company);
    for (const order of [
      [person, company, cleared],
      [cleared, company, person],
      [company, cleared, person],
    ]) {
      assert.deepEqual(state(...order), { timestamp: at("03") });
    }
    assert.deepEqual(state(person, { related_company_id: "c", timestamp: at("01") }), {
      related_company_id: "c",
      timestamp: at("01"),
    });
  });

  it("is not made from a change that could not have been accepted", () => {
    const broken = { changeNo: 1, receivedAt: 0, payload: '{"timestamp":"now"}' };
    assert.throws(() => mergeChanges(transaction, [broken]), TypeError);
  });
});

/** Unix milliseconds, the precision of these histories. */
function time(payload: Payload): number {
  return Date.parse(String(payload["timestamp"]).toUpperCase());
}

/** Changes of one record with distinct timestamps, and an order of arrival. */
const anyHistory = anyType.chain((type) => {
  const payloads = fc.uniqueArray(anyPayload(type, "update"), {
    maxLength: 6,
    selector: time,
  });
  return payloads.chain((sent) => {
    const reordered = fc.shuffledSubarray(sent, { minLength: sent.length });
    return fc.tuple(fc.constant(type), fc.constant(sent), reordered);
  });
});

function isSet(payload: Payload, field: string): boolean {
  return (payload[field] ?? null) !== null;
}

/** The contract's sentence, field by field, as literally as possible. */
function naiveState(type: RecordType, sent: readonly Payload[]): Payload {
  const payloads = sent.map((payload) => withoutInnerNulls(type, payload) as Payload);
  const state: Record<string, unknown> = {};
  for (const name of type.fieldNames) {
    const holding = payloads.filter((payload) => payload[name] !== undefined);
    const [latest] = holding.toSorted((one, other) => time(other) - time(one));
    const isValue = type.resourceType === "transaction" && name === "amount";
    if (latest !== undefined && (latest[name] !== null || isValue)) state[name] = latest[name];
    else if (type.resourceType === "transaction" && name === "is_test") state[name] = false;
  }
  for (const { exclusive = [] } of type.rules) {
    const setting = payloads.filter((payload) => exclusive.some((field) => isSet(payload, field)));
    const [latest] = setting.toSorted((one, other) => time(other) - time(one));
    const kept = exclusive.find((field) => latest !== undefined && isSet(latest, field));
    for (const field of exclusive) if (field !== kept) delete state[field];
  }
  return JSON.parse(JSON.stringify(state));
}

describe("any history of a record", () => {
  it("has the state that the contract defines", () => {
    fc.assert(
      fc.property(anyHistory, ([type, payloads]) => {
        assert.deepEqual(mergeChanges(type, arrived(type, payloads)), naiveState(type, payloads));
      }),
    );
  });

  it("has the same state in any order of arrival", () => {
    fc.assert(
      fc.property(anyHistory, ([type, payloads, reordered]) => {
        const state = mergeChanges(type, arrived(type, payloads));
        assert.deepEqual(mergeChanges(type, arrived(type, reordered)), state);
        assert.equal(
          JSON.stringify(mergeChanges(type, arrived(type, reordered))),
          JSON.stringify(state),
        );
      }),
    );
  });

  it("has the same state after one change as after the same change twice", () => {
    fc.assert(
      fc.property(anyHistory, ([type, payloads]) => {
        const first = payloads.slice(0, 1);
        const once = mergeChanges(type, arrived(type, first));
        const twice = mergeChanges(type, arrived(type, [...first, ...first]));
        assert.equal(JSON.stringify(once), JSON.stringify(twice));
      }),
    );
  });

  it("counts a change whose exclusive field was cleared since among its sources", () => {
    const type = typeNamed("onboarding_flow");
    const fields = [
      { related_company_id: "c" },
      { related_person_id: "p" },
      { related_person_id: null },
    ];
    const changes = fields.map((more, second) => {
      const timestamp = `2026-01-01T00:00:0${second}Z`;
      return { onboarding_flow_id: "o", ...more, timestamp };
    });
    const fold = new StateFold(type);
    for (const change of arrived(type, changes)) fold.add(change);
    assert.equal(fold.state()["related_company_id"], undefined);
    assert.deepEqual(mergeChanges(type, fold.sources()), fold.state());
  });

  it("has the same state when only its sources are sent again, in the order of their arrival", () => {
    fc.assert(
      fc.property(anyHistory, ([type, payloads]) => {
        const fold = new StateFold(type);
        for (const change of arrived(type, payloads)) fold.add(change);
        const numbers = fold.sources().map(({ changeNo }) => changeNo);
        assert.deepEqual(
          numbers,
          numbers.toSorted((one, other) => one - other),
        );
        assert.deepEqual(mergeChanges(type, fold.sources()), fold.state());
      }),
    );
  });

  it("has the state of its parts, one after the other", () => {
    fc.assert(
      fc.property(anyHistory, ([type, payloads]) => {
        const inOrder = payloads.toSorted((one, other) => time(one) - time(other));
        const earlier = inOrder.slice(0, -1);
        const latest = inOrder.slice(-1);
        if (earlier.length === 0) return;
        const before = mergeChanges(type, arrived(type, earlier));
        // An earlier state, sent as one change, replaces the changes that made it.
        const state = mergeChanges(type, arrived(type, [before, ...latest]));
        assert.deepEqual(state, mergeChanges(type, arrived(type, payloads)));
      }),
    );
  });
});
