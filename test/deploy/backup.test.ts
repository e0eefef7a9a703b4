// The round of a backup schedule on a real store: what it writes, what it removes, and when it fails.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { root } from "../repository/tree.ts";
import { programEnvironment } from "../support/compiled.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const program = join(root, "deploy/backup/backup.js");

describe("a round of the backup schedule", () => {
  const folder = makeTempFolder();
  const environment = { DATA_DIR: join(folder, "data"), LOG_LEVEL: "warn" };

  const run = (words: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const env = { ...programEnvironment(), ...environment, ...more };
    const { status, stdout, stderr } = spawnSync(process.execPath, words, {
      env,
      encoding: "utf8",
    });
    return { status, out: stdout, err: stderr };
  };

  before(() => {
    const words = ["organization", "create", "--name", "Acme", "--id", "acme"];
    const { status, err } = run([join(root, "bin/sluice.js"), ...words]);
    assert.equal(status, 0, err);
  });

  it("writes a copy that can be restored and the receipts, and removes only its own old files", () => {
    const to = join(folder, "copies");
    mkdirSync(to);
    const old = ["sluice-20200101T000000Z.db", "receipts-20200101T000000Z.ndjson"];
    const others = ["sluice-20200101.db", "notes.txt", "sluice-20990101T000000Z.db"];
    for (const name of [...old, ...others]) writeFileSync(join(to, name), "");
    const { status, out, err } = run([
      program,
      "--to",
      to,
      "--keep-days",
      "7",
      "--keep-copies",
      "1",
    ]);
    assert.equal(status, 0, err);
    const { written, removed } = JSON.parse(out) as Record<"written" | "removed", string[]>;
    assert.deepEqual(removed.sort(), old.map((name) => join(to, name)).sort());
    assert.deepEqual(
      readdirSync(to)
        .map((name) => join(to, name))
        .sort(),
      [...others.map((name) => join(to, name)), ...written].sort(),
    );
    for (const path of written) assert.equal(statSync(path).mode & 0o077, 0, path);

    const copy = written.find((path) => path.endsWith(".db")) ?? "";
    const restored = { DATA_DIR: join(folder, "restored") };
    const restoring = run([join(root, "bin/sluice.js"), "restore", copy], restored);
    assert.equal(restoring.status, 0, restoring.err);
    const shown = run([join(root, "bin/sluice.js"), "organization", "show", "acme"], restored);
    assert.equal(shown.status, 0, shown.err);
  });

  it("removes at most the two oldest copies in a round, however old the clock makes all of them", () => {
    const to = join(folder, "newest");
    mkdirSync(to);
    const old = Array.from({ length: 20 }, (_, day) => `sluice-202001${day + 10}T000000Z.db`);
    for (const name of old) writeFileSync(join(to, name), "");
    const { status, out, err } = run([program, "--to", to]);
    assert.equal(status, 0, err);
    const { removed } = JSON.parse(out) as Record<"removed", string[]>;
    assert.deepEqual(
      removed.sort(),
      old.slice(0, 2).map((name) => join(to, name)),
    );
  });

  it("keeps the newest copies, however old the clock makes all of them", () => {
    const to = join(folder, "few");
    mkdirSync(to);
    const old = ["10", "11", "12"].map((day) => join(to, `sluice-202001${day}T000000Z.db`));
    for (const path of old) writeFileSync(path, "");
    const { status, out, err } = run([program, "--to", to, "--keep-copies", "3"]);
    assert.equal(status, 0, err);
    assert.deepEqual((JSON.parse(out) as Record<"removed", string[]>).removed, old.slice(0, 1));
  });

  it("removes nothing where no copy could be made", () => {
    const to = join(folder, "kept");
    mkdirSync(to);
    writeFileSync(join(to, "sluice-20200101T000000Z.db"), "");
    const { status, err } = run([program, "--to", to], { DATA_DIR: join(folder, "nowhere") });
    assert.equal(status, 1);
    assert.match(err, /backup: sluice backup failed with 1/);
    assert.deepEqual(readdirSync(to), ["sluice-20200101T000000Z.db"]);
  });

  const faulty: readonly (readonly [what: string, words: readonly string[], message: RegExp])[] = [
    ["no folder", [], /name a folder with --to/],
    ["a folder that does not exist", ["--to", "nowhere"], /nowhere does not exist/],
    ["a number of days that is none", ["--to", ".", "--keep-days", "-1"], /'--keep-days'|must be/],
    ["to keep no copy", ["--to", ".", "--keep-copies", "0"], /--keep-copies must be/],
    ["a service that is not there", ["--to", ".", "--sluice", "no.js"], /no\.js does not exist/],
    ["an unknown option", ["--too", "."], /Unknown option '--too'/],
  ];
  for (const [what, words, message] of faulty) {
    it(`refuses ${what}`, () => {
      const { status, err } = run([program, ...words]);
      assert.equal(status, 2);
      assert.match(err, message);
    });
  }
});
