// A file with frozen checkpoints does not change whoever writes, in this process or another; and it can't be frozen
// unnoticed. Which pages the WAL holds, compared with what SQLite itself wrote there; and when that is no longer known.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it, type TestContext } from "node:test";
import { Connection, openWriter } from "../../../../src/store/sqlite/connection.ts";
import {
  freezeCheckpoints,
  pinWal,
  readDataVersion,
  releaseCheckpoints,
  requireAlone,
} from "../../../../src/store/sqlite/file/checkpoint-freeze.ts";
import {
  emptyWalPosition,
  findWalStart,
  readWalPages,
} from "../../../../src/store/sqlite/file/wal-pages.ts";
import { migrate } from "../../../../src/store/sqlite/migration/migrate.ts";
import { makePlace, type Place } from "../place.ts";
import { storeParts as parts } from "../../../../src/feature/parts.ts";

function open(test: TestContext): { place: Place; connection: Connection } {
  const place = makePlace(test);
  const connection = openWriter(place.path, { parts });
  test.after(() => {
    releaseCheckpoints(connection);
    connection.close();
  });
  migrate(connection);
  connection.exec("PRAGMA wal_autocheckpoint = 1");
  return { place, connection };
}

const writeCounter = "UPDATE counter SET value = value + 1";

describe("a file with frozen checkpoints", () => {
  it("does not change while others write, and has all of it when it is released", (test) => {
    const { place, connection } = open(test);
    freezeCheckpoints(connection, { position: undefined });
    const before = readFileSync(place.path);
    for (let count = 0; count < 50; count += 1) connection.run(writeCounter);
    place.withDatabase((database) => {
      database.exec(writeCounter);
      database.exec("PRAGMA wal_checkpoint(PASSIVE)");
    });
    assert.deepEqual(readFileSync(place.path), before);
    assert.ok((readWalPages(place.path, emptyWalPosition)?.position.frames ?? 0) >= 51);
    releaseCheckpoints(connection);
    connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    assert.notDeepEqual(readFileSync(place.path), before);
  });

  it("is refused while another process reads an older state", async (test) => {
    const { place, connection } = open(test);
    connection.run(writeCounter);
    await place.withReader(async (reader) => {
      reader.exec("BEGIN");
      reader.prepare("SELECT * FROM counter").get();
      connection.run(writeCounter);
      assert.throws(
        () => freezeCheckpoints(connection, { position: undefined }),
        /reading or writing/,
      );
      reader.exec("COMMIT");
    });
    freezeCheckpoints(connection, { position: undefined });
  });

  it("is refused if another process writes between the checkpoint and the freeze", (test) => {
    const { place, connection } = open(test);
    const exec = connection.exec.bind(connection);
    connection.exec = (sql) => {
      exec(sql);
      // The end of the checkpoint.
      if (sql === "PRAGMA busy_timeout = 5000") {
        place.withDatabase((database) => database.exec(writeCounter));
      }
    };
    assert.throws(
      () => freezeCheckpoints(connection, { position: undefined }),
      /reading or writing/,
    );
  });

  it("reports every page that was written since a position, by any process", (test) => {
    const { place, connection } = open(test);
    connection.exec("PRAGMA wal_autocheckpoint = 0");
    freezeCheckpoints(connection, { position: undefined });
    releaseCheckpoints(connection);
    connection.run(writeCounter);
    const start = findWalStart(place.path);
    pinWal(connection);
    connection.exec("PRAGMA wal_autocheckpoint = 1");
    for (let count = 0; count < 50; count += 1) connection.run(writeCounter);
    place.withDatabase((database) => database.exec("DELETE FROM meta WHERE name = 'x'"));
    place.withDatabase((database) => database.exec("INSERT INTO meta VALUES ('x', 1)"));
    const expected = readWalPages(place.path, start)?.pages;
    const part = freezeCheckpoints(connection, { position: start });
    assert.ok((part?.pages.length ?? 0) >= 2);
    assert.deepEqual(part?.pages, expected);
  });
});

describe("the check that no other connection has written", () => {
  it("fails only when another connection has written since", (test) => {
    const { place, connection } = open(test);
    const version = readDataVersion(connection);
    connection.run(writeCounter);
    connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    requireAlone(connection, version);
    place.withDatabase((database) => database.exec(writeCounter));
    assert.throws(() => requireAlone(connection, version), /reading or writing/);
  });
});

function openLog(test: TestContext): Connection {
  const connection = openWriter(makePlace(test).path, { parts });
  test.after(() => connection.close());
  connection.exec("CREATE TABLE kept (id INTEGER PRIMARY KEY, text TEXT)");
  connection.exec("CREATE TABLE other (id INTEGER PRIMARY KEY, text TEXT)");
  connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  return connection;
}

function rootOf(connection: Connection, table: string): number {
  const sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?";
  return connection.get<{ rootpage: number }>(sql, table)?.rootpage ?? 0;
}

describe("reading which pages the WAL holds", () => {
  it("returns what was written since an empty WAL, and then only what came after", (test) => {
    const connection = openLog(test);
    const { path } = connection;
    assert.deepEqual(readWalPages(path, emptyWalPosition), {
      position: emptyWalPosition,
      pages: [],
    });
    connection.run("INSERT INTO kept VALUES (1, 'a')");
    const first = readWalPages(path, emptyWalPosition);
    assert.deepEqual(first?.pages, [rootOf(connection, "kept")]);
    connection.run("INSERT INTO other VALUES (1, 'a')");
    assert.deepEqual(readWalPages(path, first.position)?.pages, [rootOf(connection, "other")]);
    assert.equal(readWalPages(path, emptyWalPosition)?.pages.length, 2);
  });

  it("fails when the WAL has restarted since", (test) => {
    const connection = openLog(test);
    connection.run("INSERT INTO kept VALUES (1, 'a')");
    const start = findWalStart(connection.path);
    connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    assert.equal(readWalPages(connection.path, start), undefined);
    connection.run("INSERT INTO other VALUES (1, 'a')");
    assert.equal(readWalPages(connection.path, start), undefined);
  });

  it("can include pages that are never committed, which the next transaction overwrites", (test) => {
    const connection = openLog(test);
    connection.exec("PRAGMA cache_size = 10; PRAGMA cache_spill = 10");
    connection.run("INSERT INTO other VALUES (1, 'a')");
    connection.run("BEGIN");
    const text = "x".repeat(3_000);
    for (let count = 0; count < 400; count += 1) {
      connection.run("INSERT INTO kept (text) VALUES (?)", text);
    }
    const spilled = readWalPages(connection.path, emptyWalPosition);
    assert.ok((spilled?.pages.length ?? 0) > 2, "nothing was written before the commit");
    connection.run("ROLLBACK");
    connection.run("INSERT INTO kept (text) VALUES ('a')");
    const committed = connection.get<{ log: number }>("PRAGMA wal_checkpoint(PASSIVE)")?.log ?? 0;
    assert.ok(
      committed < (spilled?.position.frames ?? 0),
      "everything that was written is committed",
    );
    const { generation } = findWalStart(connection.path);
    const since = readWalPages(connection.path, { generation, frames: committed - 1 });
    assert.ok(since?.pages.includes(rootOf(connection, "kept")));
  });
});
