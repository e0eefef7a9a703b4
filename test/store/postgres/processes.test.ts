// Several processes on one database, each with its own store: they never interfere, and each sees
// the changes of the others.

import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { openStore } from "../../../src/store/open-store.ts";
import type { Store } from "../../../src/store/interface/store.ts";
import {
  acme,
  add,
  bytesOf,
  changesOf,
  deletionOf,
  draftOf,
  exists,
  finish,
  keyOf,
  mark,
  newKey,
  newToken,
  operator,
  payloadsOf,
  organization,
  request,
  requireConsistent,
  transaction,
  worker,
  write,
} from "../../conformance/scene.ts";
import { type PostgresServer, startPostgres } from "../../support/postgres/postgres-server.ts";
import { claimOne, completeOne, eraseOne } from "../../support/one-deletion.ts";

const processes = 4;

describe("several processes on one database", () => {
  let server: PostgresServer;
  let url: string;
  let stores: readonly Store[];
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.remove());
  beforeEach(async (test) => {
    url = await server.makeDatabase();
    const opened = Array.from({ length: processes }, () => openStore(url, { role: "serve" }));
    stores = await Promise.all(opened);
    assert.ok("after" in test);
    test.after(async () => {
      await Promise.all(stores.map((store) => store.close()));
      await server.dropDatabase(url);
    });
  });

  function storeNo(index: number): Store {
    const store = stores[index % stores.length];
    assert.ok(store);
    return store;
  }

  it("create each record once, whichever is first", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 400 }, (_, index) =>
        write(storeNo(index), transaction(`t${Math.floor(index / 4)}`)),
      ),
    );
    const results = outcomes.map(({ drafts }) => drafts[0]);
    assert.equal(results.filter((result) => result === "created").length, 100);
    assert.equal(results.filter((result) => result === "identical_record_exists").length, 300);
    assert.deepEqual(await storeNo(0).countRecords(acme), { transaction: 100 });
    await requireConsistent(storeNo(0));
  });

  it("lose no update of a record that all of them write to, in lists of any order", async () => {
    const ids = ["a", "b", "c", "d", "e"];
    await write(
      storeNo(0),
      ids.map((id) => transaction(id)),
    );
    await Promise.all(
      Array.from({ length: 80 }, (_, index) => {
        const order = index % 2 === 0 ? ids : ids.toReversed();
        const drafts = order.map((id) => transaction(id, { amount: index }));
        return write(storeNo(index), drafts, { mode: "update" });
      }),
    );
    for (const id of ids) {
      assert.equal((await changesOf(storeNo(1), keyOf("transaction", id))).length, 81);
    }
    await requireConsistent(storeNo(0));
  });

  it("execute a request with an Idempotency-Key once, and all return its outcome", async () => {
    await add(storeNo(0), "transaction", "t");
    const options = { mode: "update", idempotency: mark("key") } as const;
    const outcomes = await Promise.all(
      stores.map((store) => write(store, transaction("t", { amount: 5 }), options)),
    );
    for (const { written, drafts } of outcomes) {
      assert.deepEqual({ written, drafts }, { written: 1, drafts: ["updated"] });
    }
    assert.equal(outcomes.filter(({ repeated }) => repeated !== true).length, 1);
    assert.equal((await changesOf(storeNo(0), keyOf("transaction", "t"))).length, 2);
    await Promise.all(
      stores.map((store, index) =>
        assert.rejects(
          write(store, transaction(`n${index}`), { idempotency: mark("key", `other ${index}`) }),
          { errorName: "idempotency_reused" },
        ),
      ),
    );
  });

  it("execute one of several first requests under a key, and refuse the others", async () => {
    const results = await Promise.allSettled(
      stores.map((store, index) =>
        write(store, transaction(`n${index}`), { idempotency: mark("key", `request ${index}`) }),
      ),
    );
    assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
    assert.deepEqual(await storeNo(0).countRecords(acme), { transaction: 1 });
  });

  it("open one deletion of a record, and claim each deletion once", async () => {
    for (let index = 0; index < 12; index += 1) await add(storeNo(0), "transaction", `t${index}`);
    const asked = await Promise.all(
      Array.from({ length: 48 }, (_, index) =>
        request(storeNo(index), keyOf("transaction", `t${index % 12}`)),
      ),
    );
    assert.equal(new Set(asked).size, 12);
    const claimed = await Promise.all(
      Array.from({ length: 24 }, async (_, index) => {
        const claim = { now: worker.now, leaseUntil: worker.now + 60_000, claimant: `p${index}` };
        const deletion = await claimOne(storeNo(index), claim);
        if (deletion !== undefined) await finish(storeNo(index), deletion.deletionRequestId);
        return deletion?.deletionRequestId;
      }),
    );
    const done = claimed.filter((id) => id !== undefined);
    assert.equal(new Set(done).size, done.length);
    for (const id of done)
      assert.deepEqual((await deletionOf(storeNo(0), id)).erased, { transaction: 1 });
    const completions = (await storeNo(0).listAudit(0, 1_000)).filter(
      ({ action }) => action === "deletion.complete",
    );
    assert.equal(completions.length, done.length);
    await requireConsistent(storeNo(0));
  });

  it("prevent a process that has lost its lease from continuing", async () => {
    const [slow, quick] = [storeNo(0), storeNo(1)];
    await add(slow, "transaction", "t");
    const id = await request(slow, keyOf("transaction", "t"));
    assert.ok(id !== undefined);
    await claimOne(slow, { now: worker.now, leaseUntil: worker.now + 10, claimant: "slow" });
    const later = worker.now + 11;
    await claimOne(quick, { now: later, leaseUntil: later + 60_000, claimant: "quick" });
    const refused = { name: "StoreError", message: /processed by another process/ };
    await assert.rejects(eraseOne(slow, id, 10, worker), refused);
    await assert.rejects(completeOne(slow, id, worker), refused);
    await slow.postponeDeletion(id, "it failed", later + 600_000);
    assert.equal((await deletionOf(quick, id)).waitingFor, undefined);
    assert.equal((await finish(quick, id)).status, "completed");
    assert.equal(await exists(quick, keyOf("transaction", "t")), false);
  });

  it("erase what was written before the plan was made, and refuse what arrives later", async () => {
    await add(storeNo(0), "transaction", "t");
    const id = await request(storeNo(0), keyOf("transaction", "t"));
    assert.ok(id !== undefined);
    const writes = Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        write(
          storeNo(index),
          draftOf("transaction_check", `c${index % 6}`, {
            related_tx_ids: ["t"],
            status: "PENDING",
          }),
          { resourceType: "transaction_check", mode: "append" },
        ),
      ),
    );
    await claimOne(storeNo(1), {
      now: worker.now,
      leaseUntil: worker.now + 60_000,
      claimant: "w",
    });
    await finish(storeNo(1), id);
    await writes;
    const report = await storeNo(2).checkIntegrity();
    assert.deepEqual(report, { ok: true, findings: [] });
    for (let index = 0; index < 6; index += 1) {
      const key = keyOf("transaction_check", `c${index}`);
      assert.equal(await exists(storeNo(3), key), (await changesOf(storeNo(3), key)).length > 0);
    }
  });

  it("check the changes of records that stay before a deletion is completed", async () => {
    const store = storeNo(0);
    for (const id of ["goes", "stays"]) await add(store, "transaction", id);
    const related = { related_tx_ids: ["goes", "stays"] };
    await add(store, "transaction_check", "c", related);
    const id = await request(store, keyOf("transaction", "goes"));
    assert.ok(id !== undefined);
    await claimOne(store, { now: worker.now, leaseUntil: worker.now + 60_000, claimant: "w" });
    assert.ok(await eraseOne(store, id, 10, worker));
    // As if a process had missed one of the changes.
    const { payload } = draftOf("transaction_check", "c", related);
    await server.query(
      `UPDATE change SET payload = '${payload.replaceAll("'", "''")}'
      WHERE resource_type = 'transaction_check'`,
      url,
    );
    assert.equal(await completeOne(store, id, worker), undefined);
    assert.equal((await finish(store, id)).status, "completed");
    const [left] = await payloadsOf(store, keyOf("transaction_check", "c"));
    assert.deepEqual(left?.["related_tx_ids"], ["stays"]);
  });

  it("see at once that a key was revoked by another", async () => {
    const [one, two] = [storeNo(0), storeNo(1)];
    await one.createOrganization(organization(acme), operator);
    await one.createKey(newKey("key_1"), operator);
    await one.createToken(newToken("token"));
    const versionBefore = await two.credentialsVersion();
    await one.revokeKey("key_1", operator);
    assert.notEqual(await two.credentialsVersion(), versionBefore);
    assert.equal((await two.findCaller(bytesOf("token")))?.key.revokedAt, operator.now);
  });

  it("append to one audit chain", async () => {
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        storeNo(index).createOrganization(organization(`org_${index}`), operator),
      ),
    );
    assert.equal((await storeNo(0).listAudit(0, 100)).length, 40);
    await requireConsistent(storeNo(0));
  });
});
