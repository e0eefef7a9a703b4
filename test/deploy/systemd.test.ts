// The units of systemd: verified by its own program, and scored for what they keep from the process.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { settings } from "../../src/settings/config.ts";
import { readFile } from "../repository/tree.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { lacks } from "../support/lacking-program.ts";

const units = ["sluice.service", "sluice-backup.service", "sluice-backup.timer"];

/** What `systemd-analyze security` calls the exposure: from 0, for nothing, to 10. */
const exposureMax = 1.8;

const verify = ["verify", "--man=no", "--recursive-errors=no"];

describe("the units of systemd", () => {
  const skip = lacks("systemd-analyze");

  it("are valid", { skip }, () => {
    for (const unit of units) {
      const { status, output } = analyze(unit, verify);
      assert.equal(status, 0, output);
      // Other units of the machine may have faults of their own.
      assert.doesNotMatch(output, new RegExp(`${unit}:\\d`), output);
    }
  });

  it("would be found invalid", { skip }, () => {
    const text = readUnit("sluice.service").replace("TimeoutStopSec=30s", "TimeoutStopSec=later");
    const { output } = analyze("sluice.service", verify, text);
    assert.match(output, /sluice\.service:\d+: Failed to parse/);
  });

  it("keep more from the process than the bound demands", { skip }, () => {
    for (const unit of ["sluice.service", "sluice-backup.service"]) {
      const threshold = `--threshold=${exposureMax * 10}`;
      const { status, output } = analyze(unit, ["security", "--offline=yes", threshold]);
      assert.equal(status, 0, output.slice(-500));
    }
  });

  it("give a stop more time than its settings", () => {
    const seconds = Number(/^TimeoutStopSec=(\d+)s$/m.exec(readUnit("sluice.service"))?.[1]);
    const ms =
      Number(settings.shutdownDelayMs.fallback) + Number(settings.shutdownGraceMs.fallback);
    assert.ok(seconds * 1_000 > ms);
  });

  it("start the service again however it has ended, also by the end of a terminal", () => {
    assert.match(readUnit("sluice.service"), /^Restart=always$/m);
  });

  it("bound the memory of the C library as the image does", () => {
    const bound = "MALLOC_ARENA_MAX=2";
    assert.ok(readUnit("sluice.service").includes(`Environment=${bound}`));
    assert.ok(readFile("deploy/container/Containerfile").text.includes(bound));
  });

  it("keep compiled code where only the service can write", () => {
    const unit = readUnit("sluice.service");
    const [, folder] = /^Environment=NODE_COMPILE_CACHE=(.+)$/m.exec(unit) ?? [];
    const [, name] = /^CacheDirectory=(.+)$/m.exec(unit) ?? [];
    assert.equal(folder, `/var/cache/${name}`);
    assert.match(unit, /^CacheDirectoryMode=0700$/m);
    // Commands that another user runs must not execute what the service has written.
    assert.doesNotMatch(readUnit("sluice-backup.service"), /NODE_COMPILE_CACHE/);
  });
});

function readUnit(name: string): string {
  return readFile(`deploy/systemd/${name}`).text;
}

/** On a copy in which the unit starts a Node that exists, beside the others. */
function analyze(
  unit: string,
  words: readonly string[],
  text = readUnit(unit),
): { status: number | null; output: string } {
  const folder = makeTempFolder();
  for (const name of units) writeFileSync(join(folder, name), readUnit(name));
  const path = join(folder, unit);
  writeFileSync(path, text.replaceAll("/usr/bin/node", process.execPath));
  const { status, stdout, stderr } = spawnSync("systemd-analyze", [...words, path], {
    encoding: "utf8",
  });
  return { status, output: stdout + stderr };
}
