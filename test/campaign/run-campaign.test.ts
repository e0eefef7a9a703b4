// The command line of the campaigns, on planted ones, and a real campaign that runs by it.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import type { Campaign, CampaignRun } from "./campaign.ts";
import { runCampaign } from "./run-campaign.ts";

const program = join(import.meta.dirname, "main.ts");

/** Finds as many faults as its seed says. */
function plant(runs: CampaignRun[] = []): Campaign {
  return {
    about: "finds what was planted",
    counts: "faults",
    countDefault: 7,
    amounts: { faults: 5 },
    engines: ["sqlite"],
    parts: ["one", "other"],
    run: async (run) => {
      runs.push(run);
      const findings = Array.from({ length: run.seed }, (_, index) => `fault ${index}`);
      return { figures: { faults: findings.length }, findings };
    },
  };
}

async function runPlanted(...words: readonly string[]) {
  const runs: CampaignRun[] = [];
  const lines: string[] = [];
  const code = await runCampaign({ planted: plant(runs) }, words, (line) => lines.push(line));
  return { code, run: runs[0], text: lines.join("\n") };
}

describe("npm run campaign", () => {
  it("lists the campaigns without a name", async () => {
    const { code, run, text } = await runPlanted();
    assert.equal(code, 0);
    assert.equal(run, undefined);
    assert.match(
      text,
      /planted +finds what was planted\n +--count 7 faults, --faults 5, --engine sqlite/,
    );
  });

  it("fails if anything was found, and says how to repeat it", async () => {
    const { code, text } = await runPlanted("planted", "--count", "3", "--seed", "2");
    assert.equal(code, 1);
    assert.match(text, /npm run campaign -- planted --count 3 --seed 2\n/);
    assert.match(text, /FOUND fault 0\nFOUND fault 1\n2 findings, seed 2$/);
  });

  it("succeeds if nothing was found", async () => {
    const { code, run, text } = await runPlanted("planted", "--seed", "0", "--only", "other");
    assert.equal(code, 0);
    assert.match(text, /nothing was found$/);
    const { countMax, budgetMs, engine, only } = run ?? {};
    assert.deepEqual([countMax, budgetMs, engine, only], [7, Infinity, "sqlite", ["other"]]);
  });

  it("is not bounded by a count where a time is given", async () => {
    const { run } = await runPlanted("planted", "--seed", "0", "--budget", "5");
    assert.deepEqual([run?.countMax, run?.budgetMs], [Infinity, 5_000]);
  });

  it("takes amounts that the campaign names", async () => {
    const { run } = await runPlanted("planted", "--seed", "0", "--faults", "9");
    assert.deepEqual(run?.amounts, { faults: 9 });
    const { run: usual } = await runPlanted("planted", "--seed", "0");
    assert.deepEqual(usual?.amounts, { faults: 5 });
  });

  it("takes the time in minutes, too", async () => {
    const { run } = await runPlanted("planted", "--seed", "0", "--minutes", "2");
    assert.deepEqual([run?.countMax, run?.budgetMs], [Infinity, 120_000]);
  });

  it("names the seed that it chose", async () => {
    const { run, text } = await runPlanted("planted", "--budget", "1");
    assert.match(text, new RegExp(`-- planted --budget 1 --seed ${run?.seed}\\n`));
  });

  for (const words of [
    ["unknown"],
    ["toString"],
    ["planted", "--seed", "x"],
    ["planted", "--kills", "3"],
    ["planted", "--minutes", "1h"],
    ["planted", "--engine", "postgres"],
    ["planted", "--only", "none"],
  ]) {
    it(`does not run "${words.join(" ")}"`, async () => {
      const { code, run, text } = await runPlanted(...words);
      assert.equal(code, 2);
      assert.equal(run, undefined);
      assert.notEqual(text, "");
    });
  }

  it("runs a real campaign", async () => {
    const words = [program, "retention", "--seed", "3", "--count", "2"];
    const { stdout } = await promisify(execFile)(process.execPath, words);
    assert.match(stdout, /nothing was found\n$/);
  });
});
