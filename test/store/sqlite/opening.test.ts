// Opening an SQLite store: who can, who is refused and with which message, and what is on the disk afterwards. A disk
// that is full, or can't be written: what is rejected has no effect, what was accepted stays, and the store continues
// as soon as there is room again. A disk that dies below a store that is served: reads and writes are answered as
// unavailable, with the cause and what to do about it, and the process goes on.

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { openWriter } from "../../../src/store/sqlite/connection.ts";
import { writeOwnFile } from "../../../src/files/own-file.ts";
import { schemaVersion } from "../../../src/store/sql/migrations.ts";
import { StoreError } from "../../../src/store/interface/store-error.ts";
import { acme, keyOf, transaction } from "../../conformance/scene.ts";
import { runProgram } from "../../cli/program.ts";
import { makePlace } from "./place.ts";
import { openTestStore } from "../../support/test-store.ts";
import { storeParts as parts } from "../../../src/feature/parts.ts";
import { AppError } from "../../../src/domain/error.ts";
import type { RecordWrite } from "../../../src/domain/record/record-write.ts";
import type { Result } from "../../../src/store/sqlite/commit/job.ts";
import { migrate } from "../../../src/store/sqlite/migration/migrate.ts";
import { runJobs } from "../../../src/store/sqlite/commit/group-loop.ts";

describe("an SQLite store", () => {
  it("can be read by its owner only", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await store.add("transaction", "t");
    assert.equal(statSync(join(place.folder, "data")).mode & 0o777, 0o700);
    for (const suffix of ["", "-wal", "-shm", ".serving"]) {
      assert.equal(statSync(`${place.path}${suffix}`).mode & 0o777, 0o600, suffix);
    }
    writeOwnFile(`${place.path}.copy`, "");
    assert.equal(statSync(`${place.path}.copy`).mode & 0o777, 0o600);
  });

  it("syncs the WAL with each commit", (test) => {
    using connection = openWriter(makePlace(test).path, { parts });
    const full = 2;
    const set = connection.get<{ synchronous: number }>("PRAGMA synchronous");
    assert.equal(set?.synchronous, full);
  });

  it("keeps the mode of an existing folder", async (test) => {
    const place = makePlace(test);
    mkdirSync(join(place.folder, "data"));
    chmodSync(join(place.folder, "data"), 0o750);
    await place.open();
    assert.equal(statSync(join(place.folder, "data")).mode & 0o777, 0o750);
  });

  it("is served by one process at a time, and by the next as soon as the first has closed", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await assert.rejects(place.open(), (error) => {
      assert.ok(error instanceof StoreError);
      assert.match(error.message, /is being served by another process/);
      assert.ok(error.message.includes(place.path), error.message);
      return true;
    });
    await store.close();
    await (await place.open()).ping();
  });

  it("is open to commands while another process serves it", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    const command = await place.open({ role: "command" });
    await command.add("transaction", "from a command");
    assert.equal(await store.exists(keyOf("transaction", "from a command")), true);
    await store.requireConsistent();
  });

  it("lets a command write without blocking its thread", async (test) => {
    const place = makePlace(test);
    await (await place.open()).close();
    const command = await place.open({ role: "command", writesBeside: true });
    using other = new DatabaseSync(place.path);
    other.exec("BEGIN IMMEDIATE");
    const written = command.add("transaction", "waits");
    // The writer waits for the lock, which only this thread can release.
    await setImmediate();
    other.exec("COMMIT");
    await written;
    assert.equal(await command.exists(keyOf("transaction", "waits")), true);
    await command.requireConsistent();
  });

  it("is created once by several processes that start at the same time", async (test) => {
    const place = makePlace(test);
    const environment = { DATABASE_URL: `sqlite:${place.path}`, DATA_DIR: place.folder };
    const starts = [1, 2, 3].map(() => runProgram(["migrate"], environment));
    for (const { code, err } of await Promise.all(starts)) assert.equal(code, 0, err);
    await (await place.open()).requireConsistent();
  });

  it("returns interrupted deletions to the process that serves next, at once", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await store.add("transaction", "t");
    const id = await store.request(keyOf("transaction", "t"));
    assert.ok(await store.claim());
    assert.equal(await store.claim(), undefined);
    await store.close();
    const command = await place.open({ role: "command" });
    assert.equal(await command.claim(), undefined);
    await command.close();
    const next = await place.open();
    assert.equal((await next.claim())?.deletionRequestId, id);
  });
});

