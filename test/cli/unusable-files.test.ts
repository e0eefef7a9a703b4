// Files that can't be used: the error names the file, the cause and what to do. And a restore on a new disk that was
// killed: nothing makes an empty store in its place.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { platform } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { runAndKill } from "../crash/restore/shim.ts";
import { hasSmallDisks, onSmallDisk } from "../support/small-disk.ts";
import { testEnvironment } from "../support/service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeCommandLine } from "./command-line.ts";
import { runProgram, startProcess } from "./program.ts";

const bin = fileURLToPath(new URL("../../bin/sluice.js", import.meta.url));
const mounting = hasSmallDisks() ? {} : { skip: "needs the right to mount a file system" };

const pageBytes = 4_096;

/** Runs a script of the shell, in which `sluice` is the command, on an empty disk at that folder. */
async function runOnDisk(folder: string, script: string, environment: Record<string, string>) {
  const sluice = `sluice() { "${process.execPath}" "${bin}" "$@"; }\n`;
  const words = [...onSmallDisk(folder, { mebibytes: 8 }), "sh", "-c", sluice + script];
  return startProcess(words, environment).ended;
}

describe("a file that can't be used", () => {
  it("is named where it is a lock that something has written to", async () => {
    const line = makeCommandLine();
    await line.ask("migrate");
    const path = join(line.folder, "sluice.db.serving");
    writeFileSync(path, "garbage");
    const { code, err } = await runProgram(["serve"], line.environment);
    assert.equal(code, 1);
    assert.ok(err.includes(`The lock file ${path} can't be used: it is not empty`), err);
    assert.match(err, /remove the file\.$/m);
  });

  it("is refused as a backup, in words that are not those of SQLite", async () => {
    const line = makeCommandLine();
    await line.ask("organization create --name one --id one");
    const backup = join(line.folder, "backup.db");
    await line.ask("backup", backup);
    const bytes = readFileSync(backup);
    for (const [name, content] of [
      ["text", "hello"],
      ["empty", ""],
      ["cut", bytes.subarray(0, bytes.length / 2)],
    ] as const) {
      const path = join(line.folder, name);
      writeFileSync(path, content);
      const { message } = await line.fail("restore", path, "--replace");
      assert.match(message, /^\S+ is not a backup of a store, or it is damaged/, name);
      assert.doesNotMatch(message, /SQLite|database|table|schema \(/, name);
    }
    const { message } = await line.fail("restore", line.folder, "--replace");
    assert.match(message, /^\S+ is a folder, not a backup/);
    writeFileSync(backup, bytes.fill(255, 2 * pageBytes, 3 * pageBytes));
    const damaged = await line.fail("restore", backup, "--replace");
    assert.match(damaged.message, /^The backup \S+ is damaged: parts of it were changed/);
  });

  it("is named where it is a damaged store, by commands and by a service, with what to do", async () => {
    const line = makeCommandLine();
    await line.ask("organization create --name one --id one");
    const file = join(line.folder, "sluice.db");
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(255, 3 * pageBytes, 30 * pageBytes));
    for (const [words, expected] of [
      ["check", "store"],
      ["organization list", "store"],
      [`backup ${line.folder}/b.db`, "backup"],
      ["serve", "serve"],
    ] as const) {
      const { code, name, message } = await line.fail(...words.split(" "));
      assert.deepEqual([code, name], [1, expected]);
      assert.match(message, /sluice\.db is damaged: .*restore the newest backup/, words);
    }
  });

  it("is named where its file system is read-only", mounting, async () => {
    const folder = join(makeTempFolder(), "disk");
    mkdirSync(folder);
    const script = `sluice migrate 2>/dev/null && mount -o remount,ro ${folder} && ! sluice serve && ! sluice check && sluice key list`;
    const { code, err } = await runOnDisk(folder, script, testEnvironment(folder));
    assert.equal(code, 1);
    const messages = err.trim().split("\n");
    assert.equal(messages.length, 3, err);
    for (const message of messages) {
      assert.match(message, /sluice\.db is on a read-only file system\. Mount it for writing/);
    }
  });

  it("is named where it is the ledger, and its disk is full", mounting, async () => {
    const folder = join(makeTempFolder(), "disk");
    mkdirSync(folder);
    const apart = join(makeTempFolder(), "sluice.db");
    const environment = { ...testEnvironment(folder), DATABASE_URL: `sqlite:${apart}` };
    const fill = `dd if=/dev/zero of=${folder}/filler bs=1k 2>/dev/null`;
    const script = `sluice migrate >/dev/null; ${fill}; sluice organization create --name one`;
    const { code, err } = await runOnDisk(folder, script, environment);
    assert.equal(code, 1);
    assert.match(
      err,
      /ledger of deletions \S+\.ndjson can't be written: ENOSPC.* Free space on its/,
    );
  });
});

const onLinux =
  platform() === "linux" ? {} : { skip: "needs Linux, which the library kill-at is for" };

describe("a restore on a new disk that was killed", onLinux, () => {
  it("is continued by a restore, and by nothing else", async () => {
    const line = makeCommandLine();
    await line.ask("organization create --name one --id one");
    const file = join(makeTempFolder(), "backup.db");
    await line.ask("backup", file);
    const words = ["restore", file];
    let unrestored = 0;
    for (let at = 1, killed = true; killed; at += 12) {
      const folder = join(makeTempFolder(), "data");
      const fresh = makeCommandLine({ folder });
      ({ killed } = await runAndKill({ words, environment: fresh.environment, folder }, at));
      const store = join(folder, "sluice.db");
      const isBegun = existsSync(`${store}.restoring`);
      if (existsSync(store) || !isBegun) continue;
      unrestored += 1;
      for (const command of ["migrate", "key list"]) {
        const { message } = await fresh.fail(command);
        assert.match(message, /a restore of it was interrupted.*Run `npx sluice restore` again/);
      }
      assert.equal(existsSync(store), false);
      await fresh.ask("restore", file);
      assert.equal((await fresh.ask("organization show one"))["organization_id"], "one");
      assert.equal(existsSync(`${store}.restoring`), false);
    }
    assert.ok(unrestored > 2, `${unrestored}`);
  });
});
