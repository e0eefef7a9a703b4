// The fields that name persons and companies, and the pseudonyms that replace their ids.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  areAllErased,
  isPartyType,
  isPseudonym,
  partiesOf,
  pseudonymFrom,
  withParties,
} from "../../../src/domain/deletion/party.ts";
import { makeDraft } from "../../../src/domain/record/payload.ts";
import { recordTypeByName, recordTypes } from "../../../src/domain/record-types.ts";
import { newPseudonym } from "../../../src/store/sql/erase/pseudonym.ts";
import { evaluateParties } from "../../../src/store/sql/erase/redact-records.ts";

const found = recordTypeByName("transaction");
assert.ok(found);
const transaction = found;

function text(sender_id: string, receiver_id?: string): string {
  return JSON.stringify({ sender_id, ...(receiver_id === undefined ? {} : { receiver_id }) });
}

describe("the fields with an id", () => {
  it("are the record's own id, a relation, or a party", () => {
    for (const type of recordTypes) {
      const known = new Set([
        type.idField,
        ...type.relations.map(({ field }) => field),
        ...type.partyFields,
      ]);
      const ids = type.fieldNames.filter((name) => /_ids?$/.test(name) && name !== "report_id");
      for (const name of ids) assert.ok(known.has(name), `${type.resourceType}.${name}`);
    }
    // The id of a report at an authority names no record here.
    assert.ok(recordTypes.some(({ fieldNames }) => fieldNames.includes("report_id")));
  });

  it("of parties are those of transactions, and name persons and companies", () => {
    const naming = recordTypes.filter(({ partyFields }) => partyFields.length > 0);
    assert.deepEqual(
      naming.map(({ resourceType, partyFields }) => [resourceType, partyFields]),
      [["transaction", ["sender_id", "receiver_id"]]],
    );
    const parties = recordTypes.map(({ resourceType }) => resourceType).filter(isPartyType);
    assert.deepEqual(parties, ["person", "company"]);
    assert.equal(isPartyType("organization"), false);
  });
});

describe("a pseudonym", () => {
  it("has 128 random bits, and is a valid id", () => {
    const made = new Set(Array.from({ length: 1_000 }, newPseudonym));
    assert.equal(made.size, 1_000);
    // Each bit is set in about half of them: within six standard deviations.
    const counts = Array.from({ length: 128 }, () => 0);
    for (const pseudonym of made) {
      assert.ok(isPseudonym(pseudonym));
      const bits = BigInt(`0x${pseudonym.slice("erased_".length)}`);
      for (const bit of counts.keys()) {
        if ((bits >> BigInt(bit)) & 1n) counts[bit] = (counts[bit] ?? 0) + 1;
      }
    }
    for (const count of counts) assert.ok(Math.abs(count - 500) < 95, String(count));
    const [sender_id] = made;
    const payload = { ...transaction.example, sender_id };
    assert.ok(makeDraft(transaction, payload, "add").payload.includes(String(sender_id)));
  });

  it("is not mistaken for an id that only resembles one", () => {
    const hex = "0123456789abcdef0123456789abcdef";
    assert.ok(isPseudonym(pseudonymFrom(hex)));
    for (const id of [hex, `erased_${hex}0`, `erased_${hex.toUpperCase()}`, "erased_", 7, null]) {
      assert.equal(isPseudonym(id), false, String(id));
    }
    assert.throws(() => pseudonymFrom("0"), TypeError);
  });

  it("replaces an id wherever it is a party, and nothing else", () => {
    const payload = { tx_id: "p", sender_id: "p", receiver_id: "q", method: "p" };
    const replaced = withParties(transaction, payload, (id) => (id === "p" ? "x" : undefined));
    assert.deepEqual(replaced, { ...payload, sender_id: "x" });
    assert.deepEqual(partiesOf(transaction, payload), ["p", "q"]);
    assert.deepEqual(partiesOf(transaction, { sender_id: "p", receiver_id: "p" }), ["p"]);
    assert.deepEqual(partiesOf(transaction, { sender_id: null }), []);
  });
});

describe("a rewritten transaction", () => {
  const [one, two] = [newPseudonym(), newPseudonym()];

  it("is orphaned when every party in every change is erased", () => {
    assert.ok(areAllErased(transaction, [{ sender_id: one }, { receiver_id: two }]));
    assert.ok(!areAllErased(transaction, [{ sender_id: one }, { receiver_id: "q" }]));
    assert.ok(!areAllErased(transaction, [{ amount: 1 }]));
  });

  it("is counted once, when the pseudonym is first in it", () => {
    const evaluate = (before: string[], after: string[]) =>
      evaluateParties("transaction", { before, after, pseudonym: one });
    const both = { isNew: true, isOrphan: true };
    assert.deepEqual(evaluate([text("p")], [text(one)]), both);
    assert.deepEqual(evaluate([text("p", two)], [text(one, two)]), both);
    assert.deepEqual(evaluate([text("p", "q")], [text(one, "q")]), {
      isNew: true,
      isOrphan: false,
    });
    assert.equal(evaluate([text(one), text("p")], [text(one), text(one)]).isNew, false);
    assert.deepEqual(evaluate([text("q")], [text("q")]), { isNew: false, isOrphan: false });
  });
});
