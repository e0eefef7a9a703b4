// A restore, a replay, a backup or a move that is killed at any of its steps: nothing that was
// erased is readable, holds are in force, acknowledged data exists, and the next command finishes
// or cleans up.

import assert from "node:assert/strict";
import { platform } from "node:os";
import { describe, it } from "node:test";
import { requireNothingFound, shortRun } from "../../campaign/in-test.ts";
import { inScenes, killCommands } from "./campaign.ts";

const count = 1;
const seed = 20_261_141;
const skip =
  platform() === "linux" ? {} : { skip: "needs Linux, which the library kill-at is for" };

async function failIfKilled(_: unknown, killed: boolean): Promise<void> {
  if (killed) throw new Error("something is left");
}

describe("a killed command", skip, () => {
  it(`restores, replays, backs up and moves safely, killed at a step each`, (test) =>
    inScenes(async (scenarios) => {
      const campaign = { run: killCommands.bind(undefined, scenarios) };
      const { kills } = await requireNothingFound(test, "restore", { campaign, seed, count });
      assert.equal(kills, Object.keys(scenarios).length);

      const { backup } = scenarios;
      assert.ok(backup);
      const wrong = { backup: { ...backup, verify: failIfKilled } };
      const { findings, figures } = await killCommands(wrong, shortRun({ seed, count: 2 }));
      assert.equal(figures.kills, 1, "it is reported if it leaves a wrong state");
      assert.match(findings.join(), /^backup, killed at step \d+: Error: something is left/);
    }));
});
