// Programs whose standard output or standard error can't be written: full, closed, or read by nobody.

import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { programEnvironment } from "../support/compiled.ts";
import { startServerProcess } from "../support/server-process.ts";
import { testEnvironment } from "../support/service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeCommandLine } from "./command-line.ts";
import { startProcess } from "./program.ts";

const bin = fileURLToPath(new URL("../../bin/sluice.js", import.meta.url));
const logging = { LOG_LEVEL: "info" };

/** Runs a program with a stream replaced as a shell would. */
function redirected(to: string): readonly string[] {
  return ["sh", "-c", `exec "$@" ${to}`, "sh"];
}

/** A pipe with no room left that nobody reads. */
function makeFullPipe(): number {
  const path = join(makeTempFolder(), "pipe");
  assert.equal(spawnSync("mkfifo", [path]).status, 0);
  const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  for (const bytes of [4_096, 1]) {
    try {
      for (;;) writeSync(pipe, Buffer.alloc(bytes, "x"));
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, "EAGAIN");
    }
  }
  return pipe;
}

async function endedBy(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown> {
  const ended = once(child, "exit");
  child.kill(signal);
  return (await ended)[0];
}

describe("a service whose log can't be written", () => {
  it("serves, counts the lines that are lost, and ends on SIGTERM", async () => {
    const environment = testEnvironment(makeTempFolder(), logging);
    const server = await startServerProcess(environment, { under: redirected("2>/dev/full") });
    await waitFor("a lost line", async () => {
      const metrics = await fetch(`${server.address}/metrics`);
      return /^sluice_log_lines_lost_total [1-9]/m.test(await metrics.text());
    });
    assert.equal(await server.end("SIGTERM"), 0);
  });

  it("does the same while nobody reads the pipe of the log", async () => {
    const folder = makeTempFolder();
    const pipe = makeFullPipe();
    const child = spawn(process.execPath, [bin, "serve"], {
      env: { ...programEnvironment("serve"), ...testEnvironment(folder, logging) },
      stdio: ["ignore", "pipe", pipe],
    });
    closeSync(pipe);
    let out = "";
    child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
    const address = await waitFor("the address", () => /http:\S+/.exec(out)?.[0]);
    assert.equal((await fetch(`${address}/health/ready`)).status, 200);
    assert.equal(await endedBy(child, "SIGTERM"), 0);
  });
});

describe("standard output that can't be written", () => {
  it("does not end a service", async () => {
    const folder = makeTempFolder();
    const log = join(folder, "log");
    // The shell may not have made it when it is read first.
    writeFileSync(log, "");
    const [shell = "", ...words] = redirected(`>/dev/full 2>${log}`);
    const child = spawn(shell, [...words, process.execPath, bin, "serve"], {
      env: { ...programEnvironment("serve"), ...testEnvironment(join(folder, "data"), logging) },
      stdio: "ignore",
    });
    const address = await waitFor(
      "the address",
      () => /"address":"([^"]+)"/.exec(readFileSync(log, "utf8"))?.[1],
    );
    assert.equal((await fetch(`${address}/health/ready`)).status, 200);
    assert.equal(await endedBy(child, "SIGTERM"), 0);
  });

  it("makes any other command fail with the reason, unless its reader has seen enough", async () => {
    const command = makeCommandLine();
    await command.ask("migrate");
    const list = [process.execPath, bin, "organization", "list"];
    const full = startProcess([...redirected(">/dev/full"), ...list], command.environment);
    const { code, err } = await full.ended;
    assert.equal(code, 1);
    assert.match(err, /^sluice: Standard output can't be written: ENOSPC[^\n]*\n$/);
    const closed = startProcess(list, command.environment);
    closed.child.stdout.destroy();
    assert.deepEqual(await closed.ended, { code: 0, out: "", err: "" });
  });
});
