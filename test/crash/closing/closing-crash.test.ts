// Closings with an export that are killed, or run beside one another, on both engines.

import assert from "node:assert/strict";
import { platform } from "node:os";
import { after, before, describe, it } from "node:test";
import { type PostgresServer, startPostgres } from "../../support/postgres/postgres-server.ts";
import { runClosingCampaign } from "./closing-campaign.ts";

const seed = 20_261_123;
const closingsMax = 2;
const skip =
  platform() === "linux" ? {} : { skip: "needs Linux, which the library kill-at is for" };

describe("organization close with an export", skip, () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.remove());

  for (const engine of ["sqlite", "postgres"] as const) {
    it(`keeps every record in a complete export or in the store, on ${engine}`, async (test) => {
      const databaseUrl = engine === "postgres" ? await server.makeDatabase() : undefined;
      const options = { seed, closingsMax, budgetMs: Infinity, databaseUrl };
      const { findings, ...figures } = await runClosingCampaign(options);
      test.diagnostic(JSON.stringify(figures));
      const again = `npm run campaign -- closing --engine ${engine} --seed ${seed} --count ${closingsMax}`;
      assert.deepEqual(findings, [], again);
      assert.ok(figures.kills > 0 && figures.beside > 0);
    });
  }
});
