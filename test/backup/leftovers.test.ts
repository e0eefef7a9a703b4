// What killed commands leave is removed by the next one, and nothing else is: not what somebody is still writing, and
// no file of the user's. What is in the data folder and does not belong to Sluice is listed by the check.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { noteUnfinished, removeUnfinished } from "../../src/data-folder/unfinished-files.ts";
import { type CommandLine, makeCommandLine } from "../cli/command-line.ts";
import { runProgram, startProgram } from "../cli/program.ts";
import { acme, organization, operator, transaction } from "../conformance/scene.ts";
import { operate, startServer } from "../support/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";
import { withActs } from "../support/test-store.ts";

function makeLine(): CommandLine & { readonly apart: string } {
  const [folder, apart] = [makeTempFolder(), makeTempFolder()];
  return { ...makeCommandLine({ folder }), apart };
}

const restoring = ["", "-wal", "-shm", "-journal"].map((suffix) => `sluice.db.restoring${suffix}`);

function leaveRestore(folder: string): void {
  for (const name of restoring) writeFileSync(join(folder, name), "records that are erased later");
}

describe("what a killed restore leaves", () => {
  it("is removed by the next command, whichever it is", async () => {
    const line = makeLine();
    await line.ask("migrate");
    for (const words of ["organization list", "check", "key list", "deletion holds"]) {
      leaveRestore(line.folder);
      await line.ask(words);
      for (const name of restoring) assert.ok(!existsSync(join(line.folder, name)), words);
    }
  });

  it("is removed if only its lock is left", async () => {
    const line = makeLine();
    await line.ask("migrate");
    const lock = join(line.folder, "sluice.db.restoring.serving");
    writeFileSync(lock, "");
    await line.ask("organization list");
    assert.ok(!existsSync(lock));
  });

  it("is removed by a server that starts, and left alone while one serves", async () => {
    const line = makeLine();
    await line.ask("migrate");
    leaveRestore(line.folder);
    const server = await startServer({ folder: line.folder });
    try {
      for (const name of restoring) assert.ok(!existsSync(join(line.folder, name)));
      // The process that holds the server's lock may be restoring.
      leaveRestore(line.folder);
      await line.ask("organization list");
      for (const name of restoring) assert.ok(existsSync(join(line.folder, name)));
    } finally {
      await server.stop();
    }
  });
});

describe("an unfinished file", () => {
  it("is removed when its process has ended, with a message", async () => {
    const line = makeLine();
    await operate(line.environment, async ({ store }) => {
      await store.createOrganization(organization(acme), operator);
      for (let from = 0; from < 60_000; from += 5_000) {
        const ids = Array.from({ length: 5_000 }, (_, index) => `t${from + index}`);
        await withActs(store).write(ids.map((id) => transaction(id)));
      }
    });
    const mine = join(line.apart, "backup.db.part");
    writeFileSync(mine, "the user's own");
    const words = [
      ["backup", join(line.apart, "backup.db")],
      ["export", "transaction", "--organization", acme, "--output", join(line.apart, "out.csv")],
    ];
    for (const command of words) {
      const { child, ended } = startProgram(command, line.environment);
      await waitFor("the file to be begun", () =>
        readdirSync(line.apart).some((name) => name.endsWith(".unfinished")),
      );
      child.kill("SIGKILL");
      assert.equal((await ended).code, -1);
      assert.ok(readdirSync(line.apart).length > 1);
      const { err } = await line.type("organization list");
      assert.match(
        err,
        /^Removed .*\.unfinished(?:-journal)?, left behind by a command that was killed\.$/m,
      );
      assert.deepEqual(readdirSync(line.apart), ["backup.db.part"]);
    }
    assert.deepEqual(
      readdirSync(line.folder).filter((name) => name.startsWith("unfinished-")),
      [],
    );
  });

  it("is removed when a rotation of the key for receipts was killed before the key was replaced", async () => {
    const line = makeLine();
    const { folder, environment } = line;
    await line.ask("migrate");
    const dying =
      'import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module";' +
      'fs.renameSync = () => process.kill(process.pid, "SIGKILL"); syncBuiltinESMExports();';
    const dies = `--import=data:text/javascript,${encodeURIComponent(dying)}`;
    const { code } = await runProgram(["receipt", "rotate"], {
      ...environment,
      NODE_OPTIONS: dies,
    });
    assert.equal(code, -1);
    const keys = () => readdirSync(folder).filter((name) => name.includes(".pem."));
    assert.equal(keys().length, 1);
    assert.match((await line.type("organization list")).err, /^Removed .*\.pem\..*\.unfinished,/m);
    assert.deepEqual(keys(), []);
  });

  it("is left alone while its process runs", async () => {
    const { folder, apart } = makeLine();
    const unfinished = await noteUnfinished(folder, join(apart, "backup.db"));
    const { path } = unfinished;
    writeFileSync(path, "half of it");
    assert.deepEqual(await removeUnfinished(folder), []);
    assert.ok(existsSync(path));
    await unfinished[Symbol.asyncDispose]();
    rmSync(path);
    assert.deepEqual(await removeUnfinished(folder), []);
    assert.deepEqual(readdirSync(folder), ["unfinished.lock"]);
  });

  it("is never a file under another name, whatever a note says", async () => {
    const { folder, apart } = makeLine();
    const path = join(apart, "important.db");
    writeFileSync(path, "mine");
    for (const note of [JSON.stringify({ path }), "{", '{"path":5}', ""]) {
      writeFileSync(join(folder, "unfinished-0123456789ab.json"), note);
      assert.deepEqual(await removeUnfinished(folder), []);
      assert.ok(existsSync(path));
      assert.deepEqual(readdirSync(folder), ["unfinished.lock"]);
    }
  });
});

describe("check", () => {
  it("names every file in the data folder that does not belong to Sluice", async () => {
    const line = makeLine();
    const server = await startServer({ folder: line.folder });
    await server.stop();
    assert.deepEqual(await line.ask("check"), { ok: true, findings: [] });
    const strange = ["sluice.db.bak", "copy of sluice.db", "sluice.db-wal2", ".hidden", "old"];
    for (const name of strange.slice(0, -1)) writeFileSync(join(line.folder, name), "");
    mkdirSync(join(line.folder, "old"));
    const { code, out } = await line.type("check --json");
    assert.equal(code, 3);
    const { findings } = JSON.parse(out) as { findings: readonly string[] };
    assert.deepEqual(
      findings.map((finding) => finding.slice(line.folder.length + 1).split(" does not belong")[0]),
      strange.toSorted(),
    );
  });

  it("names some of very many", async () => {
    const line = makeLine();
    await line.ask("migrate");
    for (let count = 0; count < 50; count += 1) writeFileSync(join(line.folder, `${count}.db`), "");
    const { out } = await line.type("check");
    assert.match(out, /^21 found:/);
    assert.match(out, /30 more files there do not belong to Sluice/);
  });
});
