// `sluice move`, killed in every phase: only the same move can use the database until it is
// complete, and then all data is there.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openStore } from "../../src/store/open-store.ts";
import { acme, operator, organization, transaction, write } from "../conformance/scene.ts";
import { type PostgresServer, startPostgres } from "../support/postgres/postgres-server.ts";
import { makeRandom } from "../support/random.ts";
import { testEnvironment } from "../support/service.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { runKillCampaign } from "./kill-campaign.ts";

/** Enough that reading them takes longer than starting a kill. */
const records = 10_000;
const listLength = 1_000;

describe("a killed move", () => {
  let server: PostgresServer;
  const folder = makeTempFolder();
  const environment = testEnvironment(folder);
  before(async () => {
    server = await startPostgres();
    const store = await openStore(environment["DATABASE_URL"] ?? "", { role: "command" });
    await store.createOrganization(organization(acme), operator);
    for (let from = 0; from < records; from += listLength) {
      const ids = Array.from({ length: listLength }, (_, index) => `t${from + index}`);
      await write(
        store,
        ids.map((id) => transaction(id)),
      );
    }
    await store.close();
  });
  after(async () => {
    await server.remove();
    removeFolder(folder);
  });

  it("leaves a database that every command refuses, until the same move has been finished", async () => {
    const kills = Number(process.env["SLUICE_TEST_MOVE_KILLS"] ?? 6);
    const random = makeRandom(kills);
    const counts = await runKillCampaign({ server, environment, kills, random });
    if (kills > 6) process.stdout.write(`${JSON.stringify(counts)}\n`);
    assert.ok(counts.reading > 0, JSON.stringify(counts));
    assert.ok(counts.copying + counts.verifying > 0, JSON.stringify(counts));
  });
});
