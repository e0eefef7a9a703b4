// Receipts by themselves: a genuine one is found genuine, and every alteration is named.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as fc from "fast-check";
import {
  findMissingReceipts,
  verifyReceipts,
} from "../../../src/actions/receipt/verify-receipt.ts";
import { canonicalJson } from "../../../src/domain/json/canonical-json.ts";
import type { Receipt } from "../../../src/domain/deletion/receipt.ts";
import { makeKey } from "../../../src/data-folder/receipt-key.ts";
import { makeChain, publish } from "../../receipt/scene.ts";
import { anyCharacter } from "../../support/any-character.ts";

const chain = makeChain(4);
type Four = [Receipt, Receipt, Receipt, Receipt];
const [first, second, third, fourth] = chain.receipts as Four;

function faultsOf(values: readonly unknown[], published = chain.published) {
  return verifyReceipts(values, published).map(({ faults }) => faults);
}

function missingIn(values: readonly unknown[]): readonly string[] {
  return findMissingReceipts(verifyReceipts(values, chain.published));
}

describe("verifying receipts", () => {
  it("finds genuine receipts genuine, alone and in a chain", () => {
    assert.deepEqual(faultsOf([third]), [[]]);
    assert.deepEqual(faultsOf(chain.receipts), [[], [], [], []]);
  });

  it("knows no other version", () => {
    assert.deepEqual(faultsOf([{ ...third, version: 1 }]), [["The field version is not 2."]]);
  });

  it("ignores the order of fields and white space", () => {
    const turned = Object.fromEntries(Object.entries(third).toReversed());
    assert.deepEqual(faultsOf([JSON.parse(JSON.stringify(turned, null, 4))]), [[]]);
  });

  it("finds any change of any field", () => {
    const paths = leavesOf(third).filter((path) => path.join(".") !== "signature");
    assert.ok(paths.length > 15);
    for (const path of paths) {
      const changed = structuredClone(third) as unknown as Record<string, unknown>;
      const last = path.at(-1) ?? "";
      const holder = path
        .slice(0, -1)
        .reduce((object, name) => object[name] as Record<string, unknown>, changed);
      const value = holder[last];
      holder[last] = typeof value === "number" ? value + 1 : `${String(value)}x`;
      const [faults = []] = faultsOf([changed]);
      assert.ok(faults.length > 0, path.join("."));
    }
  });

  it("reports that one was changed after it was signed", () => {
    const [faults] = faultsOf([{ ...third, started_at: third.completed_at }]);
    assert.match(faults?.join() ?? "", /was changed after it was signed/);
  });

  it("reports which field is missing, malformed or superfluous", () => {
    const { completed_at: _time, ...lacking } = third;
    assert.deepEqual(faultsOf([lacking]), [["The field completed_at is missing."]]);
    const cut = { ...third, signature: third.signature.slice(0, 40) };
    assert.match(faultsOf([cut])[0]?.join() ?? "", /signature is not 86 characters/);
    const more = { ...third, note: "hello" };
    assert.deepEqual(faultsOf([more]), [["The field note is not part of a receipt."]]);
    assert.deepEqual(faultsOf(["text"]), [["It is not a JSON object."]]);
    const following = { ...first, previous_receipt: second.previous_receipt };
    assert.match(faultsOf([following])[0]?.join() ?? "", /^It is the first receipt of its chain/);
  });

  it("identifies a receipt of another service", () => {
    const [faults] = faultsOf([makeChain(1, { storeId: "store_b" }).receipts[0]]);
    assert.match(faults?.join() ?? "", /to another store.*not among the keys/s);
  });

  it("identifies one that was signed with another key under the name of the known one", () => {
    const other = makeKey();
    const [forged] = makeChain(1, { key: other }).receipts;
    const published = publish(other).keys.map((key) => ({
      ...key,
      x: chain.published.keys[0]?.x ?? "",
    }));
    const [faults] = faultsOf([forged], { store_id: "store_a", keys: published });
    assert.match(faults?.join() ?? "", /published under a wrong name/);
    const renamed = { ...forged, key_id: first.key_id };
    assert.match(faultsOf([renamed])[0]?.join() ?? "", /signature is not valid/);
  });

  it("reports which receipts are missing, and finds those around them genuine", () => {
    assert.deepEqual(faultsOf([first, third, fourth]), [[], [], []]);
    assert.deepEqual(missingIn([first, third, fourth]), ["Receipt 2 is missing."]);
    assert.deepEqual(missingIn([first, fourth]), ["The receipts from 2 to 3 are missing."]);
    assert.deepEqual(missingIn([third, fourth, second]), []);
    assert.deepEqual(missingIn([first, "text", third]), []);
  });

  it("reports receipts that are re-ordered, duplicated, or from another chain", () => {
    assert.deepEqual(faultsOf([second, first])[1], [
      "It comes after number 2: the receipts were re-ordered.",
    ]);
    assert.deepEqual(faultsOf([second, second])[1], ["There are two receipts with the number 2."]);
    const fork = makeChain(2, { key: makeKey() });
    const both = {
      store_id: "store_a",
      keys: [...chain.published.keys, ...fork.published.keys],
    };
    assert.deepEqual(faultsOf([first, fork.receipts[1]], both)[1], [
      "It does not follow from number 1: that one was changed or replaced.",
    ]);
  });
});

describe("canonical JSON", () => {
  it("is the same in any order of fields, and has the same meaning", () => {
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.string({ unit: anyCharacter }),
        fc.maxSafeInteger(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("value")),
        fc.dictionary(fc.string(), tie("value"), { noNullPrototype: true }),
      ),
    })).value;
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json, { noNullPrototype: true }), (value) => {
        const turned = Object.fromEntries(Object.entries(value).toReversed());
        assert.equal(canonicalJson(turned), canonicalJson(value));
        assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it("sorts by UTF-16 code units (RFC 8785, section 3.2.3)", () => {
    const value = {
      "\u20ac": 1,
      "\r": 2,
      "\ufb33": 3,
      "1": 4,
      "\ud83d\ude00": 5,
      "\u0080": 6,
      "\u00f6": 7,
    };
    assert.deepEqual(
      Object.values(JSON.parse(canonicalJson(value).replace(/"1":/, '"one":')) as object),
      [2, 4, 6, 7, 1, 5, 3],
    );
  });

  it("has no form for what JSON can't represent", () => {
    for (const value of [undefined, 1.5, Number.NaN, 2 ** 60, { a: undefined }]) {
      assert.throws(() => canonicalJson(value), TypeError);
    }
  });
});

/** The paths of all texts and numbers. */
function leavesOf(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [[]];
  return Object.entries(value).flatMap(([name, field]) =>
    leavesOf(field).map((path) => [name, ...path]),
  );
}
