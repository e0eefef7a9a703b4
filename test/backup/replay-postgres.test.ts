// A PostgreSQL store that was restored with the operator's own tools: the service notices, refuses
// to serve, and replays later deletions from its ledger or from receipts.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Receipt } from "../../src/domain/deletion/receipt.ts";
import { readConfig } from "../../src/settings/config.ts";
import { serve } from "../../src/process/serve.ts";
import { makeCommandLine } from "../cli/command-line.ts";
import { root } from "../repository/tree.ts";
import { addTransaction, awaitCompletion, deleteOne, requestDeletion } from "../receipt/scene.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { usePostgres } from "../support/postgres/postgres-server.ts";
import { startServer } from "../support/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const postgres = await usePostgres();
/** A copy of the database from before a deletion, in its place. */
async function playRestore(folder: string) {
  const url = await postgres.makeDatabase();
  const environment = { DATABASE_URL: url };
  const first = await startServer({ folder, environment });
  const acme = await first.operate((app) => makeCustomer(app, first.client));
  for (const id of ["gone", "stays"]) await addTransaction(first.client, acme, id);
  await deleteOne(first.client, acme, "before");
  await first.stop();
  const template = new URL(url).pathname.slice(1);
  const restored = { DATABASE_URL: await postgres.makeDatabase({ template }) };

  const second = await startServer({ folder, environment });
  const id = await requestDeletion(second.client, acme, "gone");
  const { receipt } = await awaitCompletion(second.client, acme, id);
  await second.stop();
  return { acme, id, receipt: receipt as Receipt, restored, url };
}

async function requireGone(
  folder: string,
  environment: Readonly<Record<string, string>>,
  { acme, id, receipt }: { acme: Customer; id: string; receipt: Receipt },
): Promise<void> {
  const server = await startServer({ folder, environment });
  try {
    for (const [tx, status] of [
      ["gone", 404],
      ["stays", 200],
    ] as const) {
      const path = `/v2/transaction?tx_id=${tx}`;
      const reply = await server.client.send({ method: "GET", path, token: acme.token });
      assert.equal(reply.status, status, tx);
    }
    const again = (await awaitCompletion(server.client, acme, id))["receipt"] as Receipt;
    assert.equal(again.carried_out_again?.receipt_no, receipt.receipt_no);
    assert.equal(again.carried_out_again?.completed_at, receipt.completed_at);
    assert.equal(again.receipt_no, receipt.receipt_no + 1);
  } finally {
    await server.stop();
  }
}

/** As the backup schedule does. The only file that it writes contains the receipts. */
function storeReceipts(url: string, folder: string): string {
  const words = [join(root, "deploy/backup/backup.js"), "--to", folder];
  const env = { ...process.env, DATABASE_URL: url, DATA_DIR: join(folder, "data") };
  const out = execFileSync(process.execPath, words, { env, encoding: "utf8" });
  const { written } = JSON.parse(out) as { readonly written: readonly string[] };
  assert.equal(written.length, 1);
  return written[0] ?? "";
}

describe("a restored PostgreSQL store", () => {
  it("is not served until the deletions of the ledger are replayed", async () => {
    const folder = makeTempFolder();
    const played = await playRestore(folder);
    const line = makeCommandLine({ folder, environment: played.restored });
    await assert.rejects(serve(readConfig(line.environment)), /lacks entries that its ledger/);
    assert.deepEqual((await line.ask("deletion replay"))["carried_out"], [played.id]);
    assert.equal((await line.ask("check"))["ok"], true);
    await requireGone(folder, played.restored, played);
  });

  it("is repaired from stored receipts, on a host without a ledger", async () => {
    const folder = makeTempFolder();
    const played = await playRestore(folder);
    const other = makeTempFolder();
    const file = storeReceipts(played.url, other);
    rmSync(folder, { recursive: true });
    const line = makeCommandLine({ folder: other, environment: played.restored });
    assert.deepEqual((await line.ask("deletion replay", "--ledger", file))["carried_out"], [
      played.id,
    ]);
    await requireGone(other, played.restored, played);
  });
});