describe("opening an SQLite store is refused", () => {
  it("if it was written by a newer version", async (test) => {
    const place = makePlace(test);
    await (await place.open()).close();
    place.withDatabase((database) =>
      database.exec("UPDATE meta SET value = 999 WHERE name = 'schema_version'"),
    );
    for (const role of ["serve", "command"] as const) {
      await assert.rejects(place.open({ role }), (error) => {
        assert.ok(error instanceof StoreError);
        assert.match(error.message, /schema version 999/);
        assert.ok(error.message.includes(place.path), error.message);
        return true;
      });
    }
    place.withDatabase((database) => {
      const { value } = database.prepare("SELECT value FROM meta WHERE value = 999").get() ?? {};
      assert.equal(value, 999);
      database.exec(`UPDATE meta SET value = ${schemaVersion} WHERE name = 'schema_version'`);
    });
    await (await place.open()).ping();
  });

  it("if the file is another program's database, which stays unchanged", async (test) => {
    const place = makePlace(test);
    mkdirSync(join(place.folder, "data"));
    place.withDatabase((database) => database.exec("CREATE TABLE theirs (id)"));
    await assert.rejects(place.open(), /contains tables of another program/);
    place.withDatabase((database) => {
      const tables = database.prepare("SELECT name FROM sqlite_schema").all();
      assert.deepEqual(
        tables.map(({ name }) => name),
        ["theirs"],
      );
      const { journal_mode: mode } = database.prepare("PRAGMA journal_mode").get() ?? {};
      assert.equal(mode, "delete");
    });
  });

  it("if the file is not a database", async (test) => {
    const place = makePlace(test);
    mkdirSync(join(place.folder, "data"));
    writeFileSync(place.path, "This is the diary of a nobody. ".repeat(100));
    for (const role of ["serve", "command"] as const) {
      await assert.rejects(place.open({ role }), (error) => {
        assert.ok(error instanceof StoreError);
        assert.match(error.message, /can't be opened.*not an SQLite database/);
        return true;
      });
    }
  });

  it("if the folder can't be created", async (test) => {
    const place = makePlace(test);
    writeFileSync(join(place.folder, "data"), "a file in the way");
    for (const role of ["serve", "command"] as const) {
      await assert.rejects(place.open({ role }), (error) => {
        assert.ok(error instanceof StoreError);
        assert.match(error.message, /data is not a folder\. Name another path\.$/);
        return true;
      });
    }
  });

  it("for an engine that does not exist, without repeating the URL", async () => {
    await assert.rejects(
      openTestStore("mysql://user:secret@host/db", { role: "command" }),
      (error) => error instanceof StoreError && !error.message.includes("secret"),
    );
  });

  it("and leaves nothing open that would prevent the next from serving", async (test) => {
    const place = makePlace(test);
    mkdirSync(join(place.folder, "data"));
    const theirs = new DatabaseSync(place.path);
    theirs.exec("CREATE TABLE theirs (id)");
    await assert.rejects(place.open());
    theirs.exec("DROP TABLE theirs");
    theirs.close();
    await (await place.open()).ping();
  });
});

const filler = [{ key: "filler", value: "x".repeat(1_000), type: "STRING" }];

function large(id: string): RecordWrite {
  const drafts = [transaction(id, { additional_properties: filler })];
  const context = { organizationId: acme, resourceType: "transaction", receivedAt: 1 };
  return { ...context, mode: "add", lenient: false, drafts };
}

function accepted(results: readonly Result[]): readonly boolean[] {
  return results.map(({ ok }) => ok);
}

describe("a database that can't grow", () => {
  it("refuses what has no room, one write at a time, and continues when there is room", async (test) => {
    const place = makePlace(test);
    const connection = openWriter(place.path, { parts });
    test.after(() => connection.close());
    migrate(connection);
    const pages = connection.get<{ page_count: number }>("PRAGMA page_count")?.page_count ?? 0;
    connection.exec(`PRAGMA max_page_count = ${pages + 5}`);
    const group = Array.from({ length: 40 }, (_, index) => large(`t${index}`));
    const first = runJobs(connection, group);
    const stored = accepted(first).filter(Boolean).length;
    assert.ok(stored > 0 && stored < 40, `${stored} stored`);
    for (const result of first) {
      if (result.ok) continue;
      assert.ok(result.error instanceof AppError && result.error.errorName === "unavailable");
      assert.match(result.error.message, /^The disk of the service is full/);
      assert.equal((result.error.cause as { errcode?: number }).errcode, 13);
    }
    const count = connection.get<{ records: number }>("SELECT count(*) AS records FROM record");
    assert.equal(count?.records, stored);
    connection.exec("PRAGMA max_page_count = 100000");
    const again = runJobs(connection, group).map((result) =>
      result.ok ? (result.value as { drafts: string }).drafts : "failed",
    );
    assert.equal(again.filter((drafts) => drafts === "i").length, stored);
    assert.equal(again.filter((drafts) => drafts === "c").length, 40 - stored);
    const store = await place.open({ role: "command" });
    assert.deepEqual(await store.countRecords(acme), { transaction: 40 });
    await store.requireConsistent();
  });
});

function isUnavailable(error: unknown): boolean {
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.errorName, "unavailable");
  assert.match(String(error.cause), /file of the store can't be read or written: .*Check its disk/);
  return true;
}

describe("a store whose file can't be read any more", () => {
  it("answers reads and writes as unavailable, with the cause", async (test) => {
    const place = makePlace(test);
    const first = await place.open();
    for (let number = 0; number < 50; number += 1) await first.add("transaction", `t${number}`);
    await first.close();
    const store = await place.open();
    truncateSync(place.path, 4_096);
    await assert.rejects(store.findRecord(keyOf("transaction", "t1")), isUnavailable);
    await assert.rejects(store.countRecords(acme), isUnavailable);
    await assert.rejects(store.add("transaction", "new"), isUnavailable);
  });
});
