// `sluice changes`: what operators see of the feed.

import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { makeCommandLine } from "../../cli/command-line.ts";
import { startProgram } from "../../cli/program.ts";
import { addTransaction, updateTransaction } from "../../cli/write-transactions.ts";
import { makeFakeClock } from "../../support/fake-clock.ts";
import { operate } from "../../support/server.ts";

const clock = makeFakeClock();
const line = makeCommandLine({ now: clock.now });
const timestamp = "2026-01-31T09:30:00Z";
await line.ask("organization create --name Acme --id acme");
await operate(line.environment, async (opened) => {
  const app = { ...opened, now: clock.now };
  await addTransaction(app, "acme", { tx_id: "tx-1", timestamp });
  await updateTransaction(app, "acme", { tx_id: "tx-1", amount: 12, timestamp });
});

interface Printed {
  readonly type?: string;
  readonly subject?: string;
  readonly data?: { readonly amount?: number };
  readonly next_offset?: string;
}

async function print(...more: readonly string[]): Promise<readonly Printed[]> {
  const { out } = await line.type("changes", "--organization", "acme", "--json", ...more);
  return out
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text) as Printed);
}

describe("changes", () => {
  it("prints events, and where the next ones begin", async () => {
    const [first, second, last] = await print("--content");
    assert.deepEqual(
      [first?.type, second?.type],
      ["sluice.transaction.created", "sluice.transaction.updated"],
    );
    assert.equal(second?.data?.amount, 12);
    const rest = await print("--from", last?.next_offset ?? "");
    assert.deepEqual(rest, [last]);
    assert.deepEqual((await print("--from", "now")).length, 1);
  });

  it("prints a line for a change, without content", async () => {
    const { out } = await line.type("changes", "--organization", "acme");
    const [first = ""] = out.split("\n");
    assert.match(first, /^\S+Z sluice\.transaction\.created tx-1$/);
  });

  it("prints no control characters of what was sent", async () => {
    const key = "\u009b2J\u007f";
    const other = makeCommandLine();
    await other.ask("organization create --name Acme --id acme");
    await operate(other.environment, async (opened) => {
      const additional_properties = [{ key, value: "v", type: "STRING" }];
      await addTransaction(opened, "acme", { tx_id: "tx-1", additional_properties });
    });
    const { out } = await other.type("changes", "--organization", "acme", "--content");
    assert.match(out, /"key":"\uFFFD2J\uFFFD"/);
  });

  it("ends when the store that it follows is restored", async () => {
    const own = makeCommandLine();
    await own.ask("organization create --name Acme --id acme");
    const backup = join(own.folder, "backup");
    await own.ask("backup", backup);
    const words = ["changes", "--organization", "acme", "--from", "now", "--follow"];
    const { child, ended } = startProgram(words, own.environment);
    after(() => child.kill("SIGKILL"));
    await once(child.stdout, "data");
    await own.ask("restore", backup, "--replace");
    const { code, err } = await ended;
    assert.equal(code, 1);
    assert.match(err, /An operator has restored the store or replayed its deletions/);
  });

  it("follows until it is interrupted", async () => {
    const words = ["changes", "--organization", "acme", "--from", "now", "--follow", "--json"];
    const { child, ended } = startProgram(words, line.environment);
    const [first] = (await once(child.stdout, "data")) as readonly Buffer[];
    assert.match(String(first), /^\{"next_offset":"[0-9a-f]{51}"\}\n$/);
    const printed = once(child.stdout, "data") as Promise<readonly Buffer[]>;
    await operate(line.environment, async (app) => {
      await addTransaction(app, "acme", { tx_id: "tx-followed", timestamp });
    });
    assert.match(String((await printed)[0]), /"subject":"tx-followed"/);
    child.kill("SIGINT");
    assert.equal((await ended).code, 0);
  });

  it("says what an offset has to be", async () => {
    const { err, code } = await line.type("changes", "--organization", "acme", "--from", "12");
    assert.match(err, /--from must be -1, now, or an offset/);
    assert.equal(code, 2);
  });

  it("is in the audit trail", async () => {
    await print();
    const { out } = await line.type("audit", "export", "--organization", "acme");
    const [entry, manifest] = out.trim().split("\n").slice(-2);
    assert.match(entry ?? "", /"records\.export".*"changes":true/);
    assert.match(manifest ?? "", /^\{"sluice_manifest"/);
  });
});
