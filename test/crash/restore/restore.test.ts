// A restore, a replay, a backup or a move that is killed at any of its steps: nothing that was
// erased is readable, holds are in force, acknowledged data exists, and the next command finishes
// or cleans up.

import assert from "node:assert/strict";
import { platform } from "node:os";
import { describe, it } from "node:test";
import { requireNothingFound } from "../../campaign/in-test.ts";
import { inScenes, killCommands } from "./campaign.ts";

const count = 1;
const seed = 20_261_141;
const skip =
  platform() === "linux" ? {} : { skip: "needs Linux, which the library kill-at is for" };

describe("a killed command", skip, () => {
  it(`restores, replays, backs up and moves safely, killed at a step each`, (test) =>
    inScenes(async (scenarios) => {
      const campaign = { run: killCommands.bind(undefined, scenarios) };
      const { kills } = await requireNothingFound(test, "restore", { campaign, seed, count });
      assert.equal(kills, Object.keys(scenarios).length);
    }));
});
