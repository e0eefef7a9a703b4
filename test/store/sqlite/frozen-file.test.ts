// A frozen file stays as it is whoever writes, in this process or another; and it is not frozen behind anybody's back.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it, type TestContext } from "node:test";
import { Connection, openWriter } from "../../../src/store/sqlite/connection.ts";
import {
  freezeFile,
  keepLog,
  readDataVersion,
  releaseFile,
  requireAlone,
} from "../../../src/store/sqlite/frozen-file.ts";
import { emptyLogPlace, findLogStart, readLogPages } from "../../../src/store/sqlite/log-pages.ts";
import { migrate } from "../../../src/store/sqlite/migrate.ts";
import { makePlace, type Place } from "./place.ts";

function open(test: TestContext): { place: Place; connection: Connection } {
  const place = makePlace(test);
  const connection = openWriter(place.path);
  test.after(() => {
    releaseFile(connection);
    connection.close();
  });
  migrate(connection);
  connection.exec("PRAGMA wal_autocheckpoint = 1");
  return { place, connection };
}

const writeCounter = "UPDATE counter SET value = value + 1";

describe("a frozen file", () => {
  it("stays as it is while others write, and has it all when it is released", (test) => {
    const { place, connection } = open(test);
    freezeFile(connection, { place: undefined });
    const before = readFileSync(place.path);
    for (let count = 0; count < 50; count += 1) connection.run(writeCounter);
    place.withDatabase((database) => {
      database.exec(writeCounter);
      database.exec("PRAGMA wal_checkpoint(PASSIVE)");
    });
    assert.deepEqual(readFileSync(place.path), before);
    assert.ok((readLogPages(place.path, emptyLogPlace)?.place.frames ?? 0) >= 51);
    releaseFile(connection);
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
      assert.throws(() => freezeFile(connection, { place: undefined }), /reading or writing/);
      reader.exec("COMMIT");
    });
    freezeFile(connection, { place: undefined });
  });

  it("tells of every page that was written since a place, also by others", (test) => {
    const { place, connection } = open(test);
    connection.exec("PRAGMA wal_autocheckpoint = 0");
    freezeFile(connection, { place: undefined });
    releaseFile(connection);
    connection.run(writeCounter);
    const start = findLogStart(place.path);
    keepLog(connection);
    connection.exec("PRAGMA wal_autocheckpoint = 1");
    for (let count = 0; count < 50; count += 1) connection.run(writeCounter);
    place.withDatabase((database) => database.exec("DELETE FROM meta WHERE name = 'x'"));
    place.withDatabase((database) => database.exec("INSERT INTO meta VALUES ('x', 1)"));
    const expected = readLogPages(place.path, start)?.pages;
    const part = freezeFile(connection, { place: start });
    assert.ok((part?.pages.length ?? 0) >= 2);
    assert.deepEqual(part?.pages, expected);
  });

  it("does not tell when the log has begun anew since that place", (test) => {
    const { place, connection } = open(test);
    connection.run(writeCounter);
    const start = findLogStart(place.path);
    connection.exec("PRAGMA wal_checkpoint(PASSIVE)");
    for (let count = 0; count < 5; count += 1) connection.run(writeCounter);
    assert.equal(freezeFile(connection, { place: start }), undefined);
  });
});

describe("having been alone", () => {
  it("is refused when another connection has written since, and only then", (test) => {
    const { place, connection } = open(test);
    const version = readDataVersion(connection);
    connection.run(writeCounter);
    connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    requireAlone(connection, version);
    place.withDatabase((database) => database.exec(writeCounter));
    assert.throws(() => requireAlone(connection, version), /reading or writing/);
  });
});
