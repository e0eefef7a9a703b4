// The figures that are read from a large store: in parts, and without the wait of a snapshot for all of them.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { storedFigures } from "../../src/metrics/stored-figures.ts";
import { type Service, startService } from "../support/service.ts";
import { waitFor } from "../support/wait-for.ts";

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

function complete(from: number, count: number): void {
  insert(`
    ${numbered(count)} INSERT INTO deletion
      (deletion_request_id, organization_id, resource_type, resource_id, reason, status, requested_by,
       requested_at, due_at)
    SELECT 'd' || (n + ${from}), 'org_1', 'transaction', 't' || n, '', 'completed', 'k', 1, 1
    FROM number;`);
}

describe("the figures of a store with many rows", () => {
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
    const { store } = service.app;
    const listed = test.mock.method(store, "listWaiting");
    const listedEndpoints = test.mock.method(store.webhooks, "listAll");
    const figures = storedFigures(() => service.app);
    assert.equal(await figures.recipients(), undefined);
    assert.equal(await figures.webhooks(), undefined);
    assert.equal((await waitFor("all to be read", () => figures.recipients())).count, 600);
    assert.equal((await waitFor("all to be read", () => figures.webhooks())).key_changed, 600);
    for (const { mock } of [listed, listedEndpoints]) {
      const lengths: (number | undefined)[] = [];
      for (const { result } of mock.calls.slice(0, 3)) lengths.push((await result)?.length);
      assert.deepEqual(lengths, [256, 256, 88]);
    }
  });

  it("are those of an earlier count of deletions while the next one is made", async () => {
    const figures = storedFigures(() => service.app);
    complete(0, 10_001);
    assert.equal((await figures.deletions())?.byStatus.completed, 10_001);
    complete(20_000, 1);
    assert.equal((await figures.deletions())?.byStatus.completed, 10_001);
    await waitFor("the next count", async () => {
      const counted = await figures.deletions();
      return counted?.byStatus.completed === 10_002 || undefined;
    });
  });
});
