// Which endpoints a serving process reads again, and when.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, beforeEach, describe, it } from "node:test";
import { KnownEndpoints } from "../../../src/feature/webhook/known-endpoints.ts";
import { acme, operator, organization, transaction } from "../../conformance/scene.ts";
import { disabled, newEndpoint } from "./store/webhooks.ts";
import { makeFakeClock } from "../../support/fake-clock.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { webhooks } from "../../../src/feature/webhook/store/part.ts";
import { openTestStore } from "../../support/test-store.ts";

const folder = makeTempFolder();
const store = await openTestStore(`sqlite:${folder}/sluice.db`, { role: "command" });
after(() => store.close());
await store.createOrganization(organization(acme), operator);
const clock = makeFakeClock(operator.now);
const name = { organizationId: acme, endpointId: "whe_1" };
let reads = 0;
const methods = store.of(webhooks);
const listAllEndpoints: typeof methods.listAllEndpoints = (page) => {
  reads += 1;
  return methods.listAllEndpoints(page);
};
const counting = { ...store, of: () => ({ ...methods, listAllEndpoints }) as never };

async function claim(until: number) {
  const found = await store.of(webhooks).findEndpoint("whe_1", acme);
  assert.ok(found);
  return store.of(webhooks).claim(found, { claimant: "other", now: operator.now, until });
}

describe("the endpoints that a process knows", () => {
  let known: KnownEndpoints;
  const list = async () => (await known.list()).endpoints.map(({ endpoint }) => endpoint);
  const one = async () => (await list())[0];
  beforeEach(async () => {
    for (const left of await store.of(webhooks).listEndpoints(acme))
      await store.of(webhooks).removeEndpoint(left, operator);
    await store.of(webhooks).createEndpoint(newEndpoint("whe_1"), operator);
    known = new KnownEndpoints({ store: counting, now: clock.now });
    await known.list();
    reads = 0;
  });

  it("are not read again while nothing happens to them, whatever else does", async () => {
    await store.write(transaction(`t${clock.now()}`));
    await store.setFloor("person", 10);
    assert.equal((await list()).length, 1);
    assert.equal(reads, 0);
  });

  it("are read again when one is created, enabled, tested, disabled or removed", async () => {
    await store.of(webhooks).createEndpoint(newEndpoint("whe_2"), operator);
    assert.equal((await list()).length, 2);
    await store.of(webhooks).removeEndpoint({ ...name, endpointId: "whe_2" }, operator);
    assert.equal((await list()).length, 1);
    const { now } = operator;
    await store.of(webhooks).changeEndpoint(name, { test: true }, operator);
    assert.equal((await one())?.testRequestedAt, now);
    const before = await claim(now + 9);
    assert.ok(before);
    const attempt = { before, after: disabled(before, now), claimant: "other" };
    await store.of(webhooks).storeResult(attempt);
    assert.equal((await one())?.disabledBecause, "gone");
    await store.of(webhooks).changeEndpoint(name, { enable: true }, operator);
    assert.equal((await one())?.disabledBecause, undefined);
    assert.equal(reads, 5);
  });

  it("are read one by one after they were claimed, and all after a time", async () => {
    const { now } = operator;
    await claim(now + 9);
    assert.equal((await one())?.leaseUntil, undefined);
    known.outdate("whe_1");
    assert.equal((await one())?.leaseUntil, now + 9);
    assert.equal(reads, 0);
    await store.of(webhooks).release({ ...name, claimant: "other" });
    clock.advanceMs(30_000);
    assert.equal((await one())?.leaseUntil, undefined);
    assert.equal(reads, 1);
  });

  it("are read in pages, between which others are served", async () => {
    const file = new DatabaseSync(`${folder}/sluice.db`);
    file.exec(`
      WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 600)
      INSERT INTO webhook_endpoint
        (organization_id, endpoint_id, url, events, description, created_at, created_by, key_check,
         entry_no, change_no)
      SELECT 'org_' || n / 10, 'e' || n, 'https://example.com', '[]', '', 1, 'x', 0, 0, 0
      FROM number`);
    file.close();
    const fresh = new KnownEndpoints({ store: counting, now: clock.now });
    const listed = fresh.list();
    /** How many pages had been read whenever others were served. */
    const served = new Set<number>();
    while (!served.has(3)) {
      await new Promise((resolve) => setImmediate(resolve));
      served.add(reads);
    }
    assert.equal((await listed).endpoints.length, 601);
    assert.equal(reads, 3);
    assert.ok(served.has(1) && served.has(2));
  });
});
