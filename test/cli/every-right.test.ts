// Every command with --as: refused to an operator whose roles allow nothing, and then nothing is changed. The commands
// are those of the table, so a new one is included.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { loadTable } from "../../src/process/command-table.ts";
import { commandsWith } from "../feature/samples.ts";
import { readAllRows } from "../support/table-content.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeCommandLine } from "./command-line.ts";
import { everyCommand } from "./every-command.ts";
import { addTransaction } from "./write-transactions.ts";

const { commands } = await loadTable();

/** Commands that anybody may run, each with the reason. */
const forAnybody: Readonly<Record<string, string>> = {
  serve: "reads and changes nothing itself",
  migrate: "every command that opens the store migrates it",
  openapi: "opens no store",
  ...commandsWith("forAnybody"),
};

describe("the rights of commands", () => {
  it("are in the table for all but those that anybody may run", () => {
    const free = commands.filter(({ rights }) => rights.length === 0).map(({ name }) => name);
    assert.deepEqual(free.toSorted(), Object.keys(forAnybody).toSorted());
  });

  it("are required with --as, before anything is changed", async () => {
    const line = makeCommandLine();
    await line.ask("organization create --name Acme --id acme");
    await line.beside(async (app) => {
      await addTransaction(app, "acme", { tx_id: "1" });
      const act = { actor: "test", now: app.now() };
      const nobody = { operatorId: "op_1", name: "nobody", roles: [], createdAt: 0 };
      await app.store.operators.create({ ...nobody, disabledAt: undefined }, act);
    });
    const folder = makeTempFolder();
    const input = join(folder, "input.json");
    writeFileSync(input, "{}");
    const path = `${line.environment["DATA_DIR"] ?? ""}/sluice.db`;
    const before = readAllRows(path);
    for (const { name, words } of everyCommand({ input, output: join(folder, "output") })) {
      if (Object.hasOwn(forAnybody, name)) continue;
      const { name: error, message } = await line.fail(...words, "--as", "nobody");
      assert.equal(error, "not_permitted", `${name}: ${message}`);
    }
    assert.equal(readAllRows(path), before);
  });
});
