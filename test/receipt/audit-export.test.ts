// The audit trail as operators export it: a chain that anybody can verify by its description alone,
// which says who did what, and never what a record contains. The check names any change in it.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { userInfo } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type CommandLine, makeCommandLine, ndjsonOf } from "../cli/command-line.ts";
import { type Customer, makeCustomer } from "../support/customer.ts";
import { startServer, type Server } from "../support/server.ts";
import { addTransaction, deleteOne } from "./scene.ts";

interface Entry {
  readonly entry_no: number;
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly organization_id: string | null;
  readonly subject: string;
  readonly detail: unknown;
  readonly previous_hash: string;
  readonly hash: string;
}

let server: Server;
let acme: Customer;
let line: CommandLine;

before(async () => {
  server = await startServer();
  acme = await server.operate((app) => makeCustomer(app, server.client));
  line = makeCommandLine({ folder: server.folder });
  const of = ["--organization", acme.organizationId] as const;
  await addTransaction(server.client, acme, "secret-id-held");
  await line.ask("deletion hold transaction secret-id-held", ...of, "--reason", "a case");
  await line.ask("deletion release transaction secret-id-held", ...of);
  await deleteOne(server.client, acme, "secret-id-deleted");
  await line.ask("key revoke", acme.keyId);
});
after(() => server.stop());

async function exported(...words: readonly string[]): Promise<readonly Entry[]> {
  const { code, out } = await line.type("audit export", ...words);
  assert.equal(code, 0);
  return ndjsonOf(out) as unknown as readonly Entry[];
}

describe("the export of the audit trail", () => {
  it("has every act with its actor, oldest first", async () => {
    const acts = (await exported()).map(({ actor, action }) => `${action} by ${actor}`);
    const expected = [
      "organization.create by operator",
      "key.create by operator",
      "hold.place by operator",
      "hold.release by operator",
      `deletion.request by ${acme.keyId}`,
      "deletion.start by worker",
      "deletion.complete by worker",
      "key.revoke by operator",
    ];
    assert.deepEqual(
      acts.filter((act) => !/^(?:receipt_key|export\.manifest)/.test(act)),
      expected,
    );
    // By the user that runs the server.
    assert.ok(acts.includes(`receipt_key.create by ${userInfo().username}`));
  });

  it("never contains an id or the content of a record", async () => {
    const { out } = await line.type("audit export");
    assert.doesNotMatch(out, /secret-id|SETTLED|p-1/);
  });

  it("is a chain that its description alone is enough to verify", async () => {
    let previous = "0".repeat(64);
    for (const [index, entry] of (await exported()).entries()) {
      const { previous_hash, entry_no, at, actor, action, organization_id, subject } = entry;
      const detail = JSON.stringify(entry.detail);
      const list = [previous_hash, entry_no, at, actor, action, organization_id, subject, detail];
      assert.equal(entry.entry_no, index + 1);
      assert.equal(previous_hash, previous);
      assert.equal(entry.hash, hash("sha256", JSON.stringify(list)));
      previous = entry.hash;
    }
  });

  it("links a completed deletion to its receipt", async () => {
    const entries = await exported();
    const detail = entries.find(({ action }) => action === "deletion.complete")?.detail;
    const { out } = await line.type("receipt export --include-confidential");
    const { receipt_no: receiptNo } = ndjsonOf(out)[0] ?? {};
    const { receiptHash } = detail as { receiptHash: string };
    assert.match(receiptHash, /^[0-9a-f]{64}$/);
    assert.deepEqual(detail, { receiptNo, receiptHash });
  });

  it("can begin after an entry, and be limited to one organization", async () => {
    const all = await exported();
    assert.deepEqual((await exported("--after", "3")).slice(0, all.length - 3), all.slice(3));
    const own = await exported("--organization", acme.organizationId);
    assert.deepEqual(
      own,
      all.filter(({ organization_id }) => organization_id === acme.organizationId),
    );
  });

  it("fails for an organization that does not exist, as the export of receipts does", async () => {
    for (const group of ["audit", "receipt"]) {
      const { code, name } = await line.fail(group, "export", "--organization", "nobody");
      assert.deepEqual([code, name], [1, "no_such_organization"]);
    }
  });

  it("reveals a change to an entry, which the check names, as it does for receipts", async () => {
    const database = new DatabaseSync(join(server.folder, "sluice.db"), { timeout: 10_000 });
    database.exec("UPDATE audit_entry SET actor = 'nobody' WHERE entry_no = 4");
    const { code, out } = await line.type("check");
    assert.equal(code, 3);
    assert.match(out, /audit chain is broken at entry 4/);
    database.exec("UPDATE receipt SET document = replace(document, 'no longer', 'still')");
    database.close();
    assert.match((await line.type("check")).out, /Receipt 1 was altered/);
  });
});
