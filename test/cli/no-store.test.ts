// Every command without a store: which ones create one, and that no other creates or changes
// anything.

import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { makeTempFolder } from "../support/temp-folder.ts";
import { type CommandLine, makeCommandLine } from "./command-line.ts";
import { everyCommand } from "./every-command.ts";

const inputs = makeTempFolder();
const input = join(inputs, "input.csv");
writeFileSync(input, "tx_id,timestamp\na,2026-01-31T09:30:00Z\n");
const typed = everyCommand({ input, output: join(inputs, "output.db") });
const opening = typed.filter(({ creates, opensStore }) => !creates && opensStore);

function lineIn(folder: string): CommandLine {
  const environment = {
    DATABASE_URL: `sqlite:${folder}/data/sluice.db`,
    DATA_DIR: `${folder}/data`,
  };
  return makeCommandLine({ folder, environment });
}

describe("without a store", () => {
  for (const { name, words } of opening) {
    it(`${name} reports it and creates nothing`, async () => {
      const folder = makeTempFolder();
      const line = lineIn(folder);
      if (name === "receipt verify") writeFileSync(input, "{}");
      const { code, out, err } = await line.type(...words);
      assert.deepEqual({ code, out }, { code: 1, out: "" });
      assert.match(err, /^sluice: There is no store.*\/data\/sluice\.db[^\n]*\n$/);
      assert.deepEqual(readdirSync(folder), []);
    });
  }

  it("migrate creates one and says where, and so does organization create", async () => {
    for (const words of ["migrate", "organization create --name Acme"]) {
      const folder = makeTempFolder();
      const line = lineIn(folder);
      const first = await line.type(words);
      assert.equal(first.code, 0, first.err);
      assert.ok(first.err.startsWith(`Created the store ${folder}/data/sluice.db.`), first.err);
      assert.ok(existsSync(join(folder, "data/sluice.db")));
      const second = await line.type(words);
      assert.equal(second.code, 0, second.err);
      assert.doesNotMatch(second.out, /Created/);
    }
  });
});

describe("with a file that is not a store", () => {
  const fills: readonly (readonly [what: string, fill: (path: string) => void, says: RegExp])[] = [
    ["an empty file", (path) => writeFileSync(path, ""), /There is no store/],
    ["another program's database", foreignDatabase, /contains tables of another program/],
    ["a text", (path) => copyFileSync(input, path), /is not an SQLite database/],
    ["a folder", (path) => mkdirSync(path), /is not a regular file/],
  ];
  for (const [what, fill, says] of fills) {
    it(`${what} stays unchanged, byte for byte`, async () => {
      const folder = makeTempFolder();
      const path = join(folder, "data/sluice.db");
      mkdirSync(join(folder, "data"));
      fill(path);
      const bytes = existsSync(path) ? contentOf(path) : undefined;
      for (const words of ["organization list", "key list", "check", "retention preview"]) {
        await lineIn(folder).refused("store", says, words);
      }
      assert.deepEqual(contentOf(path), bytes);
      assert.deepEqual(readdirSync(join(folder, "data")), ["sluice.db"]);
    });
  }

  it("a database without tables gets none", async () => {
    const folder = makeTempFolder();
    mkdirSync(join(folder, "data"));
    const path = join(folder, "data/sluice.db");
    emptyDatabase(path);
    assert.match((await lineIn(folder).fail("key list")).message, /There is no store/);
    const database = new DatabaseSync(path);
    assert.deepEqual(database.prepare("SELECT name FROM sqlite_schema").all(), []);
    database.close();
  });
});

function contentOf(path: string): string {
  try {
    return readFileSync(path).toString("hex");
  } catch {
    return "a folder";
  }
}

function emptyDatabase(path: string): void {
  const database = new DatabaseSync(path);
  database.exec("CREATE TABLE t (id); DROP TABLE t");
  database.close();
}

function foreignDatabase(path: string): void {
  const database = new DatabaseSync(path);
  database.exec("CREATE TABLE theirs (id)");
  database.close();
}
