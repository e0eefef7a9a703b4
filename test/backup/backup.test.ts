// Backups and restores of the embedded store, made while it is served and written to: what was erased stays erased.

import assert from "node:assert/strict";
import {
  copyFileSync,
  chmodSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { publishReceiptKeys } from "../../src/actions/receipt/receipt-keys.ts";
import { findGaps, verifyReceipts } from "../../src/actions/receipt/verify-receipt.ts";
import type { Receipt } from "../../src/domain/deletion/receipt.ts";
import { serve } from "../../src/process/serve.ts";
import { readConfig } from "../../src/settings/config.ts";
import { restoreBackup } from "../../src/process/restore.ts";
import { makeCommandLine, withoutManifest } from "../cli/command-line.ts";
import { addTransaction, awaitCompletion, deleteOne, requestDeletion } from "../receipt/scene.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { startServer, type Server } from "../support/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { openTestStore } from "../support/test-store.ts";

type Site = ReturnType<typeof makeSite>;

/** Backups are in the folder `apart`. */
function makeSite(test: TestContext) {
  const [folder, apart] = [makeTempFolder(), makeTempFolder()];
  const running = new Set<Server>();
  test.after(async () => {
    for (const server of running) await server.stop().catch(() => undefined);
  });
  return {
    folder,
    apart,
    line: makeCommandLine({ folder }),
    start: async (): Promise<Server> => {
      const server = await startServer({ folder });
      running.add(server);
      return {
        ...server,
        stop: async () => {
          running.delete(server);
          await server.stop();
        },
      };
    },
  };
}

function makeAcme(server: Server): Promise<Customer> {
  return server.operate((app) => makeCustomer(app, server.client));
}

async function isThere(server: Server, { token }: Customer, id: string): Promise<boolean> {
  const path = `/v2/transaction?tx_id=${id}`;
  return (await server.client.send({ method: "GET", path, token })).status === 200;
}

/** A stopped store with a backup, after which `gone` was deleted and `late` was added. */
async function playUntilLoss({ line, apart, start }: Site) {
  const server = await start();
  const acme = await makeAcme(server);
  for (const id of ["stays", "gone", "gone-too"]) await addTransaction(server.client, acme, id);
  const before = await deleteOne(server.client, acme, "before");
  const file = join(apart, "backup.db");
  await line.ask("backup", file);
  await addTransaction(server.client, acme, "late");
  const ids: string[] = [];
  for (const id of ["gone", "gone-too"]) {
    ids.push(await requestDeletion(server.client, acme, id));
    await awaitCompletion(server.client, acme, ids.at(-1) ?? "");
  }
  const { out: receipts } = await line.type("receipt export --include-confidential");
  await server.stop();
  return { acme, file, ids, receipts, before };
}

async function requireConsistent({ line }: Site): Promise<void> {
  const { code, out } = await line.type("check");
  assert.equal(code, 0, out);
}

async function restoreOnly({ line }: Site, file: string): Promise<void> {
  const options = { file, replace: true, sources: [], operator: "operator" };
  await restoreBackup(readConfig(line.environment), { ...options, warn: () => undefined });
}

describe("a backup", () => {
  it("is made while others write, is a complete copy of one moment, and only its owner can read it", async (test) => {
    const { line, apart, start } = makeSite(test);
    const server = await start();
    const acme = await makeAcme(server);
    const done = new AbortController();
    async function write(name: string): Promise<number> {
      for (let number = 0; ; number += 1) {
        if (done.signal.aborted) return number;
        await addTransaction(server.client, acme, `${name}-${number}`);
      }
    }
    const writers = Promise.all([write("one"), write("two")]);
    const file = join(apart, "backup.db");
    const { bytes } = await line.ask("backup", file);
    done.abort();
    assert.ok((await writers).every((count) => count > 0));
    assert.equal(statSync(file).size, bytes);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(apart), ["backup.db"]);
    const copy = await openTestStore(`sqlite:${file}`, { role: "command" });
    assert.deepEqual(await copy.checkIntegrity(), { ok: true, findings: [] });
    await copy.close();
  });

  it("does not contain what was erased before it", async (test) => {
    const { line, apart, start } = makeSite(test);
    const server = await start();
    const acme = await makeAcme(server);
    await addTransaction(server.client, acme, "other");
    await deleteOne(server.client, acme, "tx-1");
    const file = join(apart, "backup.db");
    await line.ask("backup", file);
    const kept = readFileSync(file).toString("latin1").split("SETTLED").length - 1;
    assert.equal(kept, 1);
  });

  it("reports its progress, and never overwrites a file", async (test) => {
    const { line, apart, start } = makeSite(test);
    await start();
    const file = join(apart, "backup.db");
    const { err, out } = await line.type("backup", file);
    assert.match(err, /copied 100%/);
    assert.match(out, /The backup is in/);
    assert.match((await line.fail("backup", file)).message, /exists already/);
    assert.match((await line.fail("backup", "-")).message, /Name a file/);
  });
});

