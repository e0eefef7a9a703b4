// The other commands, commands as processes, and the page generated from their table.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { loadTable } from "../../src/process/command-table.ts";
import { optionFlag } from "../../src/cli/option-flag.ts";
import { renderCliReference } from "../../docs/generate/cli.ts";
import { version } from "../../src/process/version.ts";
import { schemaVersion } from "../../src/store/sql/migrations.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeCommandLine } from "./command-line.ts";

const { commands } = await loadTable();

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

  it("names what is wrong with a damaged one, and exits with 3", async () => {
    const line = makeCommandLine();
    await line.ask("organization create --name", "Acme Damaged", "--id", "acme");
    const file = join(line.folder, "sluice.db");
    const bytes = readFileSync(file);
    const at = bytes.lastIndexOf("organization.create");
    assert.ok(at > 0, "the audit entry is in the file");
    bytes.write("organization.CREATE", at);
    writeFileSync(file, bytes);
    const { code, out } = await line.type("check --json");
    assert.equal(code, 3);
    const { ok, findings } = JSON.parse(out) as { ok: boolean; findings: readonly string[] };
    assert.equal(ok, false);
    assert.match(findings.join(), /audit/);
    assert.match((await line.type("check")).out, /^\d+ found:\n {2}\S/);
  });
});

describe("a clock that has jumped", () => {
  it("is found by check until clock confirm says that it is right", async () => {
    const folder = makeTempFolder();
    const at = Date.parse("2026-03-01T12:00:00Z");
    const environment = { CLOCK_JUMP_HOURS: "24" };
    const before = makeCommandLine({ folder, environment, now: () => at });
    await before.ask("organization create --name Acme --id acme");
    await before.ask("organization set acme --retain-days 1825 --yes");
    await before.ask("clock confirm");
    const now = () => at + 10 * 365 * 86_400_000;
    const later = makeCommandLine({ folder, environment, now });
    const { code, out } = await later.type("check");
    assert.equal(code, 3, out);
    assert.match(out, /The clock says 2036-.* has jumped.*run: npx sluice clock confirm$/m);
    await later.ask("clock confirm");
    assert.deepEqual(await later.ask("check"), { ok: true, findings: [] });
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
