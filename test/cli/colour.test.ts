// Colours in the output of commands: on terminals only, and with no meaning of their own.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { typeNamed } from "../contract/scene.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { type CommandLine, makeCommandLine } from "./command-line.ts";

const folder = makeTempFolder();
const piped = makeCommandLine({ folder });
await piped.ask("organization create --name Acme --id acme");
await piped.ask("key create -o acme --name current");
const { key_id: revoked } = await piped.ask("key create -o acme --name old");
await piped.ask("key revoke", String(revoked));
const { example, idField } = typeNamed("person");
const input = join(makeTempFolder(), "person.ndjson");
writeFileSync(input, `${JSON.stringify(example)}\n`);
await piped.ask("import", input, "--type", "person", "-o", "acme");
const person = String(example[idField]);
const deletion = await piped.ask(`deletion request person ${person} -o acme --reason x`);

const lines = [
  "key list",
  "check",
  "deletion list",
  `deletion show ${String(deletion["deletion_request_id"])}`,
  "organization show nobody",
  "key creat",
];

function terminal(environment: Readonly<Record<string, string>>): CommandLine {
  return makeCommandLine({ folder, environment, isTTY: true });
}

const green = "\u001b[32m";
const yellow = "\u001b[33m";
const red = "\u001b[31m";
const end = "\u001b[39m";

describe("on a terminal", () => {
  const shown = terminal({ TERM: "xterm", NO_COLOR: "" });

  it("states and errors have colours", async () => {
    const keys = (await shown.type("key list")).out;
    assert.ok(keys.includes(`${green}active${end}`));
    assert.ok(keys.includes(`${red}revoked 20`));
    assert.ok((await shown.type("check")).out.startsWith(`${green}Nothing was found`));
    assert.ok((await shown.type("deletion list")).out.includes(`${yellow}pending${end}`));
    assert.ok(
      (await shown.type("key creat")).err.startsWith(`${red}sluice:${end} unknown command`),
    );
    const mistyped = terminal({ DATABASE_URI: "x", DATABASE_URL: "", SLUICE_FOLDER: "x" });
    assert.ok((await mistyped.type("key list")).err.includes(`${yellow}warning:${end} `));
  });

  it("the text and its alignment are the same as without colours", async () => {
    for (const line of lines) {
      const { code, out, err } = await shown.type(line);
      const text = { out: stripVTControlCharacters(out), err: stripVTControlCharacters(err) };
      assert.notDeepEqual(text, { out, err }, line);
      const bare = await piped.type(line);
      assert.deepEqual(
        { code, err: text.err, out: withoutNow(text.out) },
        { ...bare, out: withoutNow(bare.out) },
        line,
      );
    }
  });

  const without = {
    "NO_COLOR is set": { line: terminal({ TERM: "xterm", NO_COLOR: "1" }), more: "" },
    "TERM is dumb": { line: terminal({ TERM: "dumb" }), more: "" },
    "the output is JSON": { line: terminal({ TERM: "xterm" }), more: " --json" },
  };
  for (const [when, { line, more }] of Object.entries(without)) {
    it(`there are no colours if ${when}`, async () => {
      for (const words of lines) {
        const { out, err } = await line.type(words + more);
        assert.ok(!`${out}${err}`.includes("\u001b"), words);
      }
    });
  }
});

/** A deletion that waits for nothing can be processed from now on. */
function withoutNow(text: string): string {
  return text.replace(/(?<=not before +)\S+/, "now");
}

describe("without a terminal", () => {
  it("there are no colours", async () => {
    for (const words of lines) {
      const { out, err } = await piped.type(words);
      assert.ok(!`${out}${err}`.includes("\u001b"), words);
    }
  });
});
