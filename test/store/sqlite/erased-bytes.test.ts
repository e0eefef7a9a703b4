// When a deletion is completed, the bytes of erased data are in no file of the data folder: not in
// the database, not in its free space, not in the WAL. Searches the files as somebody with access
// to the disk would.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { draftOf, keyOf, transaction } from "../../conformance/scene.ts";
import { fill, findText, screening, secret } from "./erased-bytes.ts";
import { makeRandom } from "../../support/random.ts";
import { waitFor } from "../../support/wait-for.ts";
import { makePlace, type Place } from "./place.ts";
import type { TestStore } from "../../support/test-store.ts";

/** Whether all of the WAL is in the database, as far as the readers of the store allow. */
function isCopied(place: Place): boolean {
  const progress = place.withDatabase((database) =>
    database.prepare("PRAGMA wal_checkpoint(PASSIVE)").get(),
  );
  return progress?.["log"] === progress?.["checkpointed"];
}

async function eraseAll(store: TestStore, deletionRequestId: string): Promise<void> {
  while (!(await store.eraseOne(deletionRequestId, 100)));
}

describe("the bytes of erased data", () => {
  it("are in no file when the deletion is completed, and do not come back", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await fill(store);
    const id = await store.request(keyOf("person", "p"));
    await store.claim();
    await eraseAll(store, id);
    await waitFor("the checkpoints beside the writer", () => isCopied(place));
    // Without this the rest would prove nothing: erasing alone leaves copies in the database.
    assert.ok((findText(place, secret)["sluice.db"] ?? 0) > 0);

    const completed = await store.completeOne(id);
    assert.equal(completed?.status, "completed");
    assert.deepEqual(completed?.erased, { person: 1, screening: 500 });
    assert.deepEqual(findText(place, secret), {});
    // What the writer has in memory must not bring anything back.
    const random = makeRandom(8);
    for (let count = 0; count < 20; count += 1) {
      const list = Array.from({ length: 50 }, () =>
        screening(random.integer(0, 499) * 5 + 1, random),
      );
      await store.write(list, { resourceType: "screening", mode: "update", lenient: true });
    }
    await store.requireConsistent();
    await store.close();
    assert.deepEqual(findText(place, secret), {});
  });

  it("are gone wherever a process was interrupted", async (test) => {
    const place = makePlace(test);
    const first = await place.open();
    await fill(first);
    const id = await first.request(keyOf("person", "p"));
    await first.claim();
    await eraseAll(first, id);
    await first.close();
    const second = await place.open();
    await second.claim();
    await eraseAll(second, id);
    assert.equal((await second.completeOne(id))?.status, "completed");
    assert.deepEqual(findText(place, secret), {});
  });

  it("include those of redacted references in records that stay", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await store.write([transaction("t"), transaction("stays")]);
    const check = draftOf("transaction_check", `${secret}check`, { related_tx_ids: ["t"] });
    await store.write(check, { resourceType: "transaction_check" });
    const fields = { related_check_id: `${secret}check`, related_tx_ids: ["stays"] };
    const alerts = Array.from({ length: 300 }, (_, index) =>
      draftOf("transaction_alert", `a${index}`, fields),
    );
    await store.write(alerts, { resourceType: "transaction_alert" });
    const id = await store.request(keyOf("transaction", "t"));
    await store.claim();
    await eraseAll(store, id);
    const completed = await store.completeOne(id);
    assert.equal(completed?.redacted, 300);
    assert.deepEqual(findText(place, secret), {});
  });

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

  it("lets others write meanwhile", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await fill(store);
    const id = await store.request(keyOf("person", "p"));
    await store.claim();
    await eraseAll(store, id);
    const [completed, ...outcomes] = await Promise.all([
      store.completeOne(id),
      ...Array.from({ length: 50 }, (_, index) => store.write(transaction(`t${index}`))),
    ]);
    assert.equal(completed?.status, "completed");
    assert.ok(outcomes.every(({ written }) => written === 1));
    await store.requireConsistent();
  });
});
