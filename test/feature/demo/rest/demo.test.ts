// The demonstration as a whole, small.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { makeTempFolder } from "../../../support/temp-folder.ts";
import { makeCommandLine } from "../../../cli/command-line.ts";
import { runProgram, startProgram } from "../../../cli/program.ts";

const line = makeCommandLine();

interface StepShown {
  readonly step: string;
  readonly requests: number;
  readonly records: number;
}

function stepsOf(report: Readonly<Record<string, unknown>>): ReadonlyMap<string, StepShown> {
  return new Map((report["steps"] as readonly StepShown[]).map((step) => [step.step, step]));
}

describe("the demonstration", () => {
  it("goes through every step, and reports what happened", async () => {
    const report = await line.ask("demo --count 600 --seed 5");
    const steps = stepsOf(report);
    assert.equal(report["ok"], true);
    assert.equal(steps.get("transactions")?.records, 600);
    assert.equal(steps.get("transactions")?.requests, 2);
    assert.equal(steps.get("transaction checks")?.records, 30);
    assert.equal(steps.get("risk assessments")?.records, 60);
    assert.equal(steps.get("updates out of order")?.records, 60);
    assert.equal(steps.get("deletions")?.records, 10);
    assert.equal(report["deletions_completed"], 10);
    assert.deepEqual(readdirSync(line.folder), [], "the store of the environment was used");
  });

  it("tells people the same in a table, with a line a step while it goes", async () => {
    const { code, out, err } = await line.type("demo --count 1");
    assert.equal(code, 0, err);
    assert.match(out, /^step +requests +records +seconds +records\/s +median ms +99% ms$/m);
    assert.match(out, /^transactions +1 +1 /m);
    assert.match(out, /Every reply was correct\./);
    assert.match(err, /^transactions +1 in \d+\.\d\d s$/m);
    assert.ok(!(out + err).includes("sluice_key_"));
    assert.ok(!(out + err).includes("\u001b"));
  });

  it("sends what CSV files hold, and keeps the store if asked to", async () => {
    const folder = makeTempFolder();
    const rows = Array.from(
      { length: 45 },
      (_, index) => `${index},${index + 1},${index}.5,${index % 3}`,
    );
    const transactions = join(folder, "transactions.csv.gz");
    writeFileSync(
      transactions,
      gzipSync(`sourceNodeId,targetNodeId,value,time\n${rows.join("\n")}\n`),
    );
    const accounts = join(folder, "accounts.csv");
    writeFileSync(accounts, "nodeid,isFraud,init_balance,fraudStep\n1,0,5,-1\n2,1,6,3\n");
    const keep = join(folder, "kept");
    const report = await line.ask(
      `demo --transactions ${transactions} --accounts ${accounts} --keep ${keep}`,
    );
    assert.equal(stepsOf(report).get("transactions")?.records, 45);
    assert.equal(report["kept"], keep);
    const kept = makeCommandLine({ folder: keep });
    const { records } = await kept.ask("organization show demo");
    assert.equal((records as Record<string, number>)["risk_assessment"], 2);
    assert.equal((records as Record<string, number>)["transaction"], 45 - 2);
    const { state } = await kept.ask("record show transaction tx-41 --organization demo");
    assert.equal((state as Record<string, unknown>)["status"], "SETTLED");
    const high = await kept.ask("record show risk_assessment assessment-2 --organization demo");
    assert.equal((high["state"] as Record<string, unknown>)["outcome"], "HIGH");
    assert.deepEqual(await kept.ask("check"), { ok: true, findings: [] });
  });

  it("refuses a folder to keep the store in that is not empty, and leaves it alone", async () => {
    const folder = makeTempFolder();
    mkdirSync(join(folder, "mine"));
    const { code, name } = await line.fail("demo --keep", folder);
    assert.deepEqual({ code, name }, { code: 1, name: "input" });
    assert.ok(existsSync(join(folder, "mine")));
  });

  it("refuses to send nothing", async () => {
    const { code, message } = await line.fail("demo --count 0");
    assert.equal(code, 2);
    assert.match(message, /whole number from 1 to/);
  });

  it("fails before it starts anything when a file can't be read", async () => {
    const { name, message } = await line.fail("demo --transactions", join(line.folder, "none.csv"));
    assert.equal(name, "input");
    assert.match(message, /There is no file/);
  });

  it("waits as long as a 429 asks for, and ends well", async () => {
    const slow = makeCommandLine({ environment: { RATE_LIMIT_PER_SECOND: "2" } });
    const report = await slow.ask("demo --count 20");
    assert.ok(Number(report["waits"]) > 0);
    assert.equal(report["deletions_completed"], 1);
  });

  it("leaves nothing behind when it ends, nor when it is stopped midway", async () => {
    const temporary = makeTempFolder();
    const environment = { ...line.environment, TMPDIR: temporary };
    const whole = await runProgram(["demo", "--count", "1"], environment);
    assert.equal(whole.code, 0, whole.err);
    assert.deepEqual(readdirSync(temporary), []);

    const { child, ended } = startProgram(["demo", "--count", "1000000"], environment);
    child.stderr.once("data", () => child.kill("SIGINT"));
    const { code, out, err } = await ended;
    assert.deepEqual({ code, out }, { code: 1, out: "" });
    assert.match(err, /sluice: The demonstration was stopped\.\n$/);
    assert.deepEqual(readdirSync(temporary), []);
  });
});
