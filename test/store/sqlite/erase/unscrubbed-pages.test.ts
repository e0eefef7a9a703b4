// What is known of residue in the file lasts from one process to the next, and no longer than it can be proven:
// otherwise the whole file is scrubbed again. The erasure of an organization whose changes are between those of another
// one: its changes go first, in bounded steps, and `check` knows why its records have none.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { readMark } from "../../../../src/store/sqlite/file/scrub-mark.ts";
import {
  acme,
  keyOf,
  operator,
  organization,
  other,
  transaction,
  worker,
} from "../../../conformance/scene.ts";
import { makePlace, type Place } from "../place.ts";
import { openRecorded, pageBytes } from "./recorded-store.ts";
import type { TestStore } from "../../../support/test-store.ts";

const secret = "top-secret-";

/** Completes the deletion of one transaction. */
async function deleteOne(store: TestStore, id: string): Promise<void> {
  await store.add("transaction", id, { description: `${secret}${id}` });
  await store.request(keyOf("transaction", id));
  assert.equal((await store.processAll()).length, 1);
}

async function fill(store: TestStore): Promise<void> {
  for (let part = 0; part < 10; part += 1) {
    const ids = Array.from({ length: 100 }, (_, index) => `filler-${part}-${index}`);
    await store.write(ids.map((id) => transaction(id)));
  }
}

function requireNoSecret(place: Place): void {
  const files = [...place.readFiles()].filter(([, bytes]) => bytes.includes(secret));
  assert.deepEqual(
    files.map(([name]) => name),
    [],
  );
}

/** A closed store in which a process has scrubbed the whole file, and written after that. */
async function prepare(test: TestContext): Promise<Place> {
  const place = makePlace(test);
  const { store, scrubs } = await openRecorded(place.path);
  await fill(store);
  await deleteOne(store, "first");
  assert.equal(scrubs[0], undefined);
  leaveResidue(place);
  await store.close();
  return place;
}

/** As another program: leaves the bytes of a row in the free space of a page. */
function leaveResidue(place: Place, then = ""): void {
  place.withDatabase((database) => {
    database.exec("PRAGMA secure_delete = OFF");
    // In a page of its own, which is not written again.
    database.exec("CREATE TABLE IF NOT EXISTS other (name TEXT)");
    database.exec(`INSERT INTO other VALUES ('${secret}other')`);
    database.exec("DELETE FROM other");
    database.exec(then);
  });
}

describe("a process that opens a store after another one", () => {
  it("scrubs only what was written since the last scrub", async (test) => {
    const place = await prepare(test);
    const pages = statSync(place.path).size / 4_096;
    const { store, scrubs } = await openRecorded(place.path);
    await deleteOne(store, "second");
    await store.close();
    const [first] = scrubs;
    assert.ok(first !== undefined && first.length > 0 && first.length < pages / 2, `${pages}`);
    requireNoSecret(place);
  });

  it("scrubs the whole file if another program has written to it", async (test) => {
    const place = await prepare(test);
    const times = join(place.folder, "times");
    execFileSync("touch", ["-r", place.path, times]);
    const before = statSync(place.path, { bigint: true });
    leaveResidue(place);
    execFileSync("touch", ["-r", times, place.path]);
    const after = statSync(place.path, { bigint: true });
    assert.deepEqual([after.size, after.mtimeNs], [before.size, before.mtimeNs]);
    assert.ok(readFileSync(place.path).includes(secret));
    const { store, scrubs } = await openRecorded(place.path);
    await deleteOne(store, "second");
    await store.close();
    assert.equal(scrubs[0], undefined);
    requireNoSecret(place);
  });

  it("scrubs the whole file if the mark is damaged", async (test) => {
    const place = await prepare(test);
    const mark = `${place.path}.scrubbed`;
    assert.notEqual(readMark(place.path), undefined);
    writeFileSync(mark, readFileSync(mark, "utf8").replace('"pages":"', '"pages":"AAAA'));
    assert.equal(readMark(place.path), undefined);
    const { store, scrubs } = await openRecorded(place.path);
    await deleteOne(store, "second");
    await store.close();
    assert.equal(scrubs[0], undefined);
  });
});

