// Files that commands write: none replaces an existing file unless it is told to, and none creates
// folders.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { makeCommandLine } from "../command-line.ts";

const line = makeCommandLine();
const exporting = ["export", "transaction", "--organization", "acme", "--output"];

before(() => line.ask("organization create --name Acme --id acme"));

const commands: readonly (readonly [name: string, words: readonly string[], ending: string])[] = [
  ["backup", ["backup"], "db"],
  ["export", exporting, "ndjson"],
];

for (const [name, words, ending] of commands) {
  describe(`the file of ${name}`, () => {
    const fail = line.fail.bind(line, ...words);

    it("is not written if it exists, and the existing file is unchanged", async () => {
      const path = join(makeTempFolder(), `there.${ending}`);
      writeFileSync(path, "before");
      assert.match((await fail(path)).message, /there\.\w+ exists already\. Name another file, /);
      assert.equal(readFileSync(path, "utf8"), "before");
    });

    it("is not written in place of a link, even one without a target", async () => {
      const folder = makeTempFolder();
      const path = join(folder, `link.${ending}`);
      symlinkSync(join(folder, "nowhere"), path);
      assert.match((await fail(path)).message, /exists already/);
      assert.deepEqual(readdirSync(folder), [`link.${ending}`]);
    });

    it("is not written if its folder is missing, which is not created", async () => {
      const folder = makeTempFolder();
      const { code, name: kind, message } = await fail(join(folder, "not/mounted", `x.${ending}`));
      assert.deepEqual({ code, kind }, { code: 1, kind: "output" });
      assert.match(message, /the folder \S*\/not\/mounted does not exist/);
      assert.deepEqual(readdirSync(folder), []);
    });

    it("is not written in place of a folder, or below a file", async () => {
      const folder = makeTempFolder();
      const path = join(folder, `folder.${ending}`);
      mkdirSync(path);
      assert.match((await fail(path)).message, /it is a folder\.$/);
      writeFileSync(join(folder, "file"), "");
      const below = await fail(join(folder, "file", `x.${ending}`));
      assert.match(below.message, /file is not a folder\. Name another path\.$/);
      assert.deepEqual(readdirSync(folder).sort(), ["file", `folder.${ending}`]);
    });
  });
}

describe("export", () => {
  it("replaces a file with --force", async () => {
    const path = join(makeTempFolder(), "there.ndjson");
    writeFileSync(path, "before");
    await line.ask(...exporting, path, "--force");
    assert.match(readFileSync(path, "utf8"), /^\{"sluice_manifest".*\n$/);
  });

  it("does not replace a device, not even with --force", async () => {
    const words = [...exporting, "/dev/null", "--format", "csv", "--force"];
    assert.match((await line.fail(...words)).message, /\/dev\/null can't be written: it is not a/);
  });

  it("takes the format from the name, and requires it if the name does not determine it", async () => {
    const folder = makeTempFolder();
    const told = { "a.jsonl": "ndjson", "a.NDJSON.gz": "ndjson", "a.csv.zst": "csv" };
    for (const [name, format] of Object.entries(told)) {
      assert.equal((await line.ask(...exporting, join(folder, name)))["format"], format);
    }
    for (const name of ["a.xlsx", "a.json", "a", "a.gz", "a.tsv", "csv", ".csv/a", "a.toString"]) {
      const { code, name: kind, message } = await line.fail(...exporting, join(folder, name));
      assert.deepEqual({ code, kind }, { code: 2, kind: "usage" }, name);
      assert.match(message, /does not say which format to write\. End it in \.ndjson, .*--format/);
    }
    const given = await line.ask(...exporting, join(folder, "a.xlsx"), "--format", "csv");
    assert.equal(given["format"], "csv");
  });
});
