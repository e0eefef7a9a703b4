// Commands run by another user than the owner of the store: each names the owner of the file, and
// none mistakes an inaccessible file for a missing one.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { startServerProcess } from "../support/server-process.ts";
import { operate } from "../support/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeCommandLine, type Outcome } from "./command-line.ts";
import { everyCommand } from "./every-command.ts";

// Run by root, the commands are run as a user who owns nothing; run by anybody else, the files lose their mode.
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const program = fileURLToPath(new URL("../cli/command-lines-process.ts", import.meta.url));
const user = isRoot ? { uid: nobody, gid: nobody } : {};
/** What Node compiles for that user, who can't write where it is kept for this one. */
const compiled = makeTempFolder();
chmodSync(compiled, 0o777);

/** False where that user can't even read the program, as in a checkout below root's own folder. */
function canRunAsOther(): boolean {
  const words = ["-c", `test -r "${program}" && test -x "${process.execPath}"`];
  return spawnSync("/bin/sh", words, user).status === 0;
}

/**
 * The folders above `path`, down from `top`, are opened to everybody, and the path itself to its
 * owner only.
 */
function denyToOthers(path: string, top: string): void {
  for (let folder = dirname(path); folder.startsWith(top); folder = dirname(folder)) {
    chmodSync(folder, statSync(folder).mode | 0o055);
  }
  chmodSync(path, isRoot ? 0o700 : 0);
}

/** Others may open the folder and read what is in it, but create nothing there. */
function denyWritingToOthers(folder: string): void {
  chmodSync(folder, isRoot ? 0o755 : 0o555);
}

function allowAgain(path: string): void {
  chmodSync(path, 0o700);
}

/** One outcome for each of the command lines, which are run sequentially in one process. */
function runAsOther(
  lines: readonly (readonly string[])[],
  {
    environment,
    folder,
  }: { readonly environment: Readonly<Record<string, string>>; readonly folder: string },
): readonly Outcome[] {
  const { stdout, stderr } = spawnSync(process.execPath, [program, JSON.stringify(lines)], {
    ...user,
    cwd: folder,
    env: { NODE_COMPILE_CACHE: compiled, ...environment },
    encoding: "utf8",
  });
  if (stderr !== "") throw new Error(stderr);
  return JSON.parse(stdout) as readonly Outcome[];
}

const folder = makeTempFolder();
const data = join(folder, "data");
const open = join(folder, "open");
const place = { DATABASE_URL: `sqlite:${data}/sluice.db`, DATA_DIR: data };
const line = makeCommandLine({ folder, environment: place });
const { environment } = line;
const input = join(open, "input.csv");
const skip = canRunAsOther() ? false : "needs root, and a checkout that other users can read";

const owned = "which belongs to uid \\d+ and has mode [0-7]{4}\\. (?:Run this|Change)";
const denied = (what: string) => new RegExp(`^sluice: [^\n]*this user [^\n]*${what}, ${owned}`);

before(async () => {
  await line.ask("organization create --name Acme --id acme");
  mkdirSync(open);
  chmodSync(open, 0o777);
  writeFileSync(input, "{}");
});

after(() => allowAgain(data));

describe("a store in another user's folder", { skip }, () => {
  const typed = everyCommand({ input, output: join(open, "output.db") });
  const opening = typed.filter(({ opensStore }) => opensStore);
  let outcomes: readonly Outcome[];

  before(() => {
    denyToOthers(data, folder);
    const lines = opening.map(({ words }) => words);
    outcomes = runAsOther(lines, { environment, folder: open });
  });
  after(() => allowAgain(data));

  for (const [index, { name }] of opening.entries()) {
    it(`is not reported missing by ${name}, which names the folder and its owner`, () => {
      const { code, out, err } = outcomes[index] ?? assert.fail();
      assert.equal(code, 1, err);
      assert.equal(out, "");
      assert.match(err, /^[^\n]*\n$/);
      assert.match(err, denied("may not open the folder \\S*/data"));
      assert.doesNotMatch(err, /There is no|Internal error/);
    });
  }

  it("gets no files next to it", () => {
    assert.deepEqual(readdirSync(open), ["input.csv"]);
  });
});

describe("a file of another user in a shared folder", { skip }, () => {
  const files = {
    store: join(data, "sluice.db"),
    key: join(data, "receipt-key.pem"),
    lock: join(data, "sluice.db.serving"),
    ledger: "",
  };

  before(async () => {
    files.ledger = await operate(environment, ({ ledger }) => Promise.resolve(ledger.path));
    const server = await startServerProcess(environment);
    await server.end("SIGTERM");
    assert.ok(existsSync(files.key));
    assert.ok(existsSync(files.lock));
  });

  const cases: readonly (readonly [file: keyof typeof files, verb: string, by: string[]])[] = [
    ["store", "read and write", ["key list", "serve", "check"]],
    ["ledger", "read and write", ["organization list", "serve"]],
    ["key", "read", ["serve"]],
    ["lock", "read and write", ["serve"]],
  ];
  for (const [file, verb, by] of cases) {
    it(`is named if it is the ${file}, by ${by.join(" and by ")}`, () => {
      chmodSync(data, 0o777);
      for (const name of readdirSync(data)) chmodSync(join(data, name), 0o666);
      denyToOthers(files[file], data);
      const lines = by.map((words) => words.split(" "));
      for (const { code, err } of runAsOther(lines, { environment, folder: open })) {
        assert.equal(code, 1);
        assert.match(err, denied(`may not ${verb} ${files[file]}`));
      }
    });
  }

  it("is not needed to name the folder, if files can't be created in it", () => {
    chmodSync(data, 0o777);
    for (const name of readdirSync(data)) chmodSync(join(data, name), 0o666);
    denyWritingToOthers(data);
    const lines = [["key", "list"], ["migrate"]];
    for (const { code, err } of runAsOther(lines, { environment, folder: open })) {
      assert.equal(code, 1);
      assert.match(err, denied("may not write to the folder \\S*/data"));
    }
    allowAgain(data);
  });
});
