// A file with frozen checkpoints does not change whoever writes, in this process or another; and it
// can't be frozen unnoticed.

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

  it("does not report when the WAL has restarted since that position", (test) => {
    const { place, connection } = open(test);
    connection.run(writeCounter);
    const start = findWalStart(place.path);
    connection.exec("PRAGMA wal_checkpoint(PASSIVE)");
    for (let count = 0; count < 5; count += 1) connection.run(writeCounter);
    assert.equal(freezeCheckpoints(connection, { position: start }), undefined);
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
