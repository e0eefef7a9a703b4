// Files that commands write in a shared folder: files that somebody planted under their names are
// neither followed, nor written to, nor trusted, and written files can be read by their owner only.

import assert from "node:assert/strict";
import { chmodSync, existsSync, lstatSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { createOwnFile, openOwnFile, temporaryName } from "../../src/files/own-file.ts";
import { assertPrecious, makePlace, modeOf } from "../support/planted-file.ts";
import { makeCommandLine } from "./command-line.ts";

const notRoot = process.geteuid?.() === 0 ? false : "needs root";
describe("a new file", () => {
  it("is readable by its owner only, and is created only where none exists", () => {
    const { place, victim } = makePlace();
    const path = join(place, "new");
    createOwnFile(path);
    assert.equal(modeOf(path), 0o600);
    assert.throws(() => createOwnFile(path), { code: "EEXIST" });
    const link = join(place, "link");
    symlinkSync(victim, link);
    assert.throws(() => createOwnFile(link), { code: "EEXIST" });
    symlinkSync(join(place, "nowhere"), join(place, "dangling"));
    assert.throws(() => createOwnFile(join(place, "dangling")), { code: "EEXIST" });
    assert.equal(existsSync(join(place, "nowhere")), false);
  });

  it("has another temporary name each time", () => {
    const names = new Set(Array.from({ length: 100 }, () => temporaryName("a", "part")));
    assert.equal(names.size, 100);
    for (const name of names) assert.match(name, /^a\.[0-9a-f]{12}\.part$/);
  });
});

describe("a file of an earlier run", () => {
  it("is opened, and is readable by its owner only once it is written to", () => {
    const { victim } = makePlace();
    openOwnFile(victim, "read");
    assert.equal(modeOf(victim), 0o644);
    openOwnFile(victim, "write");
    assert.equal(modeOf(victim), 0o600);
  });

  it("is not opened if it is a link, a folder or a pipe", () => {
    const { place, victim } = makePlace();
    const [link, pipe] = [join(place, "link"), join(place, "pipe")];
    symlinkSync(victim, link);
    execFileSync("mkfifo", [pipe]);
    for (const access of ["read", "write"] as const) {
      for (const path of [link, pipe, place]) {
        assert.throws(() => openOwnFile(path, access), Error, `${access} ${path}`);
      }
    }
    assertPrecious(victim);
  });

  it("is not opened if it belongs to another user", { skip: notRoot }, () => {
    const { victim } = makePlace();
    execFileSync("chown", ["65534", victim]);
    assert.throws(() => openOwnFile(victim, "write"), /belongs to another user/);
  });
});

describe("an export", () => {
  it("replaces a link, and a file that others can read, and follows no link", async () => {
    const line = makeCommandLine();
    await line.ask("organization create --name Acme --id acme");
    const { place, victim } = makePlace();
    const output = join(place, "out.ndjson");
    symlinkSync(victim, output);
    symlinkSync(victim, `${output}.unfinished`);
    const words = [
      "export",
      "transaction",
      "--organization",
      "acme",
      "--output",
      output,
      "--force",
    ];
    await line.ask(...words);
    assertPrecious(victim);
    assert.ok(lstatSync(output).isFile());
    assert.equal(modeOf(output), 0o600);
    chmodSync(output, 0o666);
    await line.ask(...words);
    assert.equal(modeOf(output), 0o600);
    assert.deepEqual(readdirSync(place).toSorted(), [
      "out.ndjson",
      "out.ndjson.unfinished",
      "victim",
    ]);
  });
});
