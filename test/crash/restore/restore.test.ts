// A restore, a replay, a backup or a move that is killed at any of its steps: nothing that was
// erased is readable, holds are in force, acknowledged data exists, and the next command finishes
// or cleans up.

import assert from "node:assert/strict";
import { platform } from "node:os";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { type PostgresServer, startPostgres } from "../../support/postgres/postgres-server.ts";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";
import { makePostgresScene, moveToPostgres, replayOnPostgres } from "./postgres-scenarios.ts";
import { runRestoreCampaign, type Scenario } from "./restore-campaign.ts";
import { makeScene, placeIn } from "./scene.ts";
import { sqliteScenarios } from "./sqlite-scenarios.ts";

const kills = 3;
const seed = 20_261_141;
const skip =
  platform() === "linux" ? {} : { skip: "needs Linux, which the library kill-at is for" };
const folder = makeTempFolder();
const site = join(folder, "sqlite");

after(() => removeFolder(folder));

async function requireNothingFound(
  test: TestContext,
  scenarios: Readonly<Record<string, Scenario>>,
): Promise<void> {
  const options = { seed, killsMax: kills, budgetMs: Infinity };
  const { findings, ...figures } = await runRestoreCampaign(scenarios, options);
  test.diagnostic(JSON.stringify(figures));
  assert.deepEqual(findings, [], `npm run campaign -- restore --seed ${seed} --count ${kills}`);
  assert.ok(figures.kills >= Object.keys(scenarios).length * (kills - 2));
}

async function failIfKilled(_: unknown, killed: boolean): Promise<void> {
  if (killed) throw new Error("something is left");
}

describe("a killed command", skip, () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
    await makeScene(placeIn(site));
  });
  after(() => server.remove());

  it(`restores, replays and backs up safely, killed at ${kills} steps each`, (test) =>
    requireNothingFound(test, sqliteScenarios(site)));

  it("is reported if it leaves a wrong state", async () => {
    const { backup } = sqliteScenarios(site);
    assert.ok(backup);
    const scenarios = { backup: { ...backup, verify: failIfKilled } };
    const options = { seed, killsMax: 5, budgetMs: Infinity };
    const { findings, kills: done } = await runRestoreCampaign(scenarios, options);
    assert.equal(done, 1);
    assert.match(findings.join(), /^backup, killed at step \d+: Error: something is left/);
  });

  it(`replays on PostgreSQL and moves there safely, killed at ${kills} steps each`, async (test) => {
    const onServer = join(folder, "postgres");
    const earlier = await makePostgresScene(server, onServer);
    await requireNothingFound(test, {
      "replay on PostgreSQL": replayOnPostgres(server, onServer, earlier),
      move: moveToPostgres(server, site),
    });
  });
});
