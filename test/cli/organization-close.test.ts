// `sluice organization close`: what it exports, what it rejects, and what is left to see afterwards.

import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  truncateSync,
} from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { closeOrganization } from "../../src/actions/access/close-organization.ts";
import type { Context } from "../../src/cli/command.ts";
import { makeContext } from "../../src/cli/context.ts";
import { loadTable } from "../../src/process/command-table.ts";
import { exportOrganization } from "../../src/cli/organization-export.ts";
import type { Organization } from "../../src/domain/access.ts";
import { processDeletions } from "../../src/actions/deletion/process-deletions.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { tryFileLock } from "../../src/store/open-store.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { type CommandLine, makeCommandLine, entriesOf, withoutManifest } from "./command-line.ts";
import { addTransaction, updateTransaction } from "./write-transactions.ts";

const commandTable = await loadTable();

/** Three transactions, one of them with two changes. */
async function createFilled(line: CommandLine, id: string): Promise<void> {
  await line.ask("organization create --name", id, "--id", id);
  await line.beside(async (app) => {
    for (const txId of ["tx-1", "tx-2", "tx-3"]) await addTransaction(app, id, { tx_id: txId });
    const timestamp = "2026-02-01T09:30:00Z";
    await updateTransaction(app, id, { tx_id: "tx-1", status: "SETTLED", timestamp });
  });
}

const exportAll = () => Promise.reject(new Error("the disk is full"));

function contextOf({ environment }: CommandLine): Context {
  const silent = { isTTY: false, write: () => true };
  const options = { json: true, as: undefined, table: commandTable };
  return makeContext({ environment, out: silent, err: silent }, options);
}

