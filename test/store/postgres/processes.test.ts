// Several processes on one database, each with its own store: they never interfere, and each sees
// the changes of the others.

import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { acme, draftOf, keyOf, mark, transaction, worker } from "../../conformance/scene.ts";
import { usePostgres } from "../../support/postgres/postgres-server.ts";
import { openTestStore, type TestStore } from "../../support/test-store.ts";

const processes = 4;

const server = await usePostgres();

describe("several processes on one database", () => {
  let url: string;
  let stores: readonly TestStore[];
  beforeEach(async (test) => {
    url = await server.makeDatabase();
    const opened = Array.from({ length: processes }, () => openTestStore(url, { role: "serve" }));
    stores = await Promise.all(opened);
    assert.ok("after" in test);
    test.after(async () => {
      await Promise.all(stores.map((store) => store.close()));
      await server.dropDatabase(url);
    });
  });

  function storeNo(index: number): TestStore {
    const store = stores[index % stores.length];
    assert.ok(store);
    return store;
  }

  it("create each record once, whichever is first", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 400 }, (_, index) =>
        storeNo(index).write(transaction(`t${Math.floor(index / 4)}`)),
      ),
    );
    const results = outcomes.map(({ drafts }) => drafts[0]);
    assert.equal(results.filter((result) => result === "created").length, 100);
    assert.equal(results.filter((result) => result === "identical_record_exists").length, 300);
    assert.deepEqual(await storeNo(0).countRecords(acme), { transaction: 100 });
    await storeNo(0).requireConsistent();
  });

  it("tell the one that could not plan a large deletion, which postpones it", async () => {
    const store = storeNo(0);
    await store.add("transaction", "t");
    const checks = Array.from({ length: 1_001 }, (_, index) =>
      draftOf("transaction_check", `c${index}`, { related_tx_ids: ["t"] }),
    );
    await store.write(checks, { resourceType: "transaction_check" });
    const id = await store.request(keyOf("transaction", "t"));
    await server.query(
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no plan'; END $$;
       CREATE TRIGGER fail BEFORE INSERT ON deletion_target EXECUTE FUNCTION fail()`,
      url,
    );
    const { now } = worker;
    const claim = { now, leaseUntil: now + 60_000, claimant: "test" };
    const [claimed, ...others] = await store.claimDeletions(claim, 2);
    assert.deepEqual([claimed?.deletionRequestId, claimed?.status, others], [id, "pending", []]);
    assert.match(String(claimed?.failure), /no plan/);
    await store.postponeDeletion(id, "no plan", now + 1);
    const { status, waitingFor, attempts } = await store.deletionOf(id);
    assert.deepEqual([status, waitingFor, attempts], ["pending", "no plan", 1]);
    assert.deepEqual(await store.claimDeletions(claim, 2), []);
  });

  it("lose no update of a record that all of them write to, in lists of any order", async () => {
    const ids = ["a", "b", "c", "d", "e"];
    await storeNo(0).write(ids.map((id) => transaction(id)));
    await Promise.all(
      Array.from({ length: 80 }, (_, index) => {
        const order = index % 2 === 0 ? ids : ids.toReversed();
        const drafts = order.map((id) => transaction(id, { amount: index }));
        return storeNo(index).write(drafts, { mode: "update" });
      }),
    );
    for (const id of ids) {
      assert.equal((await storeNo(1).changesOf(keyOf("transaction", id))).length, 81);
    }
    await storeNo(0).requireConsistent();
  });

  it("execute a request with an Idempotency-Key once, and all return its outcome", async () => {
    await storeNo(0).add("transaction", "t");
    const options = { mode: "update", idempotency: mark("key") } as const;
    const outcomes = await Promise.all(
      stores.map((store) => store.write(transaction("t", { amount: 5 }), options)),
    );
    for (const { written, drafts } of outcomes) {
      assert.deepEqual({ written, drafts }, { written: 1, drafts: ["updated"] });
    }
    assert.equal(outcomes.filter(({ repeated }) => repeated !== true).length, 1);
    assert.equal((await storeNo(0).changesOf(keyOf("transaction", "t"))).length, 2);
    await Promise.all(
      stores.map((store, index) =>
        assert.rejects(
          store.write(transaction(`n${index}`), { idempotency: mark("key", `other ${index}`) }),
          { errorName: "idempotency_reused" },
        ),
      ),
    );
  });

  it("execute one of several first requests under a key, and refuse the others", async () => {
    const results = await Promise.allSettled(
      stores.map((store, index) =>
        store.write(transaction(`n${index}`), { idempotency: mark("key", `request ${index}`) }),
      ),
    );
    assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
    assert.deepEqual(await storeNo(0).countRecords(acme), { transaction: 1 });
  });

  it("either hold a transaction of a person or begin the erasure of the person, never both", async () => {
    for (let index = 0; index < 24; index += 1) {
      const [person, paid] = [keyOf("person", `p${index}`), keyOf("transaction", `t${index}`)];
      await storeNo(0).add("person", person.resourceId);
      await storeNo(0).write(transaction(paid.resourceId, { sender_id: person.resourceId }));
      await storeNo(0).request(person);
      const [claimed, outcome] = await Promise.all([storeNo(1).claim(), storeNo(2).hold(paid)]);
      assert.equal(outcome === "being_erased", claimed !== undefined, `${index}`);
      assert.ok(claimed !== undefined || typeof outcome === "object");
    }
  });

  it("open one deletion of a record, and claim each deletion once", async () => {
    for (let index = 0; index < 12; index += 1) await storeNo(0).add("transaction", `t${index}`);
    const asked = await Promise.all(
      Array.from({ length: 48 }, (_, index) =>
        storeNo(index).request(keyOf("transaction", `t${index % 12}`)),
      ),
    );
    assert.equal(new Set(asked).size, 12);
    const claimed = await Promise.all(
      Array.from({ length: 24 }, async (_, index) => {
        const claim = { now: worker.now, leaseUntil: worker.now + 60_000, claimant: `p${index}` };
        const deletion = await storeNo(index).claimOne(claim);
        if (deletion !== undefined) await storeNo(index).finish(deletion.deletionRequestId);
        return deletion?.deletionRequestId;
      }),
    );
    const done = claimed.filter((id) => id !== undefined);
    assert.equal(new Set(done).size, done.length);
    for (const id of done)
      assert.deepEqual((await storeNo(0).deletionOf(id)).erased, { transaction: 1 });
    const completions = (await storeNo(0).listAudit(0, 1_000)).filter(
      ({ action }) => action === "deletion.complete",
    );
    assert.equal(completions.length, done.length);
    await storeNo(0).requireConsistent();
  });

  it("prevent a process that has lost its lease from continuing", async () => {
    const [slow, quick] = [storeNo(0), storeNo(1)];
    await slow.add("transaction", "t");
    const id = await slow.request(keyOf("transaction", "t"));
    await slow.claimOne({ now: worker.now, leaseUntil: worker.now + 10, claimant: "slow" });
    const later = worker.now + 11;
    await quick.claimOne({ now: later, leaseUntil: later + 60_000, claimant: "quick" });
    const refused = { name: "StoreError", message: /processed by another process/ };
    await assert.rejects(slow.eraseOne(id, 10), refused);
    await assert.rejects(slow.completeOne(id), refused);
    await slow.postponeDeletion(id, "it failed", later + 600_000);
    assert.equal((await quick.deletionOf(id)).waitingFor, undefined);
    assert.equal((await quick.finish(id)).status, "completed");
    assert.equal(await quick.exists(keyOf("transaction", "t")), false);
    // Nor is it an error of the program that the other one has completed it.
    await assert.rejects(slow.eraseOne(id, 10), { ...refused, isTemporary: true });
    await assert.rejects(slow.completeOne(id), { ...refused, isTemporary: true });
  });

  it("erase what was written before the plan was made, and refuse what arrives later", async () => {
    await storeNo(0).add("transaction", "t");
    const id = await storeNo(0).request(keyOf("transaction", "t"));
    const writes = Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        storeNo(index).write(
          draftOf("transaction_check", `c${index % 6}`, {
            related_tx_ids: ["t"],
            status: "PENDING",
          }),
          { resourceType: "transaction_check", mode: "append" },
        ),
      ),
    );
    await storeNo(1).claimOne({
      now: worker.now,
      leaseUntil: worker.now + 60_000,
      claimant: "w",
    });
    await storeNo(1).finish(id);
    await writes;
    const report = await storeNo(2).checkIntegrity();
    assert.deepEqual(report, { ok: true, findings: [] });
    for (let index = 0; index < 6; index += 1) {
      const key = keyOf("transaction_check", `c${index}`);
      assert.equal(await storeNo(3).exists(key), (await storeNo(3).changesOf(key)).length > 0);
    }
  });

  it("check the changes of records that stay before a deletion is completed", async () => {
    const store = storeNo(0);
    for (const id of ["goes", "stays"]) await store.add("transaction", id);
    const related = { related_tx_ids: ["goes", "stays"] };
    await store.add("transaction_check", "c", related);
    const id = await store.request(keyOf("transaction", "goes"));
    await store.claimOne({ now: worker.now, leaseUntil: worker.now + 60_000, claimant: "w" });
    assert.ok(await store.eraseOne(id, 10));
    // As if a process had missed one of the changes.
    const { payload } = draftOf("transaction_check", "c", related);
    await server.query(
      `UPDATE change SET payload = '${payload.replaceAll("'", "''")}'
      WHERE resource_type = 'transaction_check'`,
      url,
    );
    assert.equal(await store.completeOne(id), undefined);
    assert.equal((await store.finish(id)).status, "completed");
    const [left] = await store.payloadsOf(keyOf("transaction_check", "c"));
    assert.deepEqual(left?.["related_tx_ids"], ["stays"]);
  });
});
