// When a deletion is completed, the bytes of erased data are in no file of the data folder: not in
// the database, not in its free space, not in the WAL. Searches the files as somebody with access
// to the disk would.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { draftOf, keyOf, transaction } from "../../conformance/scene.ts";
import { findText, secret } from "./erased-bytes.ts";
import { makePlace } from "./place.ts";
import type { TestStore } from "../../support/test-store.ts";

async function eraseAll(store: TestStore, deletionRequestId: string): Promise<void> {
  while (!(await store.eraseOne(deletionRequestId, 100)));
}

describe("the bytes of erased data", () => {
  it("include the id of a party in later changes of a transaction", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await store.add("person", `${secret}p`);
    await store.write(transaction("t", { receiver_id: `${secret}p` }));
    for (let amount = 1; amount <= 40; amount += 1) {
      const [sender_id, receiver_id] = [`${secret}p`, `other-${amount}`];
      await store.write(transaction("t", { sender_id, receiver_id }), { mode: "update" });
    }
    const id = await store.request(keyOf("person", `${secret}p`));
    await store.processAll();
    const deletion = await store.findDeletion(id, undefined);
    assert.deepEqual([deletion?.status, deletion?.redacted], ["completed", 1]);
    await store.requireConsistent();
    await store.close();
    // The deletion itself keeps the id that was requested, and so does the index by which it is found.
    assert.deepEqual(findText(place, secret), { "sluice.db": 2 });
  });

  it("are not in the trail of holds", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await store.write(transaction("t"));
    await store.write(draftOf("screening", `${secret}s`, { related_tx_id: "t" }), {
      resourceType: "screening",
    });
    const key = keyOf("screening", `${secret}s`);
    await store.hold(key);
    const id = await store.request(keyOf("transaction", "t"));
    assert.equal(await store.claim(), undefined);
    await store.release(key);
    await store.claim();
    await eraseAll(store, id);
    await store.completeOne(id);
    assert.deepEqual(findText(place, secret), {});
  });
});

describe("the completion of a deletion", () => {
  it("waits for another process that still reads erased data", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await store.write(transaction("t"));
    const id = await store.request(keyOf("transaction", "t"));
    await store.claim();
    await place.withReader(async (reader) => {
      reader.exec("BEGIN");
      assert.equal(reader.prepare("SELECT count(*) AS n FROM record").get()?.["n"], 1);
      await eraseAll(store, id);
      await assert.rejects(store.completeOne(id), /is reading or writing the store/);
      assert.equal((await store.findDeletion(id, undefined))?.status, "processing");
      reader.exec("COMMIT");
    });
    assert.equal((await store.completeOne(id))?.status, "completed");
  });
});
