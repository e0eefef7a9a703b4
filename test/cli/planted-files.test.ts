// Files that commands write in a shared folder: files that somebody planted under their names are
// neither followed, nor written to, nor trusted, and written files can be read by their owner only.

import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { after, describe, it } from "node:test";
import { RefusedFile } from "../../src/feature/import/refused-file.ts";
import { removeState, StateFile } from "../../src/feature/import/state-file.ts";
import { createOwnFile, openOwnFile, temporaryName } from "../../src/files/own-file.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { makeCommandLine } from "./command-line.ts";

const notRoot = process.geteuid?.() === 0 ? false : "needs root";
const folder = makeTempFolder();
after(() => removeFolder(folder));
let count = 0;

/** A separate folder, with an unrelated file in it. */
function makePlace(): { place: string; victim: string } {
  count += 1;
  const place = join(folder, String(count));
  mkdirSync(place);
  const victim = join(place, "victim");
  writeFileSync(victim, "precious", { mode: 0o644 });
  return { place, victim };
}

function assertPrecious(victim: string): void {
  assert.equal(readFileSync(victim, "utf8"), "precious");
  assert.equal(statSync(victim).mode & 0o777, 0o644);
}

function modeOf(path: string): number {
  return lstatSync(path).mode & 0o777;
}

const refusal = {
  row: { number: 1, text: "x", reason: "is not JSON" },
  code: undefined,
  message: "is not JSON",
  errors: [],
};

function refusedFile(path: string, bytes = 0): RefusedFile {
  return new RefusedFile({ path, columns: undefined, bytes });
}

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

describe("the file of refused rows", () => {
  it("replaces a link that exists at the beginning", () => {
    const { place, victim } = makePlace();
    const path = join(place, "refused");
    symlinkSync(victim, path);
    const refused = refusedFile(path);
    refused.append([refusal]);
    refused.close();
    assertPrecious(victim);
    assert.ok(lstatSync(path).isFile());
    assert.equal(modeOf(path), 0o600);
  });

  it("is not written if a link or a file appears meanwhile", () => {
    for (const plant of [symlinkSync, (_: string, path: string) => writeFileSync(path, "")]) {
      const { place, victim } = makePlace();
      const path = join(place, "refused");
      const refused = refusedFile(path);
      plant(victim, path);
      assert.throws(() => refused.append([refusal]), {
        name: "OperatorError",
        message: /can't be written/,
      });
      assertPrecious(victim);
    }
  });

  it("is not continued through a link, and is readable by its owner only if it is continued", () => {
    const { place, victim } = makePlace();
    const path = join(place, "refused");
    symlinkSync(victim, path);
    assert.throws(() => refusedFile(path, 3), { name: "OperatorError" });
    assertPrecious(victim);
    rmSync(path);
    writeFileSync(path, "abcdef", { mode: 0o644 });
    refusedFile(path, 3).close();
    assert.deepEqual([readFileSync(path, "utf8"), modeOf(path)], ["abc", 0o600]);
  });
});

describe("the state of an import", () => {
  const identity = { input: "i", settings: "s" };
  const counts = { written: 1, unchanged: 0, refused: 0 };

  it("is written under unused names, and is readable by its owner only", async () => {
    const { place, victim } = makePlace();
    const path = join(place, "state");
    symlinkSync(victim, `${path}.next`);
    symlinkSync(victim, `${path}.${process.pid}.next`);
    const state = new StateFile(path, identity);
    for (let row = 1; row < 5; row += 1) await state.complete([row, row], counts, 0);
    await state.save();
    assertPrecious(victim);
    assert.equal(modeOf(path), 0o600);
    removeState(path);
    assert.deepEqual(
      readdirSync(place).filter((name) => /^state\.[0-9a-f]{12}/.test(name)),
      [],
    );
  });

  it("is not trusted if it is a link", () => {
    const { place, victim } = makePlace();
    const path = join(place, "state");
    symlinkSync(victim, path);
    assert.throws(() => new StateFile(path, identity), {
      name: "OperatorError",
      message: /Remove it to start from the beginning/,
    });
    assertPrecious(victim);
  });
});
