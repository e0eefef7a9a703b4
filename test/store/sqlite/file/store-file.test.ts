// The file of a store by another name than its own: its WAL and its lock must be the same for everybody.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { atEnd } from "../../../support/at-end.ts";
import { openTestStore } from "../../../support/test-store.ts";
import { makePlace } from "../place.ts";

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
