// Which pages the log holds, against what SQLite itself wrote there; and when that can't be known any more.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { Connection, openWriter } from "../../../src/store/sqlite/connection.ts";
import { emptyLogPlace, findLogStart, readLogPages } from "../../../src/store/sqlite/log-pages.ts";
import { makePlace } from "./place.ts";

function openLog(test: TestContext): Connection {
  const connection = openWriter(makePlace(test).path);
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

describe("reading which pages the log holds", () => {
  it("gives what was written since an empty log, and then only what came after", (test) => {
    const connection = openLog(test);
    const { path } = connection;
    assert.deepEqual(readLogPages(path, emptyLogPlace), { place: emptyLogPlace, pages: [] });
    connection.run("INSERT INTO kept VALUES (1, 'a')");
    const first = readLogPages(path, emptyLogPlace);
    assert.deepEqual(first?.pages, [rootOf(connection, "kept")]);
    connection.run("INSERT INTO other VALUES (1, 'a')");
    assert.deepEqual(readLogPages(path, first.place)?.pages, [rootOf(connection, "other")]);
    assert.equal(readLogPages(path, emptyLogPlace)?.pages.length, 2);
  });

  it("reads on where the log was only brought into the file", (test) => {
    const connection = openLog(test);
    connection.run("INSERT INTO kept VALUES (1, 'a')");
    const start = findLogStart(connection.path);
    connection.exec("PRAGMA wal_checkpoint(PASSIVE)");
    assert.deepEqual(readLogPages(connection.path, start)?.pages, [rootOf(connection, "kept")]);
  });

  it("does not know what came when the log has begun anew since", (test) => {
    const connection = openLog(test);
    connection.run("INSERT INTO kept VALUES (1, 'a')");
    const start = findLogStart(connection.path);
    connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    assert.equal(readLogPages(connection.path, start), undefined);
    connection.run("INSERT INTO other VALUES (1, 'a')");
    assert.equal(readLogPages(connection.path, start), undefined);
  });

  it("may give what is never committed, which the next transaction writes over", (test) => {
    const connection = openLog(test);
    connection.exec("PRAGMA cache_size = 10; PRAGMA cache_spill = 10");
    connection.run("INSERT INTO other VALUES (1, 'a')");
    connection.run("BEGIN");
    const text = "x".repeat(3_000);
    for (let count = 0; count < 400; count += 1) {
      connection.run("INSERT INTO kept (text) VALUES (?)", text);
    }
    const spilled = readLogPages(connection.path, emptyLogPlace);
    assert.ok((spilled?.pages.length ?? 0) > 2, "nothing was written before the commit");
    connection.run("ROLLBACK");
    connection.run("INSERT INTO kept (text) VALUES ('a')");
    const committed = connection.get<{ log: number }>("PRAGMA wal_checkpoint(PASSIVE)")?.log ?? 0;
    assert.ok(committed < (spilled?.place.frames ?? 0), "all that was written is committed");
    const { generation } = findLogStart(connection.path);
    const since = readLogPages(connection.path, { generation, frames: committed - 1 });
    assert.ok(since?.pages.includes(rootOf(connection, "kept")));
  });

  it("gives the pages of many frames, in any number of parts", (test) => {
    const connection = openLog(test);
    const wanted = new Set<number>();
    let place = emptyLogPlace;
    const pages = new Set<number>();
    for (let count = 0; count < 700; count += 1) {
      connection.run("INSERT INTO kept (text) VALUES (?)", "x".repeat(count * 3));
      if (count % 90 !== 89) continue;
      const part = readLogPages(connection.path, place);
      assert.ok(part);
      place = part.place;
      for (const page of part.pages) pages.add(page);
    }
    for (const page of readLogPages(connection.path, emptyLogPlace)?.pages ?? []) wanted.add(page);
    for (const page of readLogPages(connection.path, place)?.pages ?? []) pages.add(page);
    assert.ok(wanted.size > 200);
    assert.deepEqual([...pages].toSorted(compare), [...wanted].toSorted(compare));
  });
});

function compare(one: number, other: number): number {
  return one - other;
}
