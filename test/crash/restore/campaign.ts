// Kills restores, replays, backups and moves at their disk steps and at their messages to a server, one step after
// another or as many as time allows, each time starting from the same scene, and verifies what is left. The commands on
// PostgreSQL that are killed at each of their steps and messages, and what has to hold after each kill.

import { join } from "node:path";
import assert from "node:assert/strict";
import { cpSync, rmSync } from "node:fs";
import {
  type Campaign,
  type CampaignOutcome,
  type CampaignRun,
  findingOf,
  makeLimit,
} from "../../campaign/campaign.ts";
import { spread } from "../../campaign/spread.ts";
import { openTestStore } from "../../support/test-store.ts";
import { type PostgresServer, startPostgres } from "../../support/postgres/postgres-server.ts";
import { makeRandom, type Random } from "../../support/random.ts";
import { makeTempFolder, removeFolder } from "../../support/temp-folder.ts";
import {
  copySite,
  makeScene,
  type Place,
  placeIn,
  requireErasedUnreadable,
  requireWhole,
  type Scenario,
  sqliteScenarios,
} from "./scene.ts";
import { runAndKill } from "./shim.ts";
import { StoreError } from "../../../src/store/interface/store-error.ts";
import { makeCommandLine } from "../../cli/command-line.ts";

type Scenarios = Readonly<Record<string, Scenario>>;

interface Figures {
  kills: number;
  /** By command. */
  readonly steps: Record<string, number>;
}

export const crashRestore: Campaign<Figures> = {
  about: "kills restores, replays, backups and moves at every step, and verifies what is left",
  counts: "kills of each command",
  countDefault: 10_000,
  // It needs both in the same run, for the move.
  engines: ["sqlite"],
  run: (run) => inScenes((scenarios) => killCommands(scenarios, run)),
};

/** All commands, on scenes that are removed afterwards. */
export async function inScenes<Result>(
  work: (scenarios: Scenarios) => Promise<Result>,
): Promise<Result> {
  const folder = makeTempFolder();
  const server: PostgresServer = await startPostgres();
  try {
    const [site, onServer] = [join(folder, "sqlite"), join(folder, "postgres")];
    await makeScene(placeIn(site));
    const before = await makePostgresScene(server, onServer);
    return await work({
      ...sqliteScenarios(site),
      "replay on PostgreSQL": replayOnPostgres(server, onServer, before),
      move: moveToPostgres(server, site),
    });
  } finally {
    await server.remove();
    removeFolder(folder);
  }
}

/** `run.countMax`: kills of each command, spread over all of its steps. Stops at the first finding. */
export async function killCommands(
  scenarios: Scenarios,
  run: CampaignRun,
): Promise<CampaignOutcome<Figures>> {
  const isOver = makeLimit({ ...run, countMax: Infinity });
  const killing = new Killing(run);
  const plans = [];
  for (const [name, scenario] of Object.entries(scenarios)) {
    plans.push({ name, scenario, at: await killing.plan(name, scenario) });
  }
  const rounds = Math.max(...plans.map(({ at }) => at.length));
  // In turn, so that a short campaign covers each command.
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, scenario, at } of plans) {
      const step = at[round];
      if (step === undefined) continue;
      if (isOver(0) || killing.findings.length > 0) return killing;
      await killing.kill(name, scenario, step);
    }
  }
  return killing;
}

class Killing implements CampaignOutcome<Figures> {
  readonly findings: string[] = [];
  readonly figures: Figures = { kills: 0, steps: {} };
  readonly #run: CampaignRun;
  readonly #random: Random;

  constructor(run: CampaignRun) {
    this.#run = run;
    this.#random = makeRandom(run.seed);
  }

