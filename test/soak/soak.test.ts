// A short soak on SQLite: the mixed load runs, and nothing that was acknowledged is missing. `npm run campaign -- soak`
// runs for an hour on either engine, and compares its minutes. Crashes under load run on both.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CampaignRun } from "../campaign/campaign.ts";
import { requireNothingFound } from "../campaign/in-test.ts";
import { openSite } from "../abuse/site.ts";
import { makeRandom } from "../support/random.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";
import { runSoak, Traffic } from "./campaign.ts";

const campaign = {
  run: (run: CampaignRun) => runSoak(run, { rowMs: 1_000, rowsOfImport: 300 }),
};

describe("the check at the end of a soak", () => {
  it("finds a row that was acknowledged and is missing", async () => {
    const folder = makeTempFolder();
    const site = await openSite("sqlite");
    try {
      const random = makeRandom(1);
      const traffic = new Traffic(site, { random, folder, rowsOfImport: 10 });
      await traffic.run(0, 100);
      const { server, target } = site;
      const body = { tx_id: "streamed-0-0-0", reason: "test" };
      const ask = { method: "DELETE", path: "/v2/transaction", token: target.token, body };
      const { body: deletion } = await server.client.send(ask);
      await waitFor("the deletion to be completed", async () => {
        const query = { deletion_request_id: deletion.deletion_request_id ?? "" };
        const status = { method: "GET", path: "/v2/deletion_request", token: target.token, query };
        return (await server.client.send(status)).body.status === "completed";
      });
      const findings = await traffic.verify();
      const { rows } = traffic.counts;
      assert.deepEqual(findings, [`of ${rows} rows ${rows - 1} are stored`]);
    } finally {
      await site.close();
      removeFolder(folder);
    }
  });
});

describe("a server under a mixed load", () => {
  it("loses nothing that it acknowledged, and completes every deletion", async (test) => {
    const run = { campaign, seed: 20_261_123, count: 1 };
    const figures = await requireNothingFound(test, "soak", run);
    assert.equal(figures.minutes, run.count);
    assert.ok(figures.requests > 0 && figures.deletions > 0, "there was load");
    assert.ok(figures.rows > 300 * run.count, "streams and imports wrote rows");
  });
});
