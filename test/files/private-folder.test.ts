// Folders that are created for the store, and the errors where none can be created.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { FileError } from "../../src/files/file-error.ts";
import { makePrivateFolder } from "../../src/files/private-folder.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const noProc = existsSync("/proc/self") ? false : "needs /proc";

describe("a private folder", () => {
  it("is created with its parents, readable by its owner only, and is left unchanged the second time", () => {
    const top = makeTempFolder();
    const path = join(top, "a", "b", "c");
    makePrivateFolder(path);
    for (const folder of [path, join(top, "a", "b"), join(top, "a")]) {
      assert.equal(statSync(folder).mode & 0o777, 0o700);
    }
    makePrivateFolder(path);
  });

  it("can be a link to a folder", () => {
    const top = makeTempFolder();
    mkdirSync(join(top, "real"));
    symlinkSync(join(top, "real"), join(top, "link"));
    makePrivateFolder(join(top, "link", "inner"));
    assert.ok(existsSync(join(top, "real", "inner")));
  });

  it("is refused at once where the system creates none", { skip: noProc }, () => {
    assert.throws(
      () => makePrivateFolder("/proc/none/data"),
      (error) => {
        assert.ok(error instanceof FileError);
        assert.match(error.message, /^The folder \/proc\/none can't be created: .*\.$/);
        return true;
      },
    );
  });

  it("is refused below a file, which is named", () => {
    const file = join(makeTempFolder(), "file");
    writeFileSync(file, "");
    for (const path of [file, join(file, "a"), join(file, "a", "b")]) {
      assert.throws(() => makePrivateFolder(path), {
        name: "FileError",
        message: /file is not a folder\. Name another path\.$/,
      });
    }
  });

  it("is refused through a link that leads to itself, or to nothing", () => {
    const top = makeTempFolder();
    symlinkSync(join(top, "loop"), join(top, "loop"));
    symlinkSync(join(top, "gone", "away"), join(top, "dangling"));
    for (const name of ["loop", "dangling"]) {
      assert.throws(() => makePrivateFolder(join(top, name, "a")), { name: "FileError" }, name);
    }
    assert.equal(existsSync(join(top, "gone")), false);
  });
});
