// A store on SQLite with rows in every table that `check` covers: deletions in each state, holds,
// receipts of two keys, and a restore that cut the chains; and its ledger. Stopped and consistent.

import assert from "node:assert/strict";
import { join } from "node:path";
import { type CommandLine, makeCommandLine } from "../cli/command-line.ts";
import { addTransaction, deleteOne } from "../receipt/scene.ts";
import { makeCustomer } from "../support/customer.ts";
import { startServer } from "../support/server.ts";
import { openTestStore } from "../support/test-store.ts";

const ofAcme = ["--organization", "acme"] as const;
const ofPatient = ["--organization", "patient"] as const;

/** `backups`: a folder apart from the store's. */
export async function makeTamperScene(folder: string, backups: string): Promise<void> {
  const line = makeCommandLine({ folder });
  await live(folder, line);
  const file = join(backups, "backup.db");
  await line.ask("backup", file);
  await liveOn(folder, line);
  await line.ask("restore", file, "--replace");
  const server = await startServer({ folder });
  await line.ask("deletion hold transaction kept-1", ...ofAcme, "--reason", "after the restore");
  await server.stop();
  await leaveProcessing(folder, line);
  const { code, out } = await line.type("check");
  assert.equal(code, 0, out);
}

async function live(folder: string, line: CommandLine): Promise<void> {
  const server = await startServer({ folder });
  const { client } = server;
  const acme = await server.operate((app) => makeCustomer(app, client, { organizationId: "acme" }));
  const patient = await server.operate((app) =>
    makeCustomer(app, client, { organizationId: "patient" }),
  );
  await line.ask("organization set patient --deletion-grace 24h");
  for (const id of ["kept-1", "kept-2", "held", "goes"]) await addTransaction(client, acme, id);
  for (const id of ["p-1", "p-2", "p-3"]) await addTransaction(client, patient, id);
  for (const reason of ["a case", "another"]) {
    const more = ["--owner", "legal", "--review-date", "2027-01-31"];
    await line.ask("deletion hold transaction held", ...ofAcme, "--reason", reason, ...more);
  }
  await line.ask("deletion hold transaction kept-2", ...ofAcme, "--reason", "a short one");
  await line.ask("deletion release transaction kept-2", ...ofAcme);
  for (const id of ["p-1", "p-2", "held"]) {
    const of = id === "held" ? ofAcme : ofPatient;
    await line.ask("deletion request transaction", id, ...of, "--reason", `asked for ${id}`);
  }
  await line.ask("retention set --type company --keep-days 5 --from closed", ...ofAcme);
  for (const days of ["7", "9"]) {
    await line.ask("retention set --type screening --keep-days", days, ...ofAcme);
  }
  const cancelled = await line.ask(
    "deletion request transaction p-3",
    ...ofPatient,
    "--reason",
    "r",
  );
  await line.ask("deletion cancel", String(cancelled["deletion_request_id"]));
  for (const id of ["d-1", "d-2"]) await deleteOne(client, acme, id);
  await line.ask("receipt rotate");
  for (const id of ["d-3", "d-4"]) await deleteOne(client, acme, id);
  await line.ask("record show transaction kept-1", ...ofAcme);
  await line.ask("operator create otto --role officer");
  await line.ask("organization set patient --deletion-approval on");
  await line.ask("operator create olga --role officer --role operator");
  for (const days of ["30", "40"]) {
    await line.type(`organization set patient --retain-days ${days} --yes --as olga`);
  }
  for (const id of ["p-4", "p-5"]) {
    await addTransaction(client, patient, id);
    const asked = await line.ask("deletion request transaction", id, ...ofPatient, "--reason", "r");
    if (id === "p-5") continue;
    await line.ask("deletion approve --as otto", String(asked["deletion_request_id"]));
  }
  await server.stop();
}

/** What the restore removes and creates again. */
async function liveOn(folder: string, line: CommandLine): Promise<void> {
  const server = await startServer({ folder });
  const acme = await server.operate((app) =>
    makeCustomer(app, server.client, { organizationId: "late" }),
  );
  for (const id of ["d-5", "d-6"]) await deleteOne(server.client, acme, id);
  await line.ask("deletion hold transaction kept-1", ...ofAcme, "--reason", "after the backup");
  await server.stop();
}

/** As by a worker that has died; and an act after it, so that the whole trail is signed. */
async function leaveProcessing(folder: string, line: CommandLine): Promise<void> {
  await line.ask("deletion request transaction goes", ...ofAcme, "--reason", "in progress");
  const store = await openTestStore(`sqlite:${join(folder, "sluice.db")}`, { role: "command" });
  const now = Date.now() + 1_000;
  const claimed = await store.claimOne({ now, leaseUntil: now, claimant: "gone" });
  assert.equal(claimed?.resourceId, "goes");
  await store.close();
  await line.ask("organization set acme --name Acme");
}
