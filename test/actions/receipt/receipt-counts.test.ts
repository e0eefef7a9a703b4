// The numbers of receipts: hashed always and for every type, disclosed to those who may know them, and verified without
// a store.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, it } from "node:test";
import { discloseCounts, verifyDisclosures } from "../../../src/actions/receipt/receipt-counts.ts";
import { makeSealReceipt } from "../../../src/actions/receipt/issue-receipt.ts";
import {
  confidentialTypes,
  findConfidentialityFault,
} from "../../../src/domain/confidentiality.ts";
import type { Deletion } from "../../../src/domain/deletion/deletion.ts";
import { noReceiptHash } from "../../../src/domain/deletion/receipt.ts";
import { recordTypes } from "../../../src/domain/record-types.ts";
import { allScopes, type Scope } from "../../../src/domain/scope.ts";
import { makeKey } from "../../../src/data-folder/receipt-key.ts";
import { toReceipt } from "../../../src/store/row/receipt-row.ts";
import { sqliteTraits } from "../../../src/store/sqlite/traits.ts";
import { deletionOf, makeChain, saltKey } from "../../receipt/scene.ts";

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
