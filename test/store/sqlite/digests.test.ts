// Digests of later changes on SQLite: computed for a store of an earlier version, checked, and used
// without reading the other changes of the record.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { payloadDigest } from "../../../src/store/payload-digest.ts";
import type { Store } from "../../../src/store/store.ts";
import { requireConsistent, transaction, write } from "../../conformance/scene.ts";
import { makePlace, type Place } from "./place.ts";

const append = { mode: "append" } as const;

/** More than one batch of the migration. */
const later = 5_500;

/** The schema before digests, with the data of this one. */
const undo = `
  DROP INDEX deletion_by_organization_status; DROP INDEX audit_entry_of_backup;
  DROP TABLE operator; DROP TABLE operator_passkey; DROP TABLE operator_session;
  DROP TABLE one_time_token;
  DROP INDEX deletion_floored; ALTER TABLE deletion DROP COLUMN floor_until;
  ALTER TABLE receipt_head DROP COLUMN salt_key;
  ALTER TABLE deletion DROP COLUMN kept; ALTER TABLE deletion DROP COLUMN redacted_by_type;
  ALTER TABLE organization DROP COLUMN confidential_types;
  ALTER TABLE organization DROP COLUMN closed_at;
  ALTER TABLE organization DROP COLUMN deletion_request_id;
  DROP TABLE retention_floor;
  DROP INDEX deletion_restricted; ALTER TABLE deletion DROP COLUMN restricted_of;
  ALTER TABLE deletion_target DROP COLUMN restricted; DROP TABLE restricted_reference;
  DROP INDEX change_later;
  DROP TABLE pseudonym;
  ALTER TABLE organization DROP COLUMN erase_orphaned_transactions;
  DROP INDEX change_by_digest;
  ALTER TABLE change DROP COLUMN digest;
  UPDATE meta SET value = 3 WHERE name = 'schema_version'`;

async function fill(store: Store): Promise<void> {
  const drafts = Array.from({ length: later + 1 }, (_, amount) => transaction("many", { amount }));
  await write(store, drafts, append);
  await write(store, transaction("one"));
  await write(store, transaction("two"));
  await write(store, transaction("two", { amount: 2 }), append);
}

function readDigests(place: Place): readonly (readonly [boolean, number | null, string])[] {
  return place.withDatabase((database) =>
    database
      .prepare("SELECT record_no = change_no AS first, digest, payload FROM change")
      .all()
      .map((row) => [row["first"] === 1, row["digest"] as number | null, String(row["payload"])]),
  );
}

function requireDigests(place: Place): void {
  const rows = readDigests(place);
  assert.equal(rows.length, later + 4);
  for (const [first, digest, payload] of rows) {
    assert.equal(digest, first ? null : payloadDigest(payload));
  }
}

async function requireFound(store: Store): Promise<void> {
  for (const amount of [0, 1, later]) {
    const draft = transaction("many", { amount });
    assert.deepEqual((await write(store, draft, append)).drafts, ["unchanged"], `${amount}`);
    assert.deepEqual((await write(store, draft)).drafts, ["identical_record_exists"]);
  }
  const other = transaction("many", { amount: later + 1 });
  assert.deepEqual((await write(store, other)).drafts, ["record_exists"]);
}

describe("the digests of later changes", () => {
  it("are computed when a store of an earlier version is opened, for all but first changes", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await fill(store);
    requireDigests(place);
    await store.close();
    place.withDatabase((database) => database.exec(undo));
    const upgraded = await place.open();
    requireDigests(place);
    await requireFound(upgraded);
    await requireConsistent(upgraded);
  });

  it("are reported by the check if missing or wrong", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await write(store, transaction("two"));
    await write(store, transaction("two", { amount: 2 }), append);
    for (const [value, said] of [
      ["NULL", /^A later change has no digest, or a first one has: change 1\/\d+\.$/],
      ["digest + 1", /^The digest of a change is not that of its payload: change 1\/\d+\.$/],
    ] as const) {
      place.withDatabase((database) => {
        database.exec(`UPDATE change SET digest = ${value} WHERE change_no <> record_no`);
      });
      const { findings } = await store.checkIntegrity();
      assert.equal(findings.length, 1);
      assert.match(findings[0] ?? "", said);
      const digest = payloadDigest(transaction("two", { amount: 2 }).payload);
      place.withDatabase((database) => {
        database.exec(`UPDATE change SET digest = ${digest} WHERE change_no <> record_no`);
      });
      await requireConsistent(store);
    }
  });

  it("only lead to a change: one with the same digest and another payload is not identical", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await write(store, transaction("two"));
    await write(store, transaction("two", { amount: 2 }), append);
    const other = transaction("two", { amount: 3 });
    place.withDatabase((database) => {
      database.exec(
        `UPDATE change SET digest = ${payloadDigest(other.payload)} WHERE change_no <> record_no`,
      );
    });
    assert.deepEqual((await write(store, other)).drafts, ["record_exists"]);
    assert.deepEqual((await write(store, other, append)).drafts, ["updated"]);
  });

  it("are searched in the index, and first changes by the key", async (test) => {
    const place = makePlace(test);
    await (await place.open()).close();
    const source = readFileSync(
      new URL("../../../src/store/sqlite/commit/record.ts", import.meta.url),
      "utf8",
    );
    const plans = [...source.matchAll(/const (findIdentical\w+) =\s*`([^`]*)`/g)].map(
      ([, name = "", sql = ""]) =>
        place.withDatabase((database) => {
          const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
          return [name, rows.map(({ detail }) => detail)];
        }),
    );
    assert.deepEqual(Object.fromEntries(plans), {
      findIdenticalFirst: ["SEARCH change USING PRIMARY KEY (record_no=? AND change_no=?)"],
      findIdenticalLater: ["SEARCH change USING INDEX change_by_digest (record_no=? AND digest=?)"],
    });
  });
});
