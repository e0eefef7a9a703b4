// Every abuse for a short time, next to a good client: the server survives, stays within its
// memory, and neither loses nor rejects anything of the good client. Measures no times; `npm run
// abuse` does.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { waitFor } from "../support/wait-for.ts";
import { abuses } from "./abuses.ts";
import { readMemory } from "./memory.ts";
import { loggedErrors, readMetric, residentOfAllBytesMax, runAbuse } from "./run-abuse.ts";
import { openSite } from "./site.ts";

const site = await openSite("sqlite");
after(() => site.close());
const seed = 20_261_122;

describe("a server that one organization abuses", () => {
  for (const abuse of abuses) {
    it(`serves another organization during ${abuse.what}`, async (test) => {
      const options = { seed, short: true, abuseMs: 300, warmUpMs: 0, idleMs: 0, settleMs: 0 };
      const { findings, under, tally, peakBytes } = await runAbuse(site, abuse, options);
      test.diagnostic(JSON.stringify({ tally, peakBytes, under: under.all }));
      assert.deepEqual(
        findings,
        [],
        `npm run campaign -- abuse --seed ${seed} --only ${abuse.name}`,
      );
    });
  }

  for (const held of ["held_body_bytes", "reply_queue_bytes", "unparsed_bytes"]) {
    it(`releases what it held when the abuse is over: ${held}`, async () => {
      await waitFor(
        `${held} to be 0`,
        async () => ((await readMetric(site, `sluice_${held}`)) === 0 ? true : undefined),
        { intervalMs: 200 },
      );
    });
  }

  it("has every record that it acknowledged to the good client, and no error in its log", async () => {
    const stopped = await site.good.ask("stop");
    const { acknowledged, missing } = stopped as { acknowledged: number; missing: string[] };
    assert.deepEqual(missing, []);
    assert.ok(acknowledged > abuses.length, "the good client was served");
    assert.deepEqual(loggedErrors(site), []);
    assert.ok((readMemory(site.pid).residentBytes ?? 0) < residentOfAllBytesMax);
  });
});