describe("a process that opens a store after one that was killed", () => {
  it("leaves the mark as it is, and saves none", async (test) => {
    const place = await prepare(test);
    const killed = await openRecorded(place.path);
    await killed.store.add("transaction", "third");
    const mark = statSync(`${place.path}.scrubbed`).ino;
    const pages = statSync(place.path).size / pageBytes;
    const { store, unscrubbed } = await openRecorded(place.path, undefined, pages / 2);
    assert.equal(statSync(`${place.path}.scrubbed`).ino, mark);
    assert.equal(unscrubbed.areMany, false);
    await store.close();
    await killed.store.close();
  });
});

describe("a process that continues with another WAL", () => {
  it("scrubs what was written to the WAL before", async (test) => {
    const place = await prepare(test);
    const { store, scrubs, unscrubbed } = await openRecorded(place.path);
    await deleteOne(store, "second");
    await store.add("transaction", "gone", { description: `${secret}gone` });
    leaveResidue(place);
    const before = readMark(place.path)?.generation;
    await unscrubbed.restartWal(Number.MAX_SAFE_INTEGER);
    assert.notEqual(readMark(place.path)?.generation, before);
    await store.request(keyOf("transaction", "gone"));
    await store.processAll();
    await store.close();
    assert.ok(scrubs.length >= 2 && !scrubs.includes(undefined));
    requireNoSecret(place);
  });

  it("scrubs the whole file if another program has restarted the WAL", async (test) => {
    const place = await prepare(test);
    const { store, scrubs, unscrubbed } = await openRecorded(place.path);
    // Nothing pins the WAL any more.
    await unscrubbed.restartWal(Number.MAX_SAFE_INTEGER);
    leaveResidue(place, "PRAGMA wal_checkpoint(TRUNCATE)");
    await deleteOne(store, "second");
    await store.close();
    assert.equal(scrubs[0], undefined);
    requireNoSecret(place);
  });
});

describe("upkeep", () => {
  const pagesAtOnce = 32;

  it("scrubs what was written in parts, so that little is left to the first deletion", async (test) => {
    const place = makePlace(test);
    const { store, scrubs, unscrubbed } = await openRecorded(place.path, undefined, pagesAtOnce);
    await fill(store);
    await store.add("transaction", "gone", { description: `${secret}gone` });
    await unscrubbed.restartWal(Number.MAX_SAFE_INTEGER);
    const pages = statSync(place.path).size / pageBytes;
    for (let count = 0; await store.scrubSome(); count += 1) {
      await store.add("transaction", `meanwhile-${count}`, { description: `${secret}${count}` });
    }
    const parts = scrubs.splice(0).map((part) => new Set(part));
    assert.ok(parts.length > 2 && parts.every(({ size }) => size >= pagesAtOnce && size < 40));
    assert.ok(new Set(parts.flatMap((part) => [...part])).size > pages - pagesAtOnce);
    assert.equal(await store.scrubSome(), false);
    await store.request(keyOf("transaction", "gone"));
    for (let count = 0; count < parts.length - 1; count += 1) {
      await store.request(keyOf("transaction", `meanwhile-${count}`));
    }
    assert.equal((await store.processAll()).length, parts.length);
    assert.ok(scrubs.every((scrub) => scrub !== undefined && scrub.length < pages / 2));
    requireNoSecret(place);
    await store.close();
  });

  it("scrubs everything again after a part has failed", async (test) => {
    const place = makePlace(test);
    const { store, scrubs, failing } = await openRecorded(place.path, undefined, pagesAtOnce);
    await fill(store);
    await deleteOne(store, "first");
    failing.scrub = true;
    await assert.rejects(deleteOne(store, "second"));
    failing.scrub = false;
    assert.equal((await store.processAll(worker.now + 3_600_000)).length, 1);
    assert.equal(scrubs.at(-1), undefined);
    requireNoSecret(place);
    await store.close();
  });

  it("leaves the pages to scrub as they were while another process reads", async (test) => {
    const place = makePlace(test);
    const { store, scrubs } = await openRecorded(place.path, undefined, pagesAtOnce);
    await fill(store);
    assert.equal(await store.scrubSome(), true);
    await place.withReader(async (database) => {
      database.exec("BEGIN");
      database.prepare("SELECT count(*) FROM record").get();
      await store.add("transaction", "meanwhile");
      assert.equal(await store.scrubSome(), false);
      database.exec("COMMIT");
    });
    const before = scrubs.length;
    while (await store.scrubSome());
    const [first] = scrubs.slice(before);
    const again = first?.filter((page) => page <= pagesAtOnce) ?? [];
    assert.ok(again.length < pagesAtOnce / 2, "the first part is scrubbed again");
    await store.close();
  });
});

