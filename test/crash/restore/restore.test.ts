// A restore, a replay or a backup that is killed, at whichever of its steps: nothing that was erased is readable, holds are in force,
// what was acknowledged is there, and the next command finishes or clears up.

import assert from "node:assert/strict";
import { platform } from "node:os";
import { describe, it } from "node:test";
import { runRestoreCampaign } from "./restore-campaign.ts";

const kills = 6;

describe("a restore, a replay and a backup", () => {
  const options = platform() === "linux" ? {} : { skip: "the library that kills is for Linux" };
  it(`are safe to be killed at ${kills} steps each`, options, async (test) => {
    const seed = 20_261_141;
    const report = await runRestoreCampaign({ seed, killsMax: kills, budgetMs: Infinity });
    const { findings, ...figures } = report;
    test.diagnostic(JSON.stringify(figures));
    assert.deepEqual(findings, [], `npm run crash:restore -- --seed ${seed} --kills ${kills}`);
    assert.ok(figures.kills >= kills * 3);
  });
});
