// The mark of a store that was not closed: a copy of the file without its WAL is refused, and nothing that a crash
// leaves is.

import assert from "node:assert/strict";
import { copyFileSync, cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { backUpSqliteStore } from "../../../../src/store/sqlite/file/backup.ts";
import { copyBackup } from "../../../../src/store/sqlite/file/restore.ts";
import { openTestStore } from "../../../support/test-store.ts";
import { startChild } from "../child.ts";
import { makePlace, type Place } from "../place.ts";

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
    const child = await startChild(test, "serve", place.path);
    await child.ask("add", "t");
    await child.kill();
    const command = await openTestStore(`sqlite:${place.path}`, { role: "command" });
    await command.close();
    const again = await startChild(test, "serve", place.path);
    await again.ask("add", "u");
    await again.kill();
    assert.deepEqual(await (await place.open()).countRecords("org_acme"), { transaction: 2 });
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
