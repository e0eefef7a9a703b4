// Another organization's data is never read, changed or revealed by any method that names an
// organization.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Engine, useSite } from "./engine.ts";
import {
  acme,
  draftOf,
  keyOf,
  newKey,
  operator,
  organization,
  other,
  transaction,
} from "./scene.ts";
import { makeTestSeal } from "../support/seal.ts";
import type { TestStore } from "../support/test-store.ts";

export function testIsolation(engine: Engine): void {
  describe(`${engine.name}: another organization's data`, () => {
    const site = useSite(engine, { sealReceipt: makeTestSeal() });
    let store: TestStore;
    const theirs = keyOf("transaction", "t", other);
    before(async () => {
      store = site().store;
      for (const id of [acme, other]) {
        await store.createOrganization(organization(id), operator);
        await store.createKey(newKey(`key of ${id}`, { organizationId: id }), operator);
      }
      await store.add("transaction", "t");
      await store.add("transaction_check", "c", { related_tx_ids: ["t"] });
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
        (await store.write(transaction("t"), { ...options, mode: "update" })).drafts,
        ["no_such_record"],
      );
      assert.deepEqual((await store.write(transaction("t"), options)).drafts, ["created"]);
      const check = draftOf("transaction_check", "c", { related_tx_ids: ["t"] });
      const resourceType = "transaction_check";
      assert.deepEqual((await store.write(check, { ...options, resourceType })).drafts, [
        "created",
      ]);
      assert.equal((await store.changesOf(keyOf("transaction", "t"))).length, 1);
    });

    it("can't be held or deleted, and its deletions can't be seen", async () => {
      const onlyMine = keyOf("person", "mine");
      await store.add("person", "mine");
      const foreign = { ...onlyMine, organizationId: other };
      assert.equal(await store.tryRequest(foreign), undefined);
      assert.equal(await store.hold(foreign), "no_such_record");
      await store.hold(onlyMine);
      assert.deepEqual(await store.holds.list({ organizationId: other, limit: 10 }), []);
      assert.equal(await store.release(foreign), 0);
      const deletion = await store.request(onlyMine);
      assert.equal(await store.findDeletion(deletion, other), undefined);
      assert.equal((await store.findDeletion(deletion, acme))?.resourceId, "mine");
      assert.deepEqual(await store.listDeletions({ organizationId: other, limit: 10 }), []);
      assert.deepEqual((await store.listDeletions({ organizationId: acme, limit: 10 })).length, 1);
      await store.release(onlyMine);
      await store.processAll();
      assert.equal(await store.findReceipt(deletion, other), undefined);
      assert.equal((await store.findReceipt(deletion, acme))?.organization_id, acme);
    });

    it("stays complete when the same ids are erased in this organization", async () => {
      await store.request(keyOf("transaction", "t"));
      await store.processAll();
      assert.equal(await store.exists(keyOf("transaction_check", "c")), false);
      assert.equal(await store.exists(theirs), true);
      assert.deepEqual(
        (await store.payloadsOf(keyOf("transaction_check", "c", other))).map(
          ({ related_tx_ids }) => related_tx_ids,
        ),
        [["t"]],
      );
    });

    it("can be written while the same id is being deleted in this organization", async () => {
      await store.add("transaction", "t");
      await store.request(keyOf("transaction", "t"));
      const update = { mode: "update" } as const;
      assert.deepEqual((await store.write(transaction("t"), update)).drafts, ["deletion_open"]);
      assert.deepEqual(
        (await store.write(transaction("t"), { ...update, organizationId: other })).drafts,
        ["updated"],
      );
    });
  });
}
