// Receipts by themselves: a genuine one is found genuine, and every alteration is named. The numbers of receipts:
// hashed always and for every type, disclosed to those who may know them, and verified without a store.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hash } from "node:crypto";
import * as fc from "fast-check";
import {
  describeGap,
  findGaps,
  verifyReceipts,
} from "../../../src/actions/receipt/verify-receipt.ts";
import { canonicalJson } from "../../../src/domain/json/canonical-json.ts";
import { noReceiptHash, type Receipt } from "../../../src/domain/deletion/receipt.ts";
import { makeKey } from "../../../src/data-folder/receipt-key.ts";
import { deletionOf, makeChain, publish, saltKey } from "../../receipt/scene.ts";
import { anyCharacter } from "../../support/any-character.ts";
import { discloseCounts, verifyDisclosures } from "../../../src/actions/receipt/receipt-counts.ts";
import { makeSealReceipt } from "../../../src/actions/receipt/receipt-keys.ts";
import {
  confidentialTypes,
  findConfidentialityFault,
} from "../../../src/domain/confidentiality.ts";
import type { Deletion } from "../../../src/domain/deletion/deletion.ts";
import { recordTypes } from "../../../src/domain/record-types.ts";
import { allScopes, type Scope } from "../../../src/domain/scope.ts";
import { toReceipt } from "../../../src/store/row/deletion-row.ts";
import { sqliteTraits } from "../../../src/store/sqlite/traits.ts";

const chain = makeChain(4);
type Four = [Receipt, Receipt, Receipt, Receipt];
const [first, second, third, fourth] = chain.receipts as Four;

function faultsOf(values: readonly unknown[], published = chain.published) {
  return verifyReceipts(values, published).map(({ faults }) => faults);
}

