// Opening an SQLite store: who can, who is refused and with which message, and what is on the disk
// afterwards.

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { openWriter } from "../../../src/store/sqlite/connection.ts";
import { makeNewPrivateFile } from "../../../src/store/sqlite/file/private-file.ts";
import { schemaVersion } from "../../../src/store/sql/migrations.ts";
import { StoreError } from "../../../src/store/interface/store-error.ts";
import { keyOf } from "../../conformance/scene.ts";
import { startChild } from "./child.ts";
import { makePlace } from "./place.ts";
import { openTestStore } from "../../support/test-store.ts";
import { storeParts as parts } from "../../../src/feature/parts.ts";

describe("an SQLite store", () => {
  it("can be read by its owner only", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await store.add("transaction", "t");
    assert.equal(statSync(join(place.folder, "data")).mode & 0o777, 0o700);
    for (const suffix of ["", "-wal", "-shm", ".serving"]) {
      assert.equal(statSync(`${place.path}${suffix}`).mode & 0o777, 0o600, suffix);
    }
    makeNewPrivateFile(`${place.path}.copy`);
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

  it("is not served by a second process, and is again when the first one is killed", async (test) => {
    const place = makePlace(test);
    const child = await startChild(test, "serve", place.path);
    await assert.rejects(place.open(), /is being served by another process/);
    await child.kill();
    await (await place.open()).ping();
  });

  it("is open to commands while another process serves it", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    const command = await place.open({ role: "command" });
    await command.add("transaction", "from a command");
    assert.equal(await store.exists(keyOf("transaction", "from a command")), true);
    const child = await startChild(test, "command", place.path);
    await child.ask("add", "from a process");
    await child.end();
    assert.equal(await store.exists(keyOf("transaction", "from a process")), true);
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
    const children = await Promise.all(
      Array.from({ length: 4 }, () => startChild(test, "command", place.path)),
    );
    await Promise.all(children.map((child, index) => child.ask("add", `t${index}`)));
    await Promise.all(children.map((child) => child.end()));
    const store = await place.open();
    assert.deepEqual(await store.countRecords("org_acme"), { transaction: 4 });
    await store.requireConsistent();
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

  it("needs no checkpoint to be complete: the WAL is checkpointed when it is closed", async (test) => {
    const place = makePlace(test);
    const store = await place.open();
    await store.add("transaction", "t");
    await store.close();
    assert.deepEqual([...place.readFiles().keys()].sort(), ["sluice.db", "sluice.db.serving"]);
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

  it(
    "at once where no folder can be created, as in /proc",
    { skip: existsSync("/proc/self") ? false : "needs /proc" },
    async () => {
      for (const role of ["serve", "command"] as const) {
        await assert.rejects(openTestStore("sqlite:/proc/x/y.db", { role }), (error) => {
          assert.ok(error instanceof StoreError);
          assert.match(error.message, /^The folder \/proc\/x can't be created: /);
          return true;
        });
      }
    },
  );

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