describe("a restore", () => {
  it("serves without what was deleted after the backup, and has receipts that say so", async (test) => {
    const site = makeSite(test);
    const { acme, file, ids, receipts, before: earlier } = await playUntilLoss(site);
    const restored = await site.line.ask("restore", file, "--replace");
    assert.deepEqual(restored["carried_out"], ids);
    const server = await site.start();
    assert.equal(await isThere(server, acme, "stays"), true);
    for (const id of ["gone", "gone-too", "late", "before"]) {
      assert.equal(await isThere(server, acme, id), false, id);
    }
    const old = receipts
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Receipt);
    for (const id of ids) {
      const before = old.find((receipt) => receipt.deletion_request_id === id);
      const status = await awaitCompletion(server.client, acme, id);
      const receipt = status["receipt"] as Receipt;
      assert.equal(receipt.carried_out_again?.because, "restore");
      assert.equal(receipt.carried_out_again.completed_at, before?.completed_at);
      assert.equal(receipt.carried_out_again.receipt_no, before?.receipt_no);
      assert.deepEqual(status["erased"], { transaction: 1 });
      assert.equal(receipt.asked.by, acme.keyId);
    }
    // With the same salts in its disclosures.
    const id = String(earlier["deletion_request_id"]);
    assert.deepEqual(await awaitCompletion(server.client, acme, id), earlier);
    // The chain continues from the receipts that were issued, so that all of them form one chain.
    const { out: now } = await site.line.type("receipt export --include-confidential");
    const issued = withoutManifest(receipts).trim().split("\n");
    const all = [...issued, ...withoutManifest(now).trim().split("\n").slice(1)];
    const published = await server.operate(publishReceiptKeys);
    const verdicts = verifyReceipts(
      all.map((line): unknown => JSON.parse(line)),
      published,
    );
    assert.deepEqual([verdicts.flatMap(({ faults }) => faults), findGaps(verdicts)], [[], []]);
    assert.equal((await site.line.ask("check"))["ok"], true);
    const { out: trail } = await site.line.type("audit export");
    assert.match(trail, /"action":"store.restore".*"backup":"backup.db"/);
    assert.match(trail, /"action":"store.replay".*"deletions":2/);
  });

  it("may be followed by that of an older backup, and again of the newer one", async (test) => {
    const site = makeSite(test);
    const { file } = await playUntilLoss(site);
    const newer = join(site.apart, "newer.db");
    await site.line.ask("backup", newer);
    for (const one of [newer, file, newer]) {
      await site.line.ask("restore", one, "--replace");
      await requireConsistent(site);
    }
  });

  it("is readable by its owner only, whatever the mode of the backup, and removes what a killed one left", async (test) => {
    const site = makeSite(test);
    const { file } = await playUntilLoss(site);
    chmodSync(file, 0o644);
    copyFileSync(file, join(site.folder, "sluice.db.restoring"));
    await site.line.ask("restore", file, "--replace");
    assert.equal(statSync(join(site.folder, "sluice.db")).mode & 0o777, 0o600);
    assert.deepEqual(
      readdirSync(site.folder).filter((name) => name.includes("restoring")),
      [],
    );
  });

  it("is refused by serve until the deletions are replayed", async (test) => {
    const site = makeSite(test);
    const { acme, file, ids } = await playUntilLoss(site);
    // The state after a restore whose process was killed when the file was in place.
    await restoreOnly(site, file);
    await assert.rejects(serve(readConfig(site.line.environment)), / npx sluice deletion replay$/);
    const replayed = await site.line.ask("deletion replay");
    assert.deepEqual(replayed["carried_out"], ids);
    const server = await site.start();
    assert.equal(await isThere(server, acme, "gone"), false);
    assert.deepEqual((await site.line.ask("deletion replay"))["carried_out"], []);
  });

  it("is also noticed when an operator copies the file back by hand", async (test) => {
    const site = makeSite(test);
    const { file } = await playUntilLoss(site);
    copyFileSync(file, join(site.folder, "sluice.db"));
    await assert.rejects(serve(readConfig(site.line.environment)), /deletion replay/);
  });

  it("does not bring back a deletion that was cancelled after the backup", async (test) => {
    const site = makeSite(test);
    const { line, apart } = site;
    const server = await site.start();
    const acme = await makeAcme(server);
    await addTransaction(server.client, acme, "stays");
    await server.stop();
    await line.ask("organization", "set", acme.organizationId, "--deletion-grace", "1s");
    const owner = ["--organization", acme.organizationId] as const;
    const { deletion_request_id: id } = await line.ask(
      "deletion request transaction stays --reason mistake",
      ...owner,
    );
    const file = join(apart, "backup.db");
    await line.ask("backup", file);
    await line.ask("deletion", "cancel", String(id));
    await line.ask("restore", file, "--replace");
    assert.equal((await line.ask("deletion", "show", String(id)))["status"], "cancelled");
    assert.equal((await line.ask("check"))["ok"], true);
    const after = await site.start();
    assert.equal(await isThere(after, acme, "stays"), true);
  });

  it("has the settings of organizations that were changed after the backup", async (test) => {
    const site = makeSite(test);
    const { line, apart } = site;
    const server = await site.start();
    const acme = await makeAcme(server);
    await addTransaction(server.client, acme, "old");
    await server.stop();
    const set = ["organization", "set", acme.organizationId] as const;
    await line.ask(...set, "--retain-days", "1", "--yes");
    const file = join(apart, "backup.db");
    await line.ask("backup", file);
    await line.ask(...set, "--retain-days", "off");
    await line.ask(...set, "--confidential-types", "screening");
    await line.ask(...set, "--strict-scopes", "on");
    await line.ask(...set, "--strict-scopes", "off", "--deletion-approval", "on");
    const before = await line.ask("organization", "show", acme.organizationId);
    await line.ask("restore", file, "--replace");
    // Otherwise a server would erase records that are to be kept.
    assert.deepEqual(await line.ask("organization", "show", acme.organizationId), before);
    assert.equal((await line.ask("check"))["ok"], true);
    await line.ask("restore", file, "--replace");
    assert.deepEqual(await line.ask("organization", "show", acme.organizationId), before);
  });

  it("keeps a deletion that was pending in the backup under its id", async (test) => {
    const site = makeSite(test);
    const server = await site.start();
    const acme = await makeAcme(server);
    await addTransaction(server.client, acme, "tx");
    const hold = ["--organization", acme.organizationId] as const;
    const setFloor = (type: string, keepDays: string) =>
      site.line.ask("retention set", ...hold, "--type", type, "--yes", "--keep-days", keepDays);
    await site.line.ask("deletion hold transaction tx", ...hold, "--reason", "a case");
    for (const type of ["screening", "company"]) await setFloor(type, "5");
    const id = await requestDeletion(server.client, acme, "tx");
    const file = join(site.apart, "backup.db");
    await site.line.ask("backup", file);
    await site.line.ask("deletion release transaction tx", ...hold);
    await awaitCompletion(server.client, acme, id);
    await setFloor("screening", "none");
    for (const keepDays of ["9", "7"]) await setFloor("transaction", keepDays);
    await site.line.ask("retention set --type transaction --delete-after-days 9 --yes", ...hold);
    await server.stop();

    // The release is in the ledger too, so the hold that came back with the backup has no effect.
    const restored = await site.line.ask("restore", file, "--replace");
    assert.deepEqual(restored["carried_out"], [id]);
    const rule = { counted_from: "last_seen", redactable: false, delete_after_days: null };
    // So are changes of retention rules, which do not delay what was completed before.
    assert.deepEqual((await site.line.ask("retention show", ...hold))["rules"], [
      { ...rule, resource_type: "company", keep_days: 5 },
      { ...rule, resource_type: "transaction", keep_days: 7, delete_after_days: 9 },
    ]);
    const again = await site.start();
    assert.equal(await isThere(again, acme, "tx"), false);
  });

  it("changes nothing while the store is served, or holds records and --replace is not given", async (test) => {
    const site = makeSite(test);
    const { acme, file } = await playUntilLoss(site);
    assert.match((await site.line.fail("restore", file)).message, /--replace/);
    const server = await site.start();
    assert.match((await site.line.fail("restore", file, "--replace")).message, /being served/);
    assert.equal(await isThere(server, acme, "late"), true);
  });

  it("refuses a file that is not a backup, or is damaged, and changes nothing", async (test) => {
    const site = makeSite(test);
    const { acme, file } = await playUntilLoss(site);
    const text = join(site.apart, "text.db");
    writeFileSync(text, "not a backup, and long enough to be read".repeat(100));
    assert.match((await site.line.fail("restore", text, "--replace")).message, /is not a backup/);
    truncateSync(file, statSync(file).size - 8_192);
    assert.match(
      (await site.line.fail("restore", file, "--replace")).message,
      /damaged|not a backup/,
    );
    const server = await site.start();
    assert.equal(await isThere(server, acme, "late"), true);
  });

  it("refuses a store that was not closed, whose last changes are in another file, and the store itself", async (test) => {
    const site = makeSite(test);
    const { file } = await playUntilLoss(site);
    const { line, folder, apart } = site;
    const running = await site.start();
    const crashed = join(apart, "crashed.db");
    for (const suffix of ["", "-wal"]) {
      copyFileSync(join(folder, `sluice.db${suffix}`), crashed + suffix);
    }
    await running.stop();
    const refusal = await line.fail("restore", crashed, "--replace");
    assert.match(refusal.message, /crashed\.db-wal contains changes that the file lacks/);
    assert.match(
      (await line.fail("restore", join(folder, "sluice.db"), "--replace")).message,
      /is the store itself/,
    );
    await line.ask("restore", file, "--replace");
  });

  it("refuses the backup of another store where a store is in use", async (test) => {
    const [site, another] = [makeSite(test), makeSite(test)];
    const { acme } = await playUntilLoss(site);
    const { file } = await playUntilLoss(another);
    for (const words of [[], ["--replace"]]) {
      const { message } = await site.line.fail("restore", file, ...words);
      assert.match(message, /is of another store, store_\w+; .* is store_/);
    }
    assert.equal(await isThere(await site.start(), acme, "late"), true);
    // A store in which there is no organization yet was only just made.
    const fresh = makeSite(test);
    await fresh.line.ask("migrate");
    await fresh.line.ask("restore", file);
  });

  it("uses receipts that were stored elsewhere when the ledger is lost", async (test) => {
    const site = makeSite(test);
    const { acme, file, ids, receipts } = await playUntilLoss(site);
    const fresh = makeSite(test);
    const kept = join(fresh.apart, "receipts.ndjson");
    writeFileSync(kept, receipts);
    const restored = await fresh.line.ask("restore", file, "--ledger", kept);
    assert.deepEqual(restored["carried_out"], ids);
    const server = await fresh.start();
    assert.equal(await isThere(server, acme, "gone"), false);
    assert.equal(await isThere(server, acme, "stays"), true);
    const { notes = [] } = await fresh.line.ask("check");
    assert.match(String(notes), /^Another ledger, \w+, .*; it is not the one in DATA_DIR\./);
  });

  it("passes the check on a machine that has neither the ledger nor the key, also when repeated", async (test) => {
    const site = makeSite(test);
    const file = join(site.apart, "backup.db");
    await site.line.ask("organization create", "--name", "Acme");
    await site.line.ask("backup", file);
    const fresh = makeSite(test);
    const { code, err } = await fresh.line.type(`restore ${file}`);
    assert.equal(code, 0, err);
    assert.match(
      err,
      /There is no ledger .*: records that were erased after the backup may be there/,
    );
    await requireConsistent(fresh);
    // The trail then lacks the entry of the first restore, which the ledger has.
    await fresh.line.ask("restore", file, "--replace");
    await requireConsistent(fresh);
  });
});