  /** Runs to the end once, and returns the steps at which to kill. */
  async plan(name: string, scenario: Scenario): Promise<readonly number[]> {
    let count = 0;
    await this.#inCopy(`${name}, to its end`, scenario, async (place) => {
      const { code, err, out, steps } = await runIn(scenario, place, 0);
      if (code !== 0) throw new Error(`ended with ${code}: ${err}${out}`);
      count = steps.length;
      await scenario.verify(place, false);
    });
    this.figures.steps[name] = count;
    const all = Array.from({ length: count }, (_, index) => index + 1);
    return spread(all, { count: this.#run.countMax, random: this.#random });
  }

  async kill(name: string, scenario: Scenario, at: number): Promise<void> {
    await this.#inCopy(`${name}, killed at step ${at}`, scenario, async (place) => {
      const { killed, code, err, steps } = await runIn(scenario, place, at);
      this.#run.tell(`${name} ${at}: ${steps.at(-1) ?? ""}`);
      // The steps differ slightly from run to run; past the last one the command finishes.
      if (!killed && code !== 0) throw new Error(`ended with ${code}: ${err}`);
      if (killed) this.figures.kills += 1;
      await scenario.verify(place, killed);
    });
  }

  async #inCopy(
    what: string,
    { copy }: Scenario,
    work: (place: Place) => Promise<void>,
  ): Promise<void> {
    const { place, remove } = await copy();
    try {
      await work(place);
    } catch (error) {
      this.findings.push(`${what}: ${findingOf(error)}`);
    } finally {
      await remove();
    }
  }
}

function runIn({ words, messages = false }: Scenario, place: Place, at: number) {
  const { environment, root: folder } = place;
  return runAndKill({ words: words(place), environment, folder, messages }, at);
}

/** A scene on the server: its folders, and the database as it was in the middle. */
async function makePostgresScene(server: PostgresServer, site: string): Promise<string> {
  const url = await server.makeDatabase();
  let before = "";
  await makeScene(placeIn(site, { DATABASE_URL: url }), async () => {
    before = await server.makeDatabase({ template: nameOf(url) });
  });
  return before;
}

/** `before`: the database of an earlier moment, as an operator restores it. */
function replayOnPostgres(server: PostgresServer, site: string, before: string): Scenario {
  return {
    messages: true,
    async copy() {
      const root = makeTempFolder();
      cpSync(site, join(root, "site"), { recursive: true });
      const url = await server.makeDatabase({ template: nameOf(before) });
      return {
        place: placeIn(join(root, "site"), { DATABASE_URL: url }),
        async remove() {
          await server.dropDatabase(url);
          removeFolder(root);
        },
      };
    },
    words: ({ receipts }) => ["deletion", "replay", "--ledger", receipts],
    async verify(place) {
      await requireErasedUnreadable(place);
      await requireWhole(place, true);
    },
  };
}

/** `site`: the root of a scene on the embedded store. */
function moveToPostgres(server: PostgresServer, site: string): Scenario {
  const targets = new Map<Place, string>();
  const targetOf = (place: Place) => targets.get(place) ?? "";
  return {
    messages: true,
    async copy() {
      const { place, remove } = copySite(site);
      const target = await server.makeDatabase();
      targets.set(place, target);
      return {
        place,
        async remove() {
          await server.dropDatabase(target);
          await remove();
        },
      };
    },
    words: (place) => ["move", "--to", targetOf(place)],
    async verify(place, killed) {
      const target = targetOf(place);
      const line = makeCommandLine({ folder: place.data, environment: place.environment });
      if (killed && !(await isMoved(target))) {
        const owner = new URL(target).username;
        const empty = `DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION ${owner}`;
        await server.query(empty, target);
        await line.ask("move", "--to", target);
      }
      const onServer = makeCommandLine({
        folder: place.data,
        environment: { DATABASE_URL: target },
      });
      // Nobody can use the target and not know that the embedded store was moved.
      assert.match((await line.fail("organization list")).message, /was moved to postgres:/);
      rmSync(join(place.data, "sluice.db.moved"));
      for (const words of ["deletion holds", "deletion list", "organization show acme"]) {
        assert.deepEqual(await onServer.ask(words), await line.ask(words), words);
      }
      const store = await openTestStore(target, { role: "command" });
      assert.deepEqual(await store.checkIntegrity(), { ok: true, findings: [] });
      await store.close();
      await requireWhole(place, false);
    },
  };
}

/** An unfinished target is rejected, or empty. */
async function isMoved(target: string): Promise<boolean> {
  try {
    const store = await openTestStore(target, { role: "command" });
    try {
      return (await store.listOrganizations()).length > 0;
    } finally {
      await store.close();
    }
  } catch (error) {
    assert.ok(error instanceof StoreError, String(error));
    assert.match(error.message, /not finished/);
    return false;
  }
}

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}
