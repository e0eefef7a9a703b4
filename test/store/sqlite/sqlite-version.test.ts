// With which versions of SQLite a store is opened.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { canCorruptWal } from "../../../src/store/sqlite/sqlite-version.ts";
import { startProcess } from "../../cli/program.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

const bin = fileURLToPath(new URL("../../../bin/sluice.js", import.meta.url));

/** Makes SQLite report this version. */
function pretend(version: string): string {
  return (
    'data:text/javascript,import {DatabaseSync} from "node:sqlite";' +
    "const {prepare}=DatabaseSync.prototype;" +
    "DatabaseSync.prototype.prepare=function(sql){" +
    `return prepare.call(this,sql.replace("sqlite_version()","'${version}'"))}`
  );
}

describe("a version of SQLite", () => {
  it("is unsafe before 3.51.3", () => {
    const unsafe = ["3.7.0", "3.46.1", "3.50.7", "3.51.0", "3.51.2", "", "unknown"];
    const safe = ["3.51.3", "3.52.0", "3.53.4", "4.0.0"];
    assert.deepEqual([unsafe.filter(canCorruptWal), safe.filter(canCorruptWal)], [unsafe, []]);
  });

  it("that is unsafe opens no store, creates none, and the error names what is needed", async () => {
    const folder = join(makeTempFolder(), "data");
    const environment = { DATA_DIR: folder, DATABASE_URL: `sqlite:${folder}/sluice.db`, PORT: "0" };
    const words = [process.execPath, "--import", pretend("3.51.2"), bin];
    const { code, err } = await startProcess([...words, "migrate"], environment).ended;
    assert.equal(code, 1, err);
    assert.match(err, /SQLite 3\.51\.2.*Node 24\.15 .*25\.9/);
    assert.equal(existsSync(join(folder, "sluice.db-wal")), false);
  });
});
