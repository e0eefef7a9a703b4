// Digests of later changes on SQLite: stored where they are needed, checked, and used without reading the other changes
// of the record.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { comparedChanges, payloadDigest } from "../../../src/store/shared/payload-digest.ts";
import { acme, keyOf, operator, other, transaction } from "../../conformance/scene.ts";
import { makePlace, type Place } from "./place.ts";
import type { TestStore } from "../../support/test-store.ts";

const append = { mode: "append" } as const;

/** A record of which the last change needs a digest. */
async function writeLong(store: TestStore): Promise<void> {
  const amounts = Array.from({ length: comparedChanges + 1 }, (_, amount) => amount);
  await store.write(
    amounts.map((amount) => transaction("two", { amount })),
    append,
  );
}

interface ChangeRow {
  readonly changeNo: number;
  readonly position: number;
  readonly digest: number | null;
  readonly payload: string;
}

function readChanges(place: Place): readonly ChangeRow[] {
  const sql = `
    SELECT row_number() OVER (PARTITION BY record_no ORDER BY change_no) AS position,
      change_no AS changeNo, digest, payload
    FROM change ORDER BY record_no, change_no`;
  return place.withDatabase((file) => file.prepare(sql).all() as unknown as ChangeRow[]);
}

/** How many changes of the record `two` have a digest. */
function countDigests(place: Place): number {
  return readChanges(place).filter(({ digest }) => digest !== null).length;
}

describe("the digests of later changes", () => {
  it("are stored from the 17th change of a record on, also while a deletion is open", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    const change = (amount: number) => store.write(transaction("two", { amount }), append);
    await store.write(transaction("first"));
    await store.write(transaction("elsewhere"), { organizationId: other });
    await store.request(keyOf("transaction", "elsewhere", other));
    const deletion = await store.request(keyOf("transaction", "first"));
    for (let amount = 1; amount <= comparedChanges; amount += 1) await change(amount);
    assert.equal(countDigests(place), 0);
    await store.cancelDeletion(deletion, operator);
    for (const mode of ["append", "update"] as const) {
      await store.write(transaction("two", { amount: -1 }), { mode });
    }
    assert.equal(countDigests(place), 2);
    await store.requireConsistent();
  });

  it("are reported by the check if missing or wrong, or if a first change has one", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await writeLong(store);
    const [first, last] = [readChanges(place).at(0), readChanges(place).at(-1)];
    assert.ok(first && last);
    const setDigest = ({ changeNo }: ChangeRow, value: number | null) =>
      place.withDatabase((file) => {
        file.exec(`UPDATE change SET digest = ${value} WHERE change_no = ${changeNo}`);
      });
    for (const [change, value, said] of [
      [last, null, `A change after the first ${comparedChanges} of its record has no digest`],
      [last, 7, "The digest of a change is not that of its payload"],
      [first, payloadDigest(first.payload), "A first change has a digest"],
    ] as const) {
      setDigest(change, value);
      const { findings } = await store.checkIntegrity();
      assert.deepEqual(findings, [`${said}: change ${first.changeNo}/${change.changeNo}.`]);
      setDigest(change, change.digest);
      await store.requireConsistent();
    }
  });

  it("only lead to a change: one with the same digest and another payload is not identical", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await writeLong(store);
    const different = transaction("two", { amount: -3 });
    place.withDatabase((file) => {
      const digest = payloadDigest(different.payload);
      file.exec(`UPDATE change SET digest = ${digest} WHERE digest IS NOT NULL`);
    });
    assert.deepEqual((await store.write(different)).drafts, ["record_exists"]);
    assert.deepEqual((await store.write(different, append)).drafts, ["updated"]);
  });

  it("are searched in the index, and a bounded number of first changes by the key", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await writeLong(store);
    const source = readFileSync(
      new URL("../../../src/store/sqlite/commit/record.ts", import.meta.url),
      "utf8",
    );
    const statementOf = (name: string): string =>
      (
        new RegExp(`const ${name} = (?:textsBySize\\(\\s*\\(rows\\) =>)?\\s*\`([^\`]*)\``).exec(
          source,
        )?.[1] ?? ""
      )
        .replaceAll("${comparedChanges}", String(comparedChanges))
        .replaceAll(/\$\{rows\("(.*)"\)\}/g, "$1");
    const planOf = (name: string) =>
      place.withDatabase((file) =>
        file
          .prepare(`EXPLAIN QUERY PLAN ${statementOf(name)}`)
          .all()
          .map(({ detail }) => detail),
      );
    assert.deepEqual(planOf("findIdenticalLater"), [
      "SEARCH change USING INDEX change_by_digest (record_no=? AND digest=?)",
    ]);
    assert.deepEqual(planOf("findIdenticalFirst"), [
      "CO-ROUTINE (subquery-1)",
      "SEARCH change USING PRIMARY KEY (record_no=?)",
      "SCAN (subquery-1)",
    ]);
    const searches = planOf("findRecords").filter((detail) => /SEARCH/.test(String(detail)));
    assert.deepEqual(searches, [
      "SEARCH record USING PRIMARY KEY (organization_id=? AND resource_type=? AND resource_id=?)",
      "SEARCH change USING PRIMARY KEY (record_no=?)",
    ]);
    const counted = place.withDatabase((file) =>
      file.prepare(statementOf("findRecords")).all(acme, "transaction", "two", 0),
    );
    assert.equal(counted.length, 1);
    assert.ok(Object.values(counted[0] ?? {}).includes(comparedChanges));
  });
});
