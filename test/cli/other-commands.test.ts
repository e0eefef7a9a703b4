// The other commands, commands as processes, and the page generated from their table.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { commands } from "../../src/cli/commands.ts";
import { optionFlag } from "../../src/cli/option-flag.ts";
import { renderCliReference } from "../../docs/generate/cli.ts";
import { version } from "../../src/process/version.ts";
import { schemaVersion } from "../../src/store/sql/migrations.ts";
import { makeCommandLine } from "./command-line.ts";
import { runProgram } from "./program.ts";

describe("migrate", () => {
  it("creates a store where there is none, and has nothing to do the second time", async () => {
    const line = makeCommandLine();
    assert.deepEqual(await line.ask("migrate"), {
      engine: "sqlite",
      schema_version: schemaVersion,
      sluice_version: version,
    });
    const { code, out } = await line.type("migrate");
    assert.deepEqual(
      { code, out },
      {
        code: 0,
        out: `The sqlite store has schema version ${schemaVersion}, the one that Sluice ${version} uses.\n`,
      },
    );
  });
});

describe("check", () => {
  it("finds nothing in a store that is consistent", async () => {
    const line = makeCommandLine();
    await line.ask("organization create --name Acme --id acme");
    assert.deepEqual(await line.ask("check"), { ok: true, findings: [] });
  });

  it("reports where it found no store, like other commands that only read, and creates none", async () => {
    const line = makeCommandLine();
    for (const words of [
      "check",
      "key list",
      "deletion list",
      "record show transaction x --organization y",
    ]) {
      const { code, name, message } = await line.fail(words);
      assert.deepEqual({ code, name }, { code: 1, name: "store" });
      assert.match(message, /^There is no store at .*sluice\.db\. Check DATABASE_URL, /);
    }
    assert.equal(existsSync(join(line.folder, "sluice.db")), false);
  });

  it("names what is wrong with a damaged one, and exits with 1", async () => {
    const line = makeCommandLine();
    await line.ask("organization create --name", "Acme Damaged", "--id", "acme");
    const file = join(line.folder, "sluice.db");
    const bytes = readFileSync(file);
    const at = bytes.lastIndexOf("organization.create");
    assert.ok(at > 0, "the audit entry is in the file");
    bytes.write("organization.CREATE", at);
    writeFileSync(file, bytes);
    const { code, out } = await line.type("check --json");
    assert.equal(code, 1);
    const { ok, findings } = JSON.parse(out) as { ok: boolean; findings: readonly string[] };
    assert.equal(ok, false);
    assert.match(findings.join(), /audit/);
    assert.match((await line.type("check")).out, /^\d+ found:\n {2}\S/);
  });
});

describe("openapi", () => {
  it("prints the document without opening a store", async () => {
    const line = makeCommandLine({ environment: { DATABASE_URL: "sqlite:/dev/null/sluice.db" } });
    const document = await line.ask("openapi");
    assert.match(String(document["openapi"]), /^3\.1\./);
    assert.deepEqual(JSON.parse((await line.type("openapi")).out), document);
  });
});

describe("as a separate process", () => {
  const line = makeCommandLine();

  it("a command prints one line of JSON and nothing else", async () => {
    const { code, out, err } = await runProgram(
      ["organization", "create", "--name", "Acme", "--id", "acme", "--json"],
      line.environment,
    );
    assert.deepEqual({ code, err }, { code: 0, err: "" });
    assert.equal(out, '{"organization_id":"acme","organization_name":"Acme"}\n');
  });

  it("an error is one line on standard error, and the exit code is not 0", async () => {
    const { code, out, err } = await runProgram(
      ["key", "create", "--organization", "x"],
      line.environment,
    );
    assert.deepEqual({ code, out }, { code: 1, out: "" });
    assert.equal(err, 'sluice: There is no organization "x". There are: acme.\n');
  });
});

describe("the reference of the command line", () => {
  it("has every command with all its parameters and examples", () => {
    const page = renderCliReference();
    const sections = new Map(page.split("\n## ").map((text) => [text.split("\n")[0], text]));
    for (const command of commands) {
      const section = sections.get(`\`sluice ${command.name}\``) ?? "";
      const words = [
        command.summary,
        ...Object.keys(command.options).map(optionFlag),
        ...command.examples,
      ];
      for (const text of words) assert.ok(section.includes(text), `${command.name}: ${text}`);
    }
  });
});
