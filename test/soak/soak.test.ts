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
import { runSoak } from "./campaign.ts";
import { findDisorder } from "./endpoint.ts";
import { Followers } from "./followers.ts";
import { Traffic } from "./traffic.ts";

const campaign = {
  run: (run: CampaignRun) => runSoak(run, { rowMs: 1_000, rowsOfImport: 300 }),
};

describe("the check at the end of a soak", () => {
  it("finds a row that was acknowledged and is missing, and a follower that has stopped", async () => {
    const folder = makeTempFolder();
    const site = await openSite("sqlite");
    try {
      const random = makeRandom(1);
      const traffic = new Traffic(site, { random, folder, rowsOfImport: 10 });
      await traffic.run(0, 100);
      const followers = new Followers(site.target);
      await followers.stop(1);
      assert.deepEqual(await followers.end((id) => traffic.add(id)), [
        "a follower (sse) is not at the end of the feed",
      ]);
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

const told = (type: string, ids: readonly string[]) =>
  ids.map((id) => `sluice.deletion.${type} ${id}`);

describe("the order of the messages about deletions", () => {
  const ids = Array.from({ length: 600 }, (_, index) => `del-${index}`);
  const find = (asked: readonly string[], done: readonly string[]) =>
    findDisorder([...told("requested", asked), ...told("completed", done)], ids);
  const [first = "", ...others] = ids;

  it("is that of the requests, and completions may differ a little", () => {
    assert.deepEqual(find(ids, ids), []);
    assert.deepEqual(find(ids, [...others.slice(0, 100), first, ...others.slice(100)]), []);
  });

  it("is wrong where a request comes late, a message is missing or a deletion is starved", () => {
    assert.match(find([...others, first], ids)[0] ?? "", /^del-1 was reported before one/);
    assert.match(find(ids, others)[0] ?? "", /^del-0 was not reported/);
    assert.match(find(ids, [...others, first])[0] ?? "", /^del-0 waited for 599 /);
  });
});

describe("a server under a mixed load", () => {
  it("loses nothing that it acknowledged, and completes every deletion", async (test) => {
    const run = { campaign, seed: 20_261_123, count: 1 };
    const figures = await requireNothingFound(test, "soak", run);
    assert.equal(figures.minutes, run.count);
    assert.ok(figures.requests > 0 && figures.deletions > 0, "there was load");
    assert.ok(figures.persons > 0 && figures.events > 0, "persons are deleted, and followers read");
    assert.equal(figures.messages, 2 * (figures.deletions + figures.persons));
    assert.ok(figures.rows > 300 * run.count, "streams and imports wrote rows");
  });
});
