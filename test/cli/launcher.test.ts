// The launcher, on a Node that is new enough and on one that is not.

import assert from "node:assert/strict";
import { chmodSync, copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { makeTempFolder } from "../support/temp-folder.ts";
import { runProgram, type Started, startProcess } from "./program.ts";

const launcher = fileURLToPath(new URL("../../bin/sluice.js", import.meta.url));

/** Makes the Node that runs the launcher report another version. */
function pretend(version: string): string {
  return `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"${version}"}})`;
}

/** A checkout with only the launcher and, if given, a shell script in place of its own Node. */
function makeCheckout(ownNode?: string): string {
  const folder = makeTempFolder();
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  copyFileSync(launcher, join(folder, "bin/sluice.js"));
  if (ownNode !== undefined) {
    const path = join(folder, `node_modules/node-${process.platform}-${process.arch}/bin`);
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "node"), `#!/bin/sh\n${ownNode}\n`);
    chmodSync(join(path, "node"), 0o755);
  }
  return folder;
}

function startOld(checkout: string, ...words: readonly string[]): Started {
  return startAs("20.20.2", checkout, ...words);
}

function startAs(version: string, checkout: string, ...words: readonly string[]): Started {
  const path = join(checkout, "bin/sluice.js");
  return startProcess([process.execPath, "--import", pretend(version), path, ...words], {});
}

describe("the launcher", () => {
  it("runs the command line on a Node that is new enough", async () => {
    const { code, out, err } = await runProgram(["--version"], {});
    assert.deepEqual({ code, err }, { code: 0, err: "" });
    assert.match(out, /^\d+\.\d+\.\d+\n$/);
  });

  it("on an older one starts the checkout's own Node with the same arguments, and exits with its status", async () => {
    const checkout = makeCheckout('echo "$@"; echo oops >&2; exit 7');
    const { code, out, err } = await startOld(checkout, "key", "list", "--name", "a b").ended;
    assert.deepEqual({ code, err }, { code: 7, err: "oops\n" });
    assert.equal(out, `${join(checkout, "bin/sluice.js")} key list --name a b\n`);
  });

  it("on an older one without a Node in the checkout says what to do", async () => {
    const { code, out, err } = await startOld(makeCheckout(), "serve").ended;
    assert.deepEqual({ code, out }, { code: 1, out: "" });
    assert.match(
      err,
      /^sluice: Sluice needs Node 24\.15 or later, or 25\.9 or later, but this is v\d.*npm ci[^\n]*\n$/,
    );
  });

  it("is not satisfied with a Node whose SQLite can corrupt a store", async () => {
    const checkout = makeCheckout("echo own");
    const isOwn = async (version: string) =>
      (await startAs(version, checkout, "--version").ended).out === "own\n";
    for (const version of ["22.22.0", "24.14.1", "25.8.2"])
      assert.ok(await isOwn(version), version);
    for (const version of ["24.15.0", "25.9.0", "26.0.0", "27.1.0"])
      assert.ok(!(await isOwn(version)), version);
  });

  it("keeps compiled code beside the code, that of servers apart, or where the environment says", async () => {
    const checkout = makeCheckout();
    const source = "console.log(module.getCompileCacheDir(), process.env.NODE_COMPILE_CACHE);";
    mkdirSync(join(checkout, "src/cli"), { recursive: true });
    writeFileSync(join(checkout, "src/cli/main.ts"), `import module from "node:module"; ${source}`);
    const own = join(checkout, "node_modules/.cache/compiled");
    const program = [process.execPath, join(checkout, "bin/sluice.js")];
    for (const [word, given, used] of [
      ["serve", "", join(own, "serve")],
      ["migrate", "", join(own, "commands")],
      ["serve", join(checkout, "other"), join(checkout, "other")],
    ] as const) {
      const { out } = await startProcess([...program, word], { NODE_COMPILE_CACHE: given }).ended;
      const [folder = "", ofThreads] = out.trim().split(" ");
      assert.deepEqual([dirname(folder), ofThreads], [used, used]);
      assert.ok(existsSync(used));
    }
  });

  it("passes signals on, and the exit code back", async () => {
    const trap = "trap 'echo got it; exit 5' TERM; echo ready; while :; do sleep 0.05; done";
    const { child, ended } = startOld(makeCheckout(trap));
    child.stdout.once("data", () => child.kill("SIGTERM"));
    const { code, out } = await ended;
    assert.deepEqual({ code, out }, { code: 5, out: "ready\ngot it\n" });
  });

  it("reports by the exit code that a signal ended the other Node", async () => {
    const { code } = await startOld(makeCheckout("kill -KILL $$")).ended;
    assert.equal(code, 137);
  });
});
