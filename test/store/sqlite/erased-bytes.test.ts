// When a deletion is completed, the bytes of erased data are in no file of the data folder: not in
// the database, not in its free space, not in the WAL. Searches the files as somebody with access
// to the disk would.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Draft } from "../../../src/domain/record/record-write.ts";
import type { Store } from "../../../src/store/interface/store.ts";
import {
  claim,
  draftOf,
  hold,
  keyOf,
  mark,
  release,
  request,
  requireConsistent,
  transaction,
  worker,
  write,
} from "../../conformance/scene.ts";
import { makeRandom, type Random } from "../../support/random.ts";
import { makePlace, type Place } from "./place.ts";
import { completeOne, eraseOne } from "../../support/one-deletion.ts";

/** Found in any data that contains part of an erased record. */
const secret = "top-secret-";

function screening(index: number, random: Random): Draft {
  const goes = index % 5 === 0;
  const text = `${goes ? secret : "harmless-"}${index}`;
  return draftOf("screening", `${text}-id`, {
    outcome_details: text.repeat(random.integer(1, 40)),
    ...(goes ? { related_person_id: "p" } : {}),
    timestamp: new Date(Date.UTC(2026, 0, 1) + random.integer(0, 1e9)).toISOString(),
  });
}

/**
 * A person with many screenings among those of others, in lists, with later changes, so that pages
 * split and fill.
 */
async function fill(store: Store): Promise<void> {
  const random = makeRandom(7);
  const resourceType = "screening";
  await write(store, draftOf("person", "p", { name: `${secret}person` }), {
    resourceType: "person",
    idempotency: mark(`${secret}key`),
  });
  for (let from = 0; from < 2_500; from += 50) {
    const list = Array.from({ length: 50 }, (_, index) => screening(from + index, random));
    await write(store, list, { resourceType });
    const changed = Array.from({ length: 15 }, () =>
      screening(random.integer(0, from + 49), random),
    );
    await write(store, changed, { resourceType, mode: "update", lenient: true });
  }
}

/** Where the text is found: the name of the file and how often. */
function findText(place: Place, text: string): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [name, bytes] of place.readFiles()) {
    const times = bytes.toString("latin1").split(text).length - 1;
    if (times > 0) found[name] = times;
  }
  return found;
}

async function eraseAll(store: Store, deletionRequestId: string): Promise<void> {
  while (!(await eraseOne(store, deletionRequestId, 100, worker)));
}

describe("the bytes of erased data", () => {
  it("are in no file when the deletion is completed, and do not come back", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await fill(store);
    const id = (await request(store, keyOf("person", "p"))) ?? "";
    await claim(store);
    await eraseAll(store, id);
    place.withDatabase((database) => database.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
    // Without this the rest would prove nothing: erasing alone leaves copies in the database.
    assert.ok((findText(place, secret)["sluice.db"] ?? 0) > 0);

    const completed = await completeOne(store, id, worker);
    assert.equal(completed?.status, "completed");
    assert.deepEqual(completed?.erased, { person: 1, screening: 500 });
    assert.deepEqual(findText(place, secret), {});
    // What the writer has in memory must not bring anything back.
    const random = makeRandom(8);
    for (let count = 0; count < 20; count += 1) {
      const list = Array.from({ length: 50 }, () =>
        screening(random.integer(0, 499) * 5 + 1, random),
      );
      await write(store, list, { resourceType: "screening", mode: "update", lenient: true });
    }
    await requireConsistent(store);
    await store.close();
    assert.deepEqual(findText(place, secret), {});
  });

  it("are gone wherever a process was interrupted", async (test) => {
    const place = makePlace(test);
    const first = await place.open();
    await fill(first);
    const id = (await request(first, keyOf("person", "p"))) ?? "";
    await claim(first);
    await eraseAll(first, id);
    await first.close();
    const second = await place.open();
    await claim(second);
    await eraseAll(second, id);
    assert.equal((await completeOne(second, id, worker))?.status, "completed");
    assert.deepEqual(findText(place, secret), {});
  });

  it("include those of redacted references in records that stay", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await write(store, [transaction("t"), transaction("stays")]);
    const check = draftOf("transaction_check", `${secret}check`, { related_tx_ids: ["t"] });
    await write(store, check, { resourceType: "transaction_check" });
    const fields = { related_check_id: `${secret}check`, related_tx_ids: ["stays"] };
    const alerts = Array.from({ length: 300 }, (_, index) =>
      draftOf("transaction_alert", `a${index}`, fields),
    );
    await write(store, alerts, { resourceType: "transaction_alert" });
    const id = (await request(store, keyOf("transaction", "t"))) ?? "";
    await claim(store);
    await eraseAll(store, id);
    const completed = await completeOne(store, id, worker);
    assert.equal(completed?.redacted, 300);
    assert.deepEqual(findText(place, secret), {});
  });

  it("are not in the trail of holds", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await write(store, transaction("t"));
    await write(store, draftOf("screening", `${secret}s`, { related_tx_id: "t" }), {
      resourceType: "screening",
    });
    const key = keyOf("screening", `${secret}s`);
    await hold(store, key);
    const id = (await request(store, keyOf("transaction", "t"))) ?? "";
    assert.equal(await claim(store), undefined);
    await release(store, key);
    await claim(store);
    await eraseAll(store, id);
    await completeOne(store, id, worker);
    assert.deepEqual(findText(place, secret), {});
  });
});

describe("the completion of a deletion", () => {
  it("waits for another process that still reads erased data", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await write(store, transaction("t"));
    const id = (await request(store, keyOf("transaction", "t"))) ?? "";
    await claim(store);
    await place.withReader(async (reader) => {
      reader.exec("BEGIN");
      assert.equal(reader.prepare("SELECT count(*) AS n FROM record").get()?.["n"], 1);
      await eraseAll(store, id);
      await assert.rejects(completeOne(store, id, worker), /is reading or writing the store/);
      assert.equal((await store.findDeletion(id, undefined))?.status, "processing");
      reader.exec("COMMIT");
    });
    assert.equal((await completeOne(store, id, worker))?.status, "completed");
  });

  it("lets others write meanwhile", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await fill(store);
    const id = (await request(store, keyOf("person", "p"))) ?? "";
    await claim(store);
    await eraseAll(store, id);
    const [completed, ...outcomes] = await Promise.all([
      completeOne(store, id, worker),
      ...Array.from({ length: 50 }, (_, index) => write(store, transaction(`t${index}`))),
    ]);
    assert.equal(completed?.status, "completed");
    assert.ok(outcomes.every(({ written }) => written === 1));
    await requireConsistent(store);
  });
});
