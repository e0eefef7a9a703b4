// Acts that need a second person, on the command line with --as.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeCommandLine, ndjsonOf } from "./command-line.ts";
import { addTransaction } from "./write-transactions.ts";

interface Entry {
  readonly action: string;
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

const idIn = (message: string) => /prp_\w+/.exec(message)?.[0] ?? "";

describe("commands that need a second person", () => {
  const line = makeCommandLine();
  const isOn = async () => (await line.ask("organization show acme"))["deletion_approval"];

  it("propose the act with --as, which another person approves or declines", async () => {
    await line.ask("organization create --name Acme --id acme");
    await line.ask("organization set acme --deletion-approval on");
    for (const name of ["anna", "ben"]) await line.ask(`operator create ${name} --role officer`);
    const off = "organization set acme --deletion-approval off --as";
    const { name, message } = await line.fail(...`${off} anna`.split(" "));
    assert.equal(name, "proposed");
    const id = idIn(message);
    assert.ok(message.includes(`sluice proposal approve ${id} --as NAME`), message);
    const listed = await line.ask("proposal list --organization acme");
    const [first] = listed["proposals"] as { proposal_id: string; status: string }[];
    assert.deepEqual([first?.proposal_id, first?.status], [id, "open"]);
    const shown = await line.ask(`proposal show ${id}`);
    assert.match(String(shown["effect"]), /will no longer need a second person/);
    const approve = ["proposal", "approve", id];
    assert.equal((await line.fail(...approve)).name, "not_permitted");
    assert.equal((await line.fail(...approve, "--as", "anna")).name, "not_permitted");
    assert.equal(await isOn(), true);
    await line.ask(`proposal decline ${id} --as ben`);
    assert.equal((await line.fail(...approve, "--as", "ben")).name, "proposal_decided");
    const second = idIn((await line.fail(...`${off} anna`.split(" "))).message);
    assert.equal((await line.ask(`proposal approve ${second} --as ben`))["status"], "approved");
    assert.equal(await isOn(), false);
  });

  it("don't bind the shell of the host, and keep other settings apart", async () => {
    await line.ask("organization set acme --deletion-approval on");
    const mixed = "organization set acme --retain-days 1 --deletion-grace 1h --yes --as otto";
    await line.ask("operator create otto --role officer --role operator");
    await line.refused("invalid", /change them separately/, ...mixed.split(" "));
    await line.ask("organization set acme --retain-days 10 --yes");
    const one = await line.fail(
      ..."organization set acme --retain-days 1 --yes --as otto".split(" "),
    );
    assert.equal(one.name, "proposed");
    const { retain_days: days } = await line.ask("organization show acme");
    assert.equal(days, 10);
    const { out } = await line.type("audit export");
    const entries = out
      .trim()
      .split("\n")
      .map((text) => JSON.parse(text) as Entry);
    const alone = entries.filter(({ action }) => action === "proposal.bypass");
    assert.deepEqual(
      alone.map(({ detail }) => detail),
      [{ act: "organization.change", by: "shell" }],
    );
    const created = entries.find(
      ({ action, subject }) => action === "operator.create" && subject === "otto",
    );
    assert.equal(created?.detail["by"], "shell");
  });

  it("refuse a proposal for a rule that was changed since, and say so before", async () => {
    await line.ask("organization create --name Ruled --id ruled");
    await line.ask("organization set ruled --deletion-approval on");
    const rule = "retention set --organization ruled --type transaction --yes --keep-days";
    await line.ask(rule, "600");
    const id = idIn((await line.fail(...`${rule} 500 --as anna`.split(" "))).message);
    await line.ask(rule, "700");
    const again = /has changed since; it has to be proposed again/;
    assert.match(String((await line.ask("proposal show", id))["effect"]), again);
    await line.refused("proposal_outdated", again, "proposal", "approve", id, "--as", "ben");
  });

  it("say that a proposal was approved already, and not that its object has changed since", async () => {
    await line.ask("organization create --name Twice --id twice");
    await line.ask("organization set twice --deletion-approval on");
    const rule = "retention set --organization twice --type transaction --yes --keep-days";
    await line.ask(rule, "600");
    const id = idIn((await line.fail(...`${rule} 500 --as anna`.split(" "))).message);
    await line.ask("proposal approve", id, "--as", "ben");
    const { name } = await line.fail("proposal", "approve", id, "--as", "ben");
    assert.equal(name, "proposal_decided");
    const days = { keep_days: 500, counted_from: "last_seen", redactable: false };
    const { proposals: listed } = await line.ask("proposal list --all --organization twice");
    const [{ parameters } = {}] = listed as readonly Record<string, unknown>[];
    assert.deepEqual(parameters, { resource_type: "transaction", rule: days });
  });

  it("keep why a hold is released, and show it to those who may know of its record", async () => {
    await line.ask("organization create --name Holding --id holding");
    await line.beside((app) => addTransaction(app, "holding", { tx_id: "held" }));
    const place = "deletion hold transaction held --organization holding --reason audit";
    const hold = String((await line.ask(...place.split(" ")))["hold_id"]);
    await line.ask("organization set holding --deletion-approval on");
    const release = ["deletion", "release", hold, "--as", "anna", "--reason"] as const;
    assert.equal((await line.fail(...release, " ")).code, 2);
    const id = idIn((await line.fail(...release, "the court has decided")).message);
    const shown = await line.ask("proposal show", id);
    assert.match(String(shown["effect"]), /It is released because: the court has decided\./);
    assert.deepEqual(shown["parameters"], { hold_id: hold });
    await line.ask("proposal approve", id, "--as", "ben");
    const { out } = await line.type("audit export");
    const entries = ndjsonOf(out).filter(({ action }) => action === "hold.release");
    const detail = { holdId: hold, because: "the court has decided" };
    assert.deepEqual(
      entries.map((entry) => entry["detail"]),
      [detail],
    );
  });

  it("continue a closing that was to export first, once it is approved", async () => {
    const folder = join(makeTempFolder(), "export");
    const close = [
      "organization close --organization acme --yes --as anna --export",
      folder,
    ] as const;
    const off = "organization set acme --deletion-approval off --as anna".split(" ");
    const late = idIn((await line.fail(...off)).message);
    const id = idIn((await line.fail(...close)).message);
    assert.deepEqual(readdirSync(folder), []);
    const { text } = await approveBy("ben", id);
    assert.match(text, /run the command again/);
    assert.equal((await line.ask("organization show acme"))["deletion_request_id"], null);
    const closed = await line.ask(...close);
    assert.ok(readdirSync(folder).length > 0);
    const shown = await line.ask("proposal show", late);
    assert.match(String(shown["effect"]), /"acme" is closed; it can't be changed/);
    const deletion = String(closed["deletion_request_id"]);
    const approve = ["deletion approve", deletion, "--as"] as const;
    assert.equal((await line.fail(...approve, "anna")).name, "not_permitted");
    await line.ask(...approve, "ben");
  });

  async function approveBy(name: string, id: string): Promise<{ readonly text: string }> {
    const { code, out } = await line.type("proposal approve", id, "--as", name);
    assert.equal(code, 0);
    return { text: out };
  }
});
