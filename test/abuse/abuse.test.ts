// An abuse of every family for a short time, next to a good client: the server survives, stays within its memory,
// and neither loses nor refuses anything of the good client. `npm run campaign -- abuse` runs all, and measures times.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { makeCustomer } from "../support/customer.ts";
import { operate } from "../support/server.ts";
import { waitFor } from "../support/wait-for.ts";
import { someAbuses } from "./abuses.ts";
import { readMemory } from "../support/process-memory.ts";
import { makeIds, transaction } from "./records.ts";
import { loggedErrors, readMetric, residentOfAllBytesMax, runAbuse } from "./run-abuse.ts";
import { openSite } from "./site.ts";

const site = await openSite("sqlite");
after(() => site.close());
const seed = 20_261_122;

describe("a server that one organization abuses", () => {
  for (const abuse of someAbuses) {
    it(`serves another organization during ${abuse.what}`, async (test) => {
      const options = { seed, short: true, abuseMs: 100, warmUpMs: 0, idleMs: 0, settleMs: 0 };
      const { findings, under, tally, peakBytes } = await runAbuse(site, abuse, options);
      test.diagnostic(JSON.stringify({ tally, peakBytes, under: under.all }));
      assert.deepEqual(
        findings,
        [],
        `npm run campaign -- abuse --seed ${seed} --only ${abuse.name}`,
      );
    });
  }

  for (const held of [
    "held_body_bytes",
    "held_page_bytes",
    "reply_queue_bytes",
    "unparsed_bytes",
  ]) {
    it(`releases what it held when the abuse is over: ${held}`, async () => {
      await waitFor(
        `${held} to be 0`,
        async () => (await readMetric(site, `sluice_${held}`)) === 0,
        { intervalMs: 200 },
      );
    });
  }

  it("refuses no list when the abuses are over, whatever memory it has kept", async () => {
    await waitFor(
      "no pressure",
      async () => (await readMetric(site, 'sluice_pressure{cause="memory"}')) === 0,
      { intervalMs: 200 },
    );
    const { server, target } = site;
    // Of an organization whose limits no abuse has used up.
    const { token } = await operate(target.environment, (app) => makeCustomer(app, server.client));
    const idOf = makeIds("afterwards");
    const replies = await Promise.all(
      Array.from({ length: 24 }, () => {
        const body = `[${Array.from({ length: 2_000 }, () => transaction(idOf())).join(",")}]`;
        return server.client.send({
          method: "POST",
          path: "/v2/transactions/batch",
          token,
          headers: { "content-type": "application/json" },
          body,
        });
      }),
    );
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
  });

  it("has every record that it acknowledged to the good client, and no error in its log", async () => {
    const stopped = await site.good.ask("stop");
    const { acknowledged, missing } = stopped as { acknowledged: number; missing: string[] };
    assert.deepEqual(missing, []);
    assert.ok(acknowledged > someAbuses.length, "the good client was served");
    assert.deepEqual(loggedErrors(site), []);
    assert.ok((readMemory(site.pid).residentBytes ?? 0) < residentOfAllBytesMax);
  });
});
