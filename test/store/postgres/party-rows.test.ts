// The index of parties while two processes replace parties by pseudonyms at once: none loses what the other adds.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import { hashParty } from "../../../src/store/shared/party-entries.ts";
import {
  acme,
  keyOf,
  operator,
  organization,
  transaction,
  worker,
} from "../../conformance/scene.ts";
import { usePostgres, withDatabase } from "../../support/postgres/postgres-server.ts";
import { openTestStore, type TestStore } from "../../support/test-store.ts";
import { waitFor } from "../../support/wait-for.ts";

const server = await usePostgres();
const url = await server.makeDatabase();

const waiting =
  "SELECT count(*)::int AS count FROM pg_locks WHERE relation = 'party_block'::regclass AND NOT granted";

describe("two processes that add entries to the same row of the index of parties", () => {
  let stores: readonly [TestStore, TestStore];
  let other: Client;
  before(async () => {
    const open = () => openTestStore(url, { role: "serve" });
    stores = [await open(), await open()];
    await stores[0].createOrganization(organization(acme), operator);
    other = new Client({ connectionString: withDatabase(server.adminUrl, url) });
    await other.connect();
  });
  after(async () => {
    await other.end();
    await Promise.all(stores.map((store) => store.close()));
    await server.dropDatabase(url);
  });

  /** Two whose entries are in one bucket, in which no other party has one. */
  async function findPseudonyms(): Promise<readonly string[]> {
    const { rows } = await other.query<{ key: string }>("SELECT salt_key AS key FROM receipt_head");
    const some = Array.from(
      { length: 2_000 },
      (_, index) => `erased_${index.toString(16).padStart(32, "0")}`,
    );
    const byBucket = Map.groupBy(some, (one) => hashParty(rows[0]?.key ?? "", acme, one).bucket);
    const taken = await other.query<{ bucket: string }>("SELECT bucket FROM party_block");
    for (const { bucket } of taken.rows) byBucket.delete(Number(bucket));
    return [...byBucket.values()].find((ones) => ones.length > 1) ?? [];
  }

  /** Up to the step that replaces its id in the transaction that names it. */
  async function beginErasure(store: TestStore, person: string, pseudonym = ""): Promise<string> {
    const id = await store.request(keyOf("person", person));
    const { now } = worker;
    await store.claimOne({ now, leaseUntil: now + 60_000, claimant: person });
    assert.ok(await store.eraseOne(id, 10));
    assert.equal(await store.completeOne(id), undefined);
    const { rowCount } = await other.query(
      "UPDATE pseudonym SET pseudonym = $1 WHERE deletion_request_id = $2",
      [pseudonym, id],
    );
    assert.equal(rowCount, 1);
    return id;
  }

  it("keep both", async () => {
    const [store, second] = stores;
    for (const person of ["a", "b"]) {
      await store.add("person", person);
      await store.write(transaction(`of ${person}`, { sender_id: person }));
    }
    await store.write(Array.from({ length: 1_100 }, (_, index) => transaction(`t${index}`)));
    await store.parties.index((await store.settledArrival()).settled);
    const pseudonyms = await findPseudonyms();
    const ids = [
      await beginErasure(store, "a", pseudonyms[0]),
      await beginErasure(second, "b", pseudonyms[1]),
    ] as const;
    // Both read the row, which is not there, before one of them writes.
    await other.query("BEGIN; LOCK TABLE party_block IN SHARE MODE");
    const steps = Promise.all([store.eraseOne(ids[0], 10), second.eraseOne(ids[1], 10)]);
    await waitFor("both to wait", async () => {
      const { rows } = await other.query<{ count: number }>(waiting);
      return rows[0]?.count === 2;
    });
    await other.query("ROLLBACK");
    assert.deepEqual(await steps, [true, true]);
    await store.requireConsistent();
  });
});
