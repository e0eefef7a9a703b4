// Space that deletions have freed is returned to the file system while others write, and no erased
// data remains in pages that moved.

import assert from "node:assert/strict";
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it, type TestContext } from "node:test";
import { backUpSqliteStore } from "../../../src/store/sqlite/file/backup.ts";
import { copyBackup } from "../../../src/store/sqlite/file/restore.ts";
import { draftOf, keyOf, transaction } from "../../conformance/scene.ts";
import { makePlace, type Place } from "./place.ts";
import { freePagesKept } from "../../../src/store/sqlite/file/incremental-vacuum.ts";
import type { TestStore } from "../../support/test-store.ts";

const secret = "top-secret-";
const pageBytes = 4_096;

/**
 * Screenings of a person, and some of none; enough that the file would keep many pages for later.
 */
async function fill(store: TestStore): Promise<void> {
  await store.add("person", "p", { name: `${secret}p` });
  for (let from = 0; from < 6_000; from += 200) {
    const list = Array.from({ length: 200 }, (_, index) => {
      const goes = index % 20 !== 0;
      return draftOf("screening", `${goes ? secret : "harmless-"}${from + index}`, {
        outcome_details: (goes ? secret : "harmless").repeat(90),
        ...(goes ? { related_person_id: "p" } : {}),
      });
    });
    await store.write(list, { resourceType: "screening" });
  }
}

async function deletePerson(store: TestStore, person: string): Promise<number | undefined> {
  const id = await store.request(keyOf("person", person));
  await store.claim();
  return (await store.finish(id, 300)).erased["screening"];
}

async function deleteMost(store: TestStore): Promise<void> {
  assert.equal(await deletePerson(store, "p"), 5_700);
}

/** As upkeep does, until there is no more to return; returns the number of steps. */
async function reclaimAll(store: TestStore): Promise<number> {
  let steps = 1;
  while (await store.reclaimSpace()) steps += 1;
  return steps;
}

function sizeOf(place: Place): number {
  return statSync(place.path).size;
}

function modeOf(place: Place): unknown {
  return place.withDatabase((database) => database.prepare("PRAGMA auto_vacuum").get())?.[
    "auto_vacuum"
  ];
}

/** A store as older versions created it: its file has no pointer map. */
async function makeOldPlace(test: TestContext): Promise<Place> {
  const place = makePlace(test);
  const store = await place.open();
  await store.close();
  const old = `${place.path}.old`;
  const database = new DatabaseSync(place.path);
  database.exec("PRAGMA auto_vacuum = NONE");
  database.prepare("VACUUM INTO ?").run(old);
  database.close();
  restoreBackup(place, old);
  rmSync(old);
  assert.equal(modeOf(place), 0);
  return place;
}

function restoreBackup(place: Place, file: string): void {
  using copy = copyBackup(place.path, { file, replace: true });
  copy.putInPlace();
}

describe("space that deletions have freed", () => {
  it("is returned to the file system step by step while others write, but for what is soon needed again", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await fill(store);
    await deleteMost(store);
    const before = sizeOf(place);
    const written: number[] = [];
    let steps = 0;
    for (let more = true; more; steps += 1) {
      const adding = store.write(transaction(`t${steps}`));
      more = await store.reclaimSpace();
      written.push((await adding).written);
    }
    assert.ok(steps > 5, "it took one long step");
    assert.ok(sizeOf(place) < before / 2, `${sizeOf(place)} of ${before} bytes`);
    const { screening, transaction: transactions } = await store.countRecords("org_acme");
    assert.deepEqual({ screening, transactions }, { screening: 300, transactions: steps });
    assert.ok(written.every((count) => count === 1));
    assert.deepEqual(filesWith(place), []);
    // What the store will soon need again.
    const free = place.withDatabase(
      (database) => database.prepare("PRAGMA freelist_count").get()?.["freelist_count"],
    );
    assert.equal(free, freePagesKept);
    assert.equal(await store.reclaimSpace(), false);
    await store.requireConsistent();
  });

  it("contains nothing of what is erased after pages have moved", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await store.add("person", "later", { name: `${secret}later` });
    await fill(store);
    await deleteMost(store);
    const list = Array.from({ length: 500 }, (_, index) =>
      draftOf("screening", `${secret}later-${index}`, {
        outcome_details: secret.repeat(50),
        related_person_id: "later",
      }),
    );
    await store.write(list, { resourceType: "screening" });
    await reclaimAll(store);
    assert.equal(await deletePerson(store, "later"), 500);
    assert.deepEqual(filesWith(place), []);
    await store.requireConsistent();
  });
});

describe("a store that was created without a pointer map", () => {
  it("retains its space for later records, until it is restored from a backup", async (test) => {
    const place = await makeOldPlace(test);
    const first = await place.open();
    await fill(first);
    const file = join(place.folder, "backup.db");
    await backUpSqliteStore(place.path, { file, unfinished: `${file}.part` });
    await deleteMost(first);
    const retained = sizeOf(place);
    assert.equal(await first.reclaimSpace(), false);
    assert.equal(sizeOf(place), retained);
    assert.deepEqual(filesWith(place), []);
    await first.requireConsistent();
    await first.close();
    restoreBackup(place, file);
    assert.equal(modeOf(place), 2);
    const store = await place.open();
    await deleteMost(store);
    const before = sizeOf(place);
    await reclaimAll(store);
    assert.ok(sizeOf(place) < before - 500 * pageBytes);
    await store.requireConsistent();
  });
});

function filesWith(place: Place): readonly string[] {
  const files = [...place.readFiles()];
  return files.flatMap(([name, bytes]) => (bytes.includes(secret) ? [name] : []));
}