describe("organization close", () => {
  const line = makeCommandLine();
  // Not in the data folder, where `check` would find unknown files.
  const folder = join(makeTempFolder(), "export");
  const close = ["organization", "close", "--organization", "acme"] as const;

  before(async () => {
    for (const id of ["acme", "other"]) await createFilled(line, id);
  });

  it("only says what it would delete unless it is confirmed", async () => {
    const { name, message } = await line.fail(...close);
    assert.equal(name, "not_confirmed");
    assert.match(
      message,
      /Nothing was changed.*"acme" \(acme\).*delete 3 transaction\. .* Add --yes/,
    );
    const shown = await line.ask("organization show acme");
    assert.equal(shown["closed_at"], null);
  });

  it("refuses an unknown organization", async () => {
    const { name } = await line.fail("organization close --organization x --yes");
    assert.equal(name, "no_such_organization");
  });

  it("changes nothing if a file of the export exists already", async () => {
    mkdirSync(join(folder, "person.ndjson"), { recursive: true });
    const { name, message } = await line.fail(...close, "--export", folder, "--yes");
    assert.equal(name, "output");
    assert.match(message, /person\.ndjson can't be written: it is a folder/);
    assert.equal((await line.ask("organization show acme"))["closed_at"], null);
    rmdirSync(join(folder, "person.ndjson"));
  });

  it("closes it, exports every change, and requests one deletion", async () => {
    const history = await line.type("export transaction --organization acme --history");
    const closed = await line.ask(...close, "--export", folder, "--reason", "ended", "--yes");
    assert.match(String(closed["closed_at"]), /Z$/);
    const names = recordTypes.map(({ resourceType }) => `${resourceType}.ndjson`);
    assert.deepEqual(readdirSync(folder).sort(), [...names, "manifest.json"].sort());
    assert.equal(statSync(join(folder, "transaction.ndjson")).mode & 0o777, 0o600);
    const text = readFileSync(join(folder, "transaction.ndjson"), "utf8");
    assert.equal(text, withoutManifest(history.out));
    const id = String(closed["deletion_request_id"]);
    const shown = await line.ask("deletion show --include-confidential", id);
    assert.equal(shown["resource_type"], "organization");
    assert.equal(shown["resource_id"], "acme");
    assert.equal(shown["reason"], "ended");
    assert.equal(shown["status"], "pending");
  });

  it("is refused while another command closes an organization", async () => {
    const lock = tryFileLock(join(line.folder, "organization-close.lock"));
    const { name } = await line.fail("organization close --organization other --yes");
    lock?.release();
    assert.equal(name, "being_closed");
    assert.equal((await line.ask("organization show other"))["closed_at"], null);
  });

  it("never writes over the export of another organization", async () => {
    const words = ["--organization", "other", "--export", folder, "--yes"];
    const { name, message } = await line.fail("organization close", ...words);
    assert.equal(name, "output");
    assert.match(message, /contains the export of the organization "acme" that was closed at/);
    assert.equal((await line.ask("organization show other"))["closed_at"], null);
  });

  it("says the same when it is repeated, and changes nothing", async () => {
    const trail = await line.type("audit export");
    const { closed_at, deletion_request_id } = await line.ask("organization show acme");
    for (const words of [[], ["--yes"], ["--yes", "--export", folder]]) {
      const again = await line.ask(...close, ...words);
      assert.equal(again["closed_at"], closed_at);
      assert.equal(again["deletion_request_id"], deletion_request_id);
      const exported = again["exported"] as Readonly<Record<string, number>> | null;
      assert.equal(exported?.["transaction"], words.length > 1 ? 4 : undefined);
    }
    const { code, out } = await line.type(`${close.join(" ")} --yes`);
    assert.equal(code, 0);
    assert.match(out, /was closed at .*Z already\. .* see: npx sluice deletion show del_/);
    const { out: after } = await line.type("audit export");
    assert.deepEqual(entriesOf(after), entriesOf(trail.out));
  });

  it("is refused when it is repeated with an export that was never made", async () => {
    const { name, message } = await line.fail(...close, "--yes", "--export", makeTempFolder());
    assert.equal(name, "organization_closed");
    assert.match(message, /contains no complete export of it\. .* sluice deletion show del_/);
  });

  const rejected: readonly (readonly string[])[] = [
    ["organization", "create", "--name", "again", "--id", "acme"],
    ["organization", "set", "acme", "--name", "new"],
    ["key", "create", "--organization", "acme"],
    ["deletion", "request", "transaction", "tx-1", "--organization", "acme", "--reason", "r"],
    ["import", "none.ndjson", "--type", "transaction", "--organization", "acme"],
  ];
  for (const words of rejected) {
    it(`refuses ${words.slice(0, 2).join(" ")} from then on`, async () => {
      assert.equal((await line.fail(...words)).name, "organization_closed");
    });
  }

  it("can't be cancelled", async () => {
    const { deletion_request_id: id } = await line.ask("organization show acme");
    await line.refused("organization_closed", /can't be cancelled/, "deletion cancel", String(id));
  });

  it("is processed by the worker, and shown", async () => {
    const { signal: stopping } = new AbortController();
    const [done] = await line.beside((app) =>
      processDeletions(app, { claimant: "test", stopping }),
    );
    assert.equal(done?.result, "completed");
    const shown = await line.ask("organization show acme --include-confidential");
    assert.equal(shown["deletion_status"], "completed");
    assert.deepEqual(shown["records"], {});
    assert.deepEqual((await line.ask("organization show other"))["records"], {
      transaction: 3,
    });
    const { out } = await line.type("organization list");
    assert.match(out, /^acme .*Z \(del_\w+\)$/m);
    assert.equal((await line.type("check")).code, 0);
    assert.equal((await line.type("check --erasure")).code, 0);
  });
});

describe("organization close, under a hold and a retention floor", () => {
  const line = makeCommandLine();
  const close = ["organization", "close", "--organization", "acme"] as const;

  it("says what it waits for, before and after, and the rules can still be changed", async () => {
    await createFilled(line, "acme");
    const floor = ["retention", "set", "--organization", "acme", "--type", "transaction"] as const;
    await line.ask(...floor, "--keep-days", "10000");
    const record = ["transaction", "tx-2", "--organization", "acme"];
    const held = await line.ask("deletion hold", ...record, "--reason", "r");
    const { message } = await line.fail(...close);
    const both =
      /once all its holds have ended and the last retention floor of its records \(up to 10,000 days\) has ended/;
    assert.match(message, both);
    const { out } = await line.type(`${close.join(" ")} --yes`);
    assert.match(out, /Nothing is erased until all its holds .* \(up to 10,000 days\) has ended\./);
    const processAll = () =>
      line.beside((app) =>
        processDeletions(app, { claimant: "test", stopping: new AbortController().signal }),
      );
    assert.deepEqual(await processAll(), []);
    const show = async () => (await line.type("organization show acme --include-confidential")).out;
    assert.match(await show(), /pending, waiting for a hold on transaction tx-2/);
    await line.ask("deletion release", String(held["hold_id"]));
    assert.deepEqual(await processAll(), []);
    assert.match(await show(), /waiting for the retention floor of transaction tx-\d: 10,000 days/);
    assert.match((await line.type("retention show --organization acme")).out, /^closed/m);
    const { deletion_request_id: id } = await line.ask("organization show acme");
    const waiting = await line.ask("deletion show --include-confidential", String(id));
    assert.equal(typeof waiting["floor_until"], "string");
    await line.ask(...floor, "--keep-days", "none", "--yes");
    const [done] = await processAll();
    assert.equal(done?.result, "completed");
  });
});

describe("organization close, interrupted", () => {
  const line = makeCommandLine();

  it("lets nobody else delete what is still being exported", async () => {
    await createFilled(line, "busy");
    const folder = makeTempFolder();
    const { signal: stopping } = new AbortController();
    const closing = { organizationId: "busy", reason: "ended" };
    const { deletion } = await line.beside((app) =>
      closeOrganization(app, {
        ...closing,
        exportAll: async (organization) => {
          await assert.rejects(closeOrganization(app, closing), /still being made/);
          return await exportOrganization(contextOf(line), app, { organization, folder, stopping });
        },
      }),
    );
    assert.equal(deletion.status, "pending");
  });

  it("continues without an export if none was wanted", async () => {
    await createFilled(line, "plain");
    const fails = new Error("the server is away");
    const once = line.beside((app) => {
      const store = { ...app.store, requestOrganizationDeletion: () => Promise.reject(fails) };
      return closeOrganization({ ...app, store }, { organizationId: "plain", reason: "ended" });
    });
    await assert.rejects(once, fails);
    const closed = await line.ask("organization close --organization plain --yes");
    assert.match(String(closed["deletion_request_id"]), /^del_/);
  });

  it("leaves a closed organization and its records, and continues when it is run again", async () => {
    await createFilled(line, "acme");
    const closing = { organizationId: "acme", reason: "ended", exportAll };
    const closed = line.beside((app) => closeOrganization(app, closing));
    await assert.rejects(closed, /disk is full/);
    const shown = await line.ask("organization show acme --include-confidential");
    assert.match(String(shown["closed_at"]), /Z$/);
    assert.equal(shown["deletion_request_id"], null);
    assert.deepEqual(shown["records"], { transaction: 3 });
    assert.match((await line.type("organization list")).out, /nothing is deleted yet/);
    const folder = makeTempFolder();
    const close = ["organization", "close", "--organization", "acme", "--yes"];
    const { err } = await line.type(...close);
    assert.match(
      err,
      /was to export its records first\. .* Add --export DIR .* or --without-export/,
    );
    assert.equal((await line.ask("organization show acme"))["deletion_request_id"], null);
    const words = [...close, "--export", folder];
    const { signal: stopping } = new AbortController();
    const fails = new Error("the server is away");
    const once = line.beside(async (app) => {
      const complete = (organization: Organization) =>
        exportOrganization(contextOf(line), app, { organization, folder, stopping });
      const store = { ...app.store, requestOrganizationDeletion: () => Promise.reject(fails) };
      await closeOrganization({ ...app, store }, { ...closing, exportAll: complete });
    });
    await assert.rejects(once, fails);
    const manifest = readFileSync(join(folder, "manifest.json"), "utf8");
    appendFileSync(join(folder, "transaction.ndjson"), "{}\n");
    assert.match(
      (await line.fail(...words)).message,
      /transaction\.ndjson is not what the manifest describes/,
    );
    const size = statSync(join(folder, "transaction.ndjson")).size - 3;
    truncateSync(join(folder, "transaction.ndjson"), size);
    const { exported } = await line.ask(...words);
    assert.equal(readFileSync(join(folder, "manifest.json"), "utf8"), manifest);
    assert.equal((exported as Readonly<Record<string, number>>)["transaction"], 4);
  });
});
