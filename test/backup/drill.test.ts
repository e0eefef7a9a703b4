// A restore drill of a store that has one of everything: a hold, a retention floor, a ceiling, a restricted set and an
// operator. Whatever the folder of the drill has, the check finds nothing, before and after it is served, and again
// after a second drill.

import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { type CommandLine, makeCommandLine } from "../cli/command-line.ts";
import { processAll } from "../cli/process-all.ts";
import { addRecord, addTransaction } from "../cli/write-transactions.ts";
import { operate, startServer } from "../support/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const acme = ["--organization", "acme"] as const;
const because = ["--reason", "a case"] as const;
const apart = makeTempFolder();
const early = join(apart, "early.db");
const late = join(apart, "late.db");
const ledgerCopy = join(apart, "ledger.ndjson");
const keyCopy = join(apart, "receipt-key.pem");

async function addReport({ environment }: CommandLine): Promise<void> {
  await operate(environment, async (app) => {
    for (const id of ["held", "reported", "gone", "gone-later"])
      await addTransaction(app, "acme", { tx_id: id });
    await addRecord(app, "acme", {
      type: "transaction_suspicious_activity",
      fields: {
        suspicious_activity_id: "report-1",
        detection_date: "2026-01-31T00:00:00Z",
        report_filed_at: "2026-02-01T00:00:00Z",
        related_tx_ids: ["reported"],
        timestamp: "2026-02-01T00:00:00Z",
      },
    });
  });
}

/** Requests the deletion, which is completed. */
async function deleteOne(line: CommandLine, id: string): Promise<void> {
  await line.ask("deletion request transaction", id, ...acme, ...because);
  await processAll(line);
}

/** The store has two backups, and floors and holds that changed after each. */
async function play(line: CommandLine): Promise<void> {
  await line.ask("organization create --name Acme --id acme");
  await line.ask("operator create anna --role officer");
  await addReport(line);
  await line.ask("organization set acme --retain-days 36500 --yes");
  const report = ["--type", "transaction_suspicious_activity", "--from", "report_filed_at"];
  await line.ask("retention set --keep-days 36000", ...report, ...acme);
  await line.ask("retention set --type person --keep-days 300", ...acme);
  await line.ask("retention set --type company --keep-days 300", ...acme);
  await line.ask("deletion hold transaction held", ...acme, ...because);
  await deleteOne(line, "reported");
  await deleteOne(line, "gone");
  assert.equal(((await line.ask("restricted list", ...acme))["sets"] as unknown[]).length, 1);
  await line.ask("backup", early);
  await line.ask("retention set --type person --keep-days none --yes", ...acme);
  await line.ask("deletion release transaction held", ...acme);
  // The later backup has an entry of this restore.
  await line.ask("restore", early, "--replace");
  await line.ask("backup", late);
  await line.ask("retention set --type company --keep-days 400", ...acme);
  await deleteOne(line, "gone-later");
}

async function requireConsistent(line: CommandLine): Promise<void> {
  const { code, out, err } = await line.type("check --erasure");
  assert.equal(code, 0, out + err);
}

async function serveShortly({ folder }: CommandLine): Promise<void> {
  const server = await startServer({ folder });
  await server.stop();
}

describe("a restore drill", () => {
  before(async () => {
    const line = makeCommandLine();
    await serveShortly(line);
    await play(line);
    await serveShortly(line);
    const ledger = readdirSync(line.folder).find((name) => name.endsWith(".ndjson")) ?? "";
    copyFileSync(join(line.folder, ledger), ledgerCopy);
    copyFileSync(join(line.folder, "receipt-key.pem"), keyCopy);
    await requireConsistent(line);
  });

  const besides = {
    "nothing beside the copy": { words: [], key: false, files: [early, late] },
    "the ledger": { words: ["--ledger", ledgerCopy], key: false, files: [early] },
    "the key": { words: [], key: true, files: [late] },
    "the ledger and the key": { words: ["--ledger", ledgerCopy], key: true, files: [late, early] },
  };
  for (const [name, { words, key, files }] of Object.entries(besides)) {
    it(`with ${name} leaves a store that is consistent with its ledger`, async () => {
      const line = makeCommandLine({ folder: join(makeTempFolder(), "data") });
      mkdirSync(line.folder);
      if (key) copyFileSync(keyCopy, join(line.folder, "receipt-key.pem"));
      for (const file of files) {
        await line.ask("restore", file, "--replace", ...words);
        await requireConsistent(line);
        await line.ask("retention set --type screening --keep-days 5", ...acme);
        await serveShortly(line);
        await requireConsistent(line);
      }
    });
  }
});