const deletionRequestId = "del_everything";
const records = 90;
/** Rows of a step, of which it removes three times as many changes, and reads ten times as many numbers. */
const rowsMax = 4;
const update = { mode: "update" } as const;

async function openClosed(place: Place): Promise<TestStore> {
  const store = await place.open();
  for (const id of [acme, other]) await store.createOrganization(organization(id), operator);
  for (let index = 0; index < records; index += 1) {
    for (const organizationId of [acme, other]) {
      await store.write(transaction(`t${index}`), { organizationId });
    }
  }
  const longer = Array.from({ length: 20 }, (_, amount) => transaction("t7", { amount }));
  await store.write(longer, update);
  await store.closeAll(deletionRequestId);
  await store.claim();
  return store;
}

function countLeft(place: Place): { readonly records: number; readonly changes: number } {
  return place.withDatabase((database) => {
    const left = database.prepare(`
      SELECT count(DISTINCT record_no) AS records, count(change_no) AS changes
      FROM record LEFT JOIN change USING (record_no) WHERE organization_id = ?`);
    return left.get(acme) as { records: number; changes: number };
  });
}

async function requireErased(store: TestStore): Promise<void> {
  await store.requireConsistent();
  assert.equal((await store.finish(deletionRequestId)).status, "completed");
  assert.deepEqual(await store.countRecords(acme), {});
  assert.deepEqual(await store.countRecords(other), { transaction: records });
}

describe("the erasure of an organization on SQLite", () => {
  it("removes nearly all changes before the first record, in bounded steps", async (test: TestContext) => {
    const place = makePlace(test);
    const store = await openClosed(place);
    let before = countLeft(place);
    for (let done = false; !done;) {
      done = await store.eraseOne(deletionRequestId, rowsMax);
      const left = countLeft(place);
      assert.ok(before.changes - left.changes <= 5 * rowsMax, JSON.stringify([before, left]));
      assert.ok(before.records - left.records <= 2 * rowsMax, JSON.stringify([before, left]));
      if (before.records === records && left.records < records) {
        assert.ok(before.changes <= 21 + 3 * rowsMax, `${before.changes}`);
      }
      await store.requireConsistent();
      before = left;
    }
    await requireErased(store);
  });

  it("continues with the records after a restart", async (test) => {
    const place = makePlace(test);
    let store = await openClosed(place);
    for (let steps = 0; countLeft(place).changes > records / 2; steps += 1) {
      assert.ok(steps < records);
      await store.eraseOne(deletionRequestId, rowsMax);
    }
    await store.close();
    store = await place.open();
    assert.equal(countLeft(place).records, records);
    await store.claim(worker.now * 2);
    await requireErased(store);
  });

  it("is no reason for another organization to have a record without a change", async (test) => {
    const place = makePlace(test);
    const store = await openClosed(place);
    for (let steps = 0; steps < 9; steps += 1) await store.eraseOne(deletionRequestId, rowsMax);
    assert.ok(countLeft(place).changes < records);
    await store.requireConsistent();
    place.withDatabase((database) => database.exec("DELETE FROM change WHERE record_no = 2"));
    const { findings } = await store.checkIntegrity();
    assert.deepEqual(findings, ["A record has no change: record 2."]);
  });
});
