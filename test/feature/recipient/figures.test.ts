// The figures of recipients that are read from a large store: in parts, and without the wait of a snapshot for all of
// them.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, before, it } from "node:test";
import { pino } from "pino";
import { open } from "../../../src/feature/recipient/serving.ts";
import { recipients } from "../../../src/feature/recipient/store/part.ts";
import { Registry, renderSnapshot } from "../../../src/metrics/registry.ts";
import { type Service, startService } from "../../support/service.ts";
import { waitFor } from "../../support/wait-for.ts";

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

it("count all of them, and read at most 256 at once", async (test) => {
  const file = new DatabaseSync(`${service.folder}/sluice.db`, { timeout: 60_000 });
  file.exec(`
    WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 600)
    INSERT INTO recipient (organization_id, name, types, created_at, created_by, since_no)
    SELECT 'org_' || n / 30, 'r' || n, '["transaction"]', 1, 'x', 0 FROM number`);
  file.close();
  const { app, config } = service;
  const listed = test.mock.method(app.store.of(recipients), "listWaiting");
  const registry = new Registry();
  const parts = { config, registry, log: pino({ enabled: false }), version: "1" };
  await open({ ...parts, app: () => app, monotonic: () => 0 });
  const read = async () => {
    const text = renderSnapshot(await registry.snapshot());
    return /^sluice_recipients (\d+)/m.exec(text)?.[1];
  };
  assert.equal(await read(), undefined);
  await waitFor("all to be read", async () => (await read()) === "600");
  const lengths: (number | undefined)[] = [];
  for (const { result } of listed.mock.calls.slice(0, 3)) lengths.push((await result)?.length);
  assert.deepEqual(lengths, [256, 256, 88]);
});
