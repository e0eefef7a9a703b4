// The file of a store by another name than its own: its WAL and its lock must be the same for everybody. The mark of a
// store that was not closed: a copy of the file without its WAL is refused, and nothing that a crash leaves is.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { atEnd } from "../../../support/at-end.ts";
import { openTestStore } from "../../../support/test-store.ts";
import { makePlace, type Place } from "../place.ts";
import { backUpSqliteStore } from "../../../../src/store/sqlite/file/backup.ts";
import { copyBackup } from "../../../../src/store/sqlite/file/restore.ts";
import { tryServingRight } from "../../../../src/store/sqlite/file/file-lock.ts";
import { startServerProcess } from "../../../support/server-process.ts";

const storeFile = new URL("../../../../src/store/sqlite/file/store-file.ts", import.meta.url);

describe("a store that a symbolic link names", () => {
  it("completes deletions, and nobody else can serve it by its own name", async (test) => {
    const place = makePlace(test);
    await (await place.open()).close();
    const link = join(place.folder, "link.db");
    symlinkSync(place.path, link);
    const store = await openTestStore(`sqlite:${link}`, { role: "serve" });
    atEnd(test, () => store.close());
    await store.add("transaction", "t");
    await store.erase("transaction", "t");
    await assert.rejects(place.open(), /is being served by another process/);
  });

  it("is made where the link points to, also by a link in a folder that is one", async (test) => {
    const place = makePlace(test);
    const folder = join(place.folder, "folder");
    mkdirSync(join(place.folder, "data"));
    symlinkSync("data", folder);
    symlinkSync("sluice.db", join(place.folder, "data", "link.db"));
    const link = `sqlite:${join(folder, "link.db")}`;
    const store = await openTestStore(link, { role: "serve" });
    atEnd(test, () => store.close());
    await store.add("transaction", "t");
    assert.ok(place.readFiles().has("sluice.db-wal"));
    await assert.rejects(place.open(), /is being served by another process/);
  });
});

describe("a store is not opened", () => {
  it("by one of two names of its file, which have different WALs", async (test) => {
    const place = makePlace(test);
    await (await place.open()).close();
    const other = join(place.folder, "other.db");
    linkSync(place.path, other);
    for (const role of ["serve", "command"] as const) {
      await assert.rejects(place.open({ role }), /has another name \(a hard link\)/);
    }
    rmSync(other);
    await (await place.open()).ping();
  });

  it("if only its file is mounted", { skip: canMount() ? false : "needs mounts" }, (test) => {
    const { folder } = makePlace(test);
    const [file, mounted] = [join(folder, "a file"), join(folder, "the store.db")];
    for (const path of [file, mounted]) writeFileSync(path, "");
    const read = `import { sizeOfStore } from ${JSON.stringify(storeFile.href)};
      try { sizeOfStore(${JSON.stringify(mounted)}); } catch (error) { console.log(error.message); }`;
    const node = [process.execPath, "--input-type=module", "-e", read];
    const run = (script: string) =>
      spawnSync("unshare", ["-rm", "sh", "-c", script, "sh", file, mounted, ...node], {
        encoding: "utf8",
      });
    assert.equal(run('shift 2; "$@"').stdout, "");
    const { stdout } = run('mount --bind "$1" "$2" && shift 2 && "$@"');
    assert.match(stdout, /the store\.db can't be opened: only this file is mounted/);
  });
});

function canMount(): boolean {
  return spawnSync("unshare", ["-rm", "true"]).status === 0;
}

const keyOfT = { organizationId: "org_acme", resourceType: "transaction", resourceId: "t" };

/** Copies the file alone, as it is now, to the place of another store. */
function copyAlone(from: Place, to: Place): void {
  cpSync(join(from.folder, "data"), join(to.folder, "data"), { recursive: true });
  for (const suffix of ["-wal", "-shm"]) rmSync(`${to.path}${suffix}`, { force: true });
}

describe("the file of a store that was copied without its WAL", () => {
  it("is refused, whether it was served or a command was writing to it", async (test) => {
    for (const role of ["serve", "command"] as const) {
      const [place, copy] = [makePlace(test), makePlace(test)];
      const store = await place.open({ role });
      await store.add("transaction", "t");
      copyAlone(place, copy);
      for (const next of ["serve", "command"] as const) {
        await assert.rejects(copy.open({ role: next }), /copied or moved without its WAL/);
      }
      copyFileSync(`${place.path}-wal`, `${copy.path}-wal`);
      assert.ok(await (await copy.open()).exists(keyOfT));
    }
  });

  it("is restored only if the operator accepts the loss", async (test) => {
    const [place, copy, target] = [makePlace(test), makePlace(test), makePlace(test)];
    const store = await place.open();
    await store.add("transaction", "t");
    copyAlone(place, copy);
    await (await target.open()).close();
    const options = { file: copy.path, replace: true };
    assert.throws(() => copyBackup(target.path, options), /copied without its WAL/);
    using restored = copyBackup(target.path, { ...options, incomplete: true });
    restored.putInPlace();
    await (await target.open({ role: "command", restoring: true })).ping();
  });
});

describe("a store opens", () => {
  it("after it was closed, with no other file", async (test) => {
    const [place, copy] = [makePlace(test), makePlace(test)];
    const store = await place.open();
    await store.add("transaction", "t");
    const command = await place.open({ role: "command" });
    await command.add("transaction", "u");
    await command.close();
    await store.close();
    const next = await place.open({ role: "command" });
    await next.add("transaction", "v");
    await next.close();
    copyAlone(place, copy);
    assert.deepEqual(await (await copy.open()).countRecords("org_acme"), { transaction: 3 });
  });

  it("after its process was killed and a command has used what it left", async (test) => {
    const place = makePlace(test);
    const environment = { DATABASE_URL: `sqlite:${place.path}`, DATA_DIR: place.folder, PORT: "0" };
    const first = await startServerProcess({ ...environment, NODE_ENV: "development" });
    await first.end("SIGKILL");
    await (await place.open({ role: "command" })).close();
    const second = await startServerProcess(environment);
    await second.end("SIGKILL");
    assert.equal((await (await place.open()).listOrganizations()).length, 1);
  });

  it("after a command has ended beside a process that was about to serve it", async (test) => {
    const place = makePlace(test);
    await (await place.open()).close();
    const right = tryServingRight(place.path);
    const command = await place.open({ role: "command" });
    await command.add("transaction", "t");
    await command.close();
    right?.release();
    assert.ok(await (await place.open()).exists(keyOfT));
  });

  it("from all files of any moment, as a power cut leaves them", async (test) => {
    const [place, cut] = [makePlace(test), makePlace(test)];
    const store = await place.open();
    for (const id of ["t", "u", "v"]) {
      await store.add("transaction", id);
      rmSync(join(cut.folder, "data"), { recursive: true, force: true });
      cpSync(join(place.folder, "data"), join(cut.folder, "data"), { recursive: true });
      const found = await cut.open({ role: id === "u" ? "command" : "serve" });
      assert.ok(await found.exists({ ...keyOfT, resourceId: id }));
      await found.close();
      await (await cut.open()).close();
    }
  });

  it("as a backup that was put in its place by hand", async (test) => {
    const [place, copy] = [makePlace(test), makePlace(test)];
    const store = await place.open();
    await store.add("transaction", "t");
    const file = join(copy.folder, "backup.db");
    await backUpSqliteStore(place.path, { file, unfinished: `${file}.unfinished` });
    const restored = await openTestStore(`sqlite:${file}`, { role: "command" });
    assert.ok(await restored.exists(keyOfT));
    await restored.close();
  });
});
