// The acts of operators are in the audit trail under their names: changes as well as reads.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { readOperator } from "../../src/cli/option-flag.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeCommandLine, entriesOf } from "./command-line.ts";
import { runProgram } from "./program.ts";
import { addTransaction } from "./write-transactions.ts";

const line = makeCommandLine();
const ofAcme = ["--organization", "acme"] as const;
await line.ask("organization create --name Acme --id acme");
await line.beside((app) => addTransaction(app, "acme", { tx_id: "secret-id" }));
await line.ask("operator create", "Zoë Müller", "--role", "operator");
await line.ask("operator create zoe --role officer");

interface Entry {
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

async function trail(): Promise<readonly Entry[]> {
  const { out } = await line.type("audit export");
  return entriesOf(out) as unknown as readonly Entry[];
}

async function lastEntry(): Promise<Entry | undefined> {
  return (await trail()).at(-1);
}

describe("the audit trail", () => {
  it("has who read a record, and not its id", async () => {
    await line.ask("record show transaction secret-id", ...ofAcme);
    const { action, subject } = (await lastEntry()) ?? {};
    assert.equal(action, "record.show");
    assert.match(subject ?? "", /^transaction sha256:[0-9a-f]{64}$/);
    const before = (await trail()).length;
    await line.fail("record show transaction nothing", ...ofAcme);
    assert.equal((await trail()).length, before);
  });

  it("has what was exported, imported and backed up", async () => {
    await line.type("export transaction --history", ...ofAcme);
    const { action, subject, detail } = (await lastEntry()) ?? {};
    assert.deepEqual([action, subject], ["records.export", "acme"]);
    assert.deepEqual(detail, { resourceType: "transaction", history: true, format: "ndjson" });

    const apart = makeTempFolder();
    const file = join(apart, "persons.ndjson");
    writeFileSync(file, "");
    await line.type("import", file, "--type", "person", ...ofAcme, "--state", apart);
    assert.equal((await lastEntry())?.action, "records.import");
    assert.deepEqual((await lastEntry())?.detail, { resourceType: "person", update: false });

    await line.ask("backup", join(apart, "backup.db"));
    assert.equal((await lastEntry())?.action, "store.backup");
  });

  it("has the name of the operator, or that of the user of the operating system", async () => {
    await line.ask("organization set acme --name New --as", "Zoë Müller");
    assert.equal((await lastEntry())?.actor, "Zoë Müller");
    await line.ask("organization set acme --name Newer");
    assert.equal((await lastEntry())?.actor, "operator");
    const words = ["organization", "set", "acme", "--name", "Newest"];
    assert.equal((await runProgram(words, line.environment)).code, 0);
    assert.equal((await lastEntry())?.actor, userInfo().username);
  });

  it("reserves its own names", async () => {
    for (const name of [
      "worker",
      "retention",
      "key_4fQ2mN8sT1vXc7Za",
      "",
      " x",
      "a\nb",
      "x".repeat(101),
    ]) {
      assert.throws(() => readOperator(name), /name/, name);
      const { code } = await line.fail("organization set acme --name X --as", name);
      assert.equal(code, 2);
    }
  });
});

describe("--as", () => {
  const set = "organization set acme --name X --as";

  it("needs an operator who exists and is active", async () => {
    await line.refused("no_such_operator", /There are: Zoë Müller, zoe\./, set, "nobody");
    await line.ask("operator create leaving --role operator");
    await line.ask("operator disable leaving");
    assert.equal((await line.fail(set, "leaving")).name, "operator_disabled");
  });

  it("needs a role that allows what the command does, and then changes nothing", async () => {
    const before = (await trail()).length;
    const { name, message } = await line.fail(set, "zoe");
    assert.equal(name, "not_permitted");
    assert.match(message, /zoe may not change the settings.*the role operator may/);
    const refused = [
      ["key create --organization acme --as zoe"],
      ["backup", join(makeTempFolder(), "backup.db"), "--as", "zoe"],
      ["operator create eve --role operator --as zoe"],
      ["record show transaction secret-id --organization acme --as", "Zoë Müller"],
      ["deletion hold transaction secret-id --organization acme --reason r --as", "Zoë Müller"],
    ];
    for (const words of refused) {
      assert.equal((await line.fail(...words)).name, "not_permitted", words.join(" "));
    }
    assert.equal((await trail()).length, before);
  });

  it("creates no store", async () => {
    const empty = makeCommandLine();
    const { code } = await empty.fail("organization create --name A --as zoe");
    assert.equal(code, 1);
    assert.equal((await empty.fail("organization list")).name, "store");
  });
});

describe("operator create, list, disable and link", () => {
  it("have an account whose name is never used again", async () => {
    const made = await line.ask(
      "operator create anna --role officer --role auditor --role officer",
    );
    assert.deepEqual(made["roles"], ["officer", "auditor"]);
    for (const name of ["anna", "leaving"]) {
      const again = await line.fail("operator create", name, "--role", "viewer");
      assert.equal(again.name, "operator_exists");
    }
    for (const name of ["worker", "key_1", "", "a\nb"]) {
      assert.notEqual((await line.fail("operator create", name, "--role", "viewer")).code, 0);
    }
    assert.equal((await line.fail("operator create x --role king")).code, 2);
    const { out } = await line.type("operator list");
    assert.match(out, /anna +officer, auditor +active/);
    assert.match(out, /leaving +operator +disabled 20/);
  });

  it("print a link for an active operator, whose secret is stored as a hash only", async () => {
    const made = await line.ask("operator link anna");
    assert.match(
      String(made["url"]),
      /^http:\/\/localhost:\d+\/console\/link\?token=sluice_link_\w{49}$/,
    );
    assert.match(
      (await line.type("operator link anna")).out,
      /^If the console has another address/m,
    );
    const minutes = (Date.parse(String(made["expires_at"])) - Date.now()) / 60_000;
    assert.ok(minutes > 8 && minutes <= 10);
    assert.equal((await line.fail("operator link leaving")).name, "operator_disabled");
    assert.equal((await line.fail("operator link nobody")).name, "no_such_operator");
    const secret = String(made["url"]).split("=")[1] ?? "";
    assert.ok(!JSON.stringify(await trail()).includes(secret));
  });
});

describe("deletion request", () => {
  it("requests what a DELETE would, of a record of any type, and prints its id", async () => {
    const words = ["deletion request transaction secret-id", ...ofAcme, "--reason", "case 77"];
    const asked = await line.ask(...words, "--as", "zoe");
    assert.equal(asked["status"], "pending");
    assert.equal(asked["reason"], "case 77");
    // The organization reads this one.
    assert.equal(asked["requested_by"], "operator");
    assert.equal(asked["requester"], "zoe");
    const { actor, action } = (await lastEntry()) ?? {};
    assert.deepEqual([actor, action], ["zoe", "deletion.request"]);
    assert.equal((await line.ask(...words))["deletion_request_id"], asked["deletion_request_id"]);
    const { out } = await line.type(...words);
    assert.match(
      out,
      new RegExp(`^The deletion request is ${String(asked["deletion_request_id"])} \\(pending\\)`),
    );
  });
});

describe("organization set --retain-days", () => {
  it("changes nothing without --yes, and lists what it would delete", async () => {
    await line.beside((app) =>
      addTransaction(app, "acme", { tx_id: "tx-old", timestamp: "2020-01-01T00:00:00Z" }),
    );
    const { name, message } = await line.fail("organization set acme --retain-days 30");
    assert.equal(name, "not_confirmed");
    assert.match(
      message,
      /Nothing was changed.*would be deleted +\d+ transaction.*transaction tx-old.*Add --yes/s,
    );
    assert.equal((await line.ask("organization show acme"))["retain_days"], null);
    const set = await line.ask("organization set acme --retain-days 30 --yes");
    assert.equal(set["retain_days"], 30);
  });

  it("requires no confirmation if it deletes no more than before", async () => {
    assert.equal((await line.ask("organization set acme --retain-days 60"))["retain_days"], 60);
    assert.equal((await line.fail("organization set acme --retain-days 59")).name, "not_confirmed");
    assert.equal((await line.ask("organization set acme --retain-days off"))["retain_days"], null);
    assert.equal((await line.ask("organization set acme --name A"))["retain_days"], null);
  });
});

describe("deletion approve", () => {
  it("needs a person who has not requested the deletion, and is shown with it", async () => {
    await line.beside((app) => addTransaction(app, "acme", { tx_id: "two" }));
    await line.ask("operator create otto --role officer");
    await line.ask("organization set acme --deletion-approval on --as zoe");
    const refused = ["organization set acme --deletion-approval off --as", "Zoë Müller"];
    assert.equal((await line.fail(...refused)).name, "not_permitted");
    const asked = await line.ask("deletion request transaction two --reason r --as zoe", ...ofAcme);
    const id = String(asked["deletion_request_id"]);
    for (const [words, name, message] of [
      [`deletion approve ${id}`, "not_permitted", /add --as NAME/],
      [`deletion approve ${id} --as zoe`, "not_permitted", /zoe requested .* another person/],
      [`deletion approve ${id} --as leaving`, "operator_disabled", /leaving/],
    ] as const) {
      await line.refused(name, message, words);
    }
    const waiting = await line.ask("deletion show", id);
    assert.equal(waiting["status"], "pending");
    assert.equal(waiting["waiting_for"], "the approval of a second person");
    const approved = await line.ask(`deletion approve ${id} --as otto`);
    const { approved_at: approvedAt, ...approval } = approved["approval"] as Record<
      string,
      unknown
    >;
    assert.deepEqual(approval, { requested_by: "zoe", approved_by: "otto" });
    assert.match(String(approvedAt), /Z$/);
    assert.equal((await line.fail(`deletion approve ${id} --as otto`)).name, "approved_before");
    assert.equal((await lastEntry())?.action, "deletion.approve");
    await line.ask("deletion cancel", id);
    assert.equal((await line.fail(`deletion approve ${id} --as otto`)).name, "not_pending");
  });
});
