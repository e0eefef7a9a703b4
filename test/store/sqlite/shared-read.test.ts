// Reads that share a transaction within one event-loop tick, and when they must not.

import assert from "node:assert/strict";
import { join } from "node:path";
import { setImmediate as endOfTurn } from "node:timers/promises";
import { describe, it, type TestContext } from "node:test";
import { type Connection, openReader, openWriter } from "../../../src/store/sqlite/connection.ts";
import { SharedRead } from "../../../src/store/sqlite/shared-read.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { keyOf } from "../../conformance/scene.ts";
import { makePlace } from "./place.ts";
import { storeParts as parts } from "../../../src/feature/parts.ts";

interface Site {
  readonly reader: Connection;
  readonly snapshot: SharedRead;
  /** Inserts one more row into the table, on a separate connection. */
  readonly insert: () => void;
  /** How many rows the reader sees. */
  readonly count: () => number;
}

function makeSite(test: TestContext): Site {
  const folder = makeTempFolder();
  const path = join(folder, "sluice.db");
  const writer = openWriter(path, { parts });
  writer.exec("CREATE TABLE row (id INTEGER PRIMARY KEY)");
  const reader = openReader(path);
  test.after(() => {
    reader.close();
    writer.close();
  });
  return {
    reader,
    snapshot: new SharedRead(reader),
    insert: () => void writer.run("INSERT INTO row DEFAULT VALUES"),
    count: () => reader.get<{ rows: number }>("SELECT count(*) AS rows FROM row")?.rows ?? -1,
  };
}

describe("a shared read", () => {
  it("serves all reads of one tick, and ends with the tick", async (test) => {
    const { reader, snapshot, insert, count } = makeSite(test);
    snapshot.share();
    assert.equal(count(), 0);
    insert();
    snapshot.share();
    assert.equal(count(), 0);
    await endOfTurn();
    assert.equal(reader.inTransaction, false);
    assert.equal(count(), 1);
  });

  it("ends earlier where a write is answered", async (test) => {
    const { snapshot, insert, count } = makeSite(test);
    snapshot.share();
    assert.equal(count(), 0);
    insert();
    snapshot.end();
    assert.equal(count(), 1);
    snapshot.share();
    insert();
    assert.equal(count(), 2);
    await endOfTurn();
    assert.equal(count(), 2);
  });

  it("is not started while somebody waits for readers, and is given up at once", async (test) => {
    const { reader, snapshot, insert, count } = makeSite(test);
    snapshot.share();
    assert.equal(count(), 0);
    const work = Promise.withResolvers<void>();
    const avoiding = snapshot.avoid(() => work.promise);
    assert.equal(reader.inTransaction, false);
    snapshot.share();
    assert.equal(reader.inTransaction, false);
    insert();
    assert.equal(count(), 1);
    work.resolve();
    await avoiding;
    snapshot.share();
    assert.equal(reader.inTransaction, true);
    await endOfTurn();
  });

  it("is started again after work that failed", async (test) => {
    const { reader, snapshot } = makeSite(test);
    await assert.rejects(
      snapshot.avoid(() => Promise.reject(new Error("disk"))),
      /disk/,
    );
    snapshot.share();
    assert.equal(reader.inTransaction, true);
    await endOfTurn();
    assert.equal(reader.inTransaction, false);
  });
});

describe("a store that serves", () => {
  it("shows an acknowledged write to its client, though others read all the time", async (test) => {
    const store = await makePlace(test).open();
    const reading = new AbortController();
    const readers = Array.from({ length: 4 }, async () => {
      while (!reading.signal.aborted) {
        await store.findRecord(keyOf("transaction", "none"));
        await endOfTurn();
      }
    });
    for (let count = 0; count < 60; count += 1) {
      const id = `tx-${count}`;
      const adding = store.add("transaction", id);
      // So that a snapshot may be open in the tick in which the answer arrives.
      void store.findRecord(keyOf("transaction", id));
      await adding;
      assert.equal(await store.exists(keyOf("transaction", id)), true, id);
    }
    reading.abort();
    await Promise.all(readers);
  });
});
