// The figures of recipients and endpoints that are read from a large store: in parts, and without the wait of a
// snapshot for all of them.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, before, it } from "node:test";
import { pino } from "pino";
import { open } from "../../../src/feature/subscription/serving.ts";
import { subscriptions } from "../../../src/feature/subscription/store/part.ts";
import { Registry, renderSnapshot } from "../../../src/metrics/registry.ts";
import { type Service, startService } from "../../support/service.ts";
import { waitFor } from "../../support/wait-for.ts";

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

function insert(text: string): void {
  const file = new DatabaseSync(`${service.folder}/sluice.db`, { timeout: 60_000 });
  file.exec(text);
  file.close();
}

/** Numbers from 1 in a table. */
const numbered = (count: number) =>
  `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${count})`;

it("count all recipients and endpoints, and read at most 256 of each at once", async (test) => {
  insert(`
    ${numbered(600)} INSERT INTO subscription
      (kind, organization_id, name, types, created_at, created_by, since_no, entry_no, change_no)
    SELECT 'recipient', 'org_' || n / 30, 'r' || n, '["transaction"]', 1, 'x', 0, 0, 0 FROM number;
    ${numbered(600)} INSERT INTO subscription
      (kind, organization_id, name, url, events, description, created_at, created_by, key_check,
       since_no, entry_no, change_no)
    SELECT 'webhook', 'org_' || n / 10, 'e' || n, 'https://example.com', '[]', '', 1, 'x', 0, 0, 0, 0
    FROM number;`);
  const { app, config } = service;
  const methods = app.store.of(subscriptions);
  const listed = test.mock.method(methods, "listWaiting");
  const listedEndpoints = test.mock.method(methods, "listAllEndpoints");
  const registry = new Registry();
  await open({ config, registry, app: () => app, log: pino({ enabled: false }), version: "1" });
  const read = async () => {
    const text = renderSnapshot(await registry.snapshot());
    return [
      /^sluice_recipients (\d+)/m.exec(text)?.[1],
      /^sluice_webhook_endpoints\{state="key_changed"\} (\d+)/m.exec(text)?.[1],
    ];
  };
  assert.deepEqual(await read(), [undefined, undefined]);
  await waitFor("all to be read", async () => (await read()).every((count) => count === "600"));
  for (const { mock } of [listed, listedEndpoints]) {
    const lengths: (number | undefined)[] = [];
    for (const { result } of mock.calls.slice(0, 3)) lengths.push((await result)?.length);
    assert.deepEqual(lengths, [256, 256, 88]);
  }
});
