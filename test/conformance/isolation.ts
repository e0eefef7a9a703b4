// Another organization's data is never read, changed or revealed by any method that names an
// organization.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { Store } from "../../src/store/interface/store.ts";
import { type Engine, useSite } from "./engine.ts";
import {
  acme,
  add,
  processAll,
  changesOf,
  draftOf,
  exists,
  hold,
  keyOf,
  newKey,
  operator,
  organization,
  other,
  payloadsOf,
  release,
  request,
  requireConsistent,
  transaction,
  write,
} from "./scene.ts";
import { makeTestSeal } from "../support/seal.ts";

export function testIsolation(engine: Engine): void {
  describe(`${engine.name}: another organization's data`, () => {
    const site = useSite(engine, { sealReceipt: makeTestSeal() });
    let store: Store;
    const theirs = keyOf("transaction", "t", other);
    before(async () => {
      store = site().store;
      for (const id of [acme, other]) {
        await store.createOrganization(organization(id), operator);
        await store.createKey(newKey(`key of ${id}`, { organizationId: id }), operator);
      }
      await add(store, "transaction", "t");
      await add(store, "transaction_check", "c", { related_tx_ids: ["t"] });
    });

    it("is not read", async () => {
      assert.equal(await store.findRecord(theirs), undefined);
      assert.equal(await store.readHistory(theirs), undefined);
      assert.deepEqual(await store.countRecords(other), {});
      assert.deepEqual(
        (await store.listKeys(acme)).map(({ keyId }) => keyId),
        [`key of ${acme}`],
      );
    });

    it("does not conflict with the same ids", async () => {
      const options = { organizationId: other };
      assert.deepEqual(
        (await write(store, transaction("t"), { ...options, mode: "update" })).drafts,
        ["no_such_record"],
      );
      assert.deepEqual((await write(store, transaction("t"), options)).drafts, ["created"]);
      const check = draftOf("transaction_check", "c", { related_tx_ids: ["t"] });
      const resourceType = "transaction_check";
      assert.deepEqual((await write(store, check, { ...options, resourceType })).drafts, [
        "created",
      ]);
      assert.equal((await changesOf(store, keyOf("transaction", "t"))).length, 1);
    });

    it("can't be held or deleted, and its deletions can't be seen", async () => {
      const onlyMine = keyOf("person", "mine");
      await add(store, "person", "mine");
      const foreign = { ...onlyMine, organizationId: other };
      assert.equal(await request(store, foreign), undefined);
      assert.equal(await hold(store, foreign), "no_such_record");
      await hold(store, onlyMine);
      assert.deepEqual(await store.holds.list({ organizationId: other, limit: 10 }), []);
      assert.equal(await release(store, foreign), 0);
      const deletion = await request(store, onlyMine);
      assert.ok(deletion !== undefined);
      assert.equal(await store.findDeletion(deletion, other), undefined);
      assert.equal((await store.findDeletion(deletion, acme))?.resourceId, "mine");
      assert.deepEqual(await store.listDeletions({ organizationId: other, limit: 10 }), []);
      assert.deepEqual((await store.listDeletions({ organizationId: acme, limit: 10 })).length, 1);
      await release(store, onlyMine);
      await processAll(store);
      assert.equal(await store.findReceipt(deletion, other), undefined);
      assert.equal((await store.findReceipt(deletion, acme))?.organization_id, acme);
    });

    it("stays complete when the same ids are erased in this organization", async () => {
      await request(store, keyOf("transaction", "t"));
      await processAll(store);
      assert.equal(await exists(store, keyOf("transaction_check", "c")), false);
      assert.equal(await exists(store, theirs), true);
      assert.deepEqual(
        (await payloadsOf(store, keyOf("transaction_check", "c", other))).map(
          ({ related_tx_ids }) => related_tx_ids,
        ),
        [["t"]],
      );
    });

    it("can be written while the same id is being deleted in this organization", async () => {
      await add(store, "transaction", "t");
      await request(store, keyOf("transaction", "t"));
      const update = { mode: "update" } as const;
      assert.deepEqual((await write(store, transaction("t"), update)).drafts, ["deletion_open"]);
      assert.deepEqual(
        (await write(store, transaction("t"), { ...update, organizationId: other })).drafts,
        ["updated"],
      );
    });

    it("leaves the store consistent", () => requireConsistent(store));
  });
}