function missingIn(values: readonly unknown[]): readonly string[] {
  const gaps = findGaps(verifyReceipts(values, chain.published));
  return gaps.map((gap) => describeGap(gap, undefined).text);
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
    assert.match(faultsOf([renamed])[0]?.join() ?? "", /no valid signature/);
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

const key = makeKey();
const seal = makeSealReceipt(
  () => key,
  () => 0,
);

function receiptOf(deletion: Deletion, receiptNo = 4) {
  const head = { storeId: "store_a", receiptNo, hash: noReceiptHash, saltKey };
  return toReceipt(seal(deletion, { head, engine: sqliteTraits.verification }));
}

const reported = deletionOf({
  erased: { person: 1, customer_sar: 2, transaction: 3 },
  kept: { transaction: 1 },
  redacted: 1,
  redactedByType: { transaction_alert: 1 },
});
const receipt = receiptOf(reported);

function disclose(scopes: readonly Scope[], added: readonly string[] = []) {
  const reader = { confidential: confidentialTypes(added), covered: new Set(scopes) };
  return discloseCounts(receipt, reported, { saltKey, reader });
}

const all = disclose(allScopes);

function altered(type: string, shown: unknown): unknown {
  return { ...all, [type]: { ...all[type], removed: shown } };
}

describe("the numbers of a receipt", () => {
  it("are hashed for every type and kind, whether or not there are any", () => {
    const types = recordTypes.map(({ resourceType }) => resourceType);
    assert.deepEqual(Object.keys(receipt.counts), types.toSorted());
    const hashes = Object.values(receipt.counts).flatMap((kinds) => Object.values(kinds));
    assert.equal(new Set(hashes).size, 3 * types.length);
    const empty = receiptOf(deletionOf({ erased: {} }));
    assert.equal(JSON.stringify(empty).length, JSON.stringify(receipt).length);
  });

  it("are hashed as the guide says", () => {
    const { count, salt } = all["customer_sar"]?.removed ?? {};
    const text = `["sluice-receipt-count","${String(salt)}","customer_sar","removed",${String(count)}]`;
    assert.equal(hash("sha256", text, "base64url"), receipt.counts["customer_sar"]?.removed);
    assert.equal(count, 2);
  });

  it("have a salt of their own each", () => {
    const salts = Object.values(all).flatMap((kinds) =>
      Object.values(kinds).map(({ salt }) => salt),
    );
    assert.equal(new Set(salts).size, salts.length);
  });

  it("have the same salts in a repeated attempt, and others in any other receipt", () => {
    assert.deepEqual(receiptOf(reported), receipt);
    const replayed = receiptOf(reported, 5);
    for (const { resourceType } of recordTypes) {
      assert.notEqual(replayed.counts[resourceType]?.kept, receipt.counts[resourceType]?.kept);
    }
  });

  it("count what is kept as removed too", () => {
    assert.equal(all["transaction"]?.removed?.count, 4);
    assert.equal(all["transaction"].kept?.count, 1);
  });

  it("must be of types that exist", () => {
    assert.throws(
      () => receiptOf(deletionOf({ erased: { nothing: 1 } })),
      /no record type nothing/,
    );
  });
});

describe("disclosures", () => {
  it("are for holders of the read scope of the type", () => {
    const person = disclose(["person:read", "company:delete"]);
    assert.deepEqual(Object.keys(person), ["person"]);
    assert.deepEqual(Object.keys(person["person"] ?? {}), ["removed", "references_removed"]);
    assert.deepEqual(Object.keys(disclose(["customer_sar:read"])), ["customer_sar"]);
    assert.deepEqual(disclose([]), {});
  });

  it("say what was kept only to those who may read all confidential types", () => {
    const without: readonly Scope[] = ["transactions:read", "person:read"];
    assert.equal(disclose(without)["person"]?.kept, undefined);
    assert.equal(disclose([...without, "customer_sar:read"])["person"]?.kept?.count, 0);
    const added = disclose([...without, "customer_sar:read"], ["screening"]);
    assert.equal(added["person"]?.kept, undefined);
    assert.equal(disclose(["customer_sar:read"])["customer_sar"]?.kept?.count, 0);
  });

  it("prove the numbers, and say of which types some are missing", () => {
    assert.deepEqual(verifyDisclosures(receipt, [all]).undisclosed, []);
    const some = verifyDisclosures(receipt, [disclose(["customer_sar:read"])]);
    assert.deepEqual(some.faults, []);
    assert.deepEqual(some.disclosed, {
      customer_sar: { removed: 2, kept: 0, references_removed: 0 },
    });
    assert.equal(some.undisclosed.length, recordTypes.length - 1);
    assert.deepEqual(verifyDisclosures(receipt, []).faults, []);
  });

  it("are refused if a number or a salt is wrong, missing or of something else", () => {
    const shown = all["customer_sar"]?.removed;
    assert.ok(shown !== undefined);
    const { count, salt } = shown;
    const cases: readonly (readonly [unknown, RegExp])[] = [
      [altered("customer_sar", { count: 0, salt }), /"removed" of customer_sar does not match/],
      [altered("customer_sar", { count, salt: `${salt.slice(1)}A` }), /does not match/],
      [altered("person", { count, salt }), /"removed" of person does not match/],
      [altered("customer_sar", { count }), /"removed" of customer_sar has no salt/],
      [altered("customer_sar", { count, salt: 5 }), /salt that is not text/],
      [altered("customer_sar", { count: "2", salt }), /count that is not a whole number/],
      [altered("customer_sar", null), /is not an object with count and salt/],
      [{ nothing: { removed: { count, salt } } }, /no number "removed" of "nothing"/],
      [{ __proto__: null, person: { constructor: { count, salt } } }, /no number "constructor"/],
      [{ person: 1 }, /disclosures of "person" are not an object/],
      ["text", /disclosures are not an object/],
    ];
    for (const [given, expected] of cases) {
      assert.match(verifyDisclosures(receipt, [given]).faults.join(), expected);
    }
    const [other] = makeChain(1).receipts;
    assert.ok(other !== undefined);
    assert.ok(verifyDisclosures(other, [all]).faults.length > 30);
  });
});

describe("the types that an organization makes confidential", () => {
  it("include the types that belong to them, and none that is deleted by request", () => {
    const cases: readonly (readonly [readonly string[], RegExp | undefined])[] = [
      [[], undefined],
      [["transaction_alert"], undefined],
      [["transaction_check", "transaction_alert"], undefined],
      [["transaction_check"], /together with those that belong to them: transaction_alert/],
      [["person"], /deleted by request/],
    ];
    for (const [types, expected] of cases) {
      const fault = findConfidentialityFault(types);
      if (expected === undefined) assert.equal(fault, undefined);
      else assert.match(fault ?? "", expected);
    }
  });
});
