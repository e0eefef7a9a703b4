// The figures that are read from a large store: in parts, and without the wait of a snapshot for all of them. The
// history of the intake: what each minute counts.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, describe, it } from "node:test";
import { storedFigures } from "../../src/metrics/stored-figures.ts";
import { startService } from "../support/service.ts";
import { waitFor } from "../support/wait-for.ts";
import { startHistory } from "../../src/metrics/history.ts";

const service = await startService();
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

const minuteMs = 60_000;

describe("the history of the intake", () => {
  it("counts in each minute what has arrived since the one before, for a day", (test) => {
    test.mock.timers.enable({ apis: ["setInterval"] });
    let written = 5;
    const read = () => ({
      records: [{ labels: { resource_type: "person" }, value: written }],
      requests: [],
      buckets: [1],
    });
    const none = new Set<string>();
    const options = { now: () => 0, operations: none, existenceChecks: none };
    const history = startHistory(read, options);
    const counts = () => history.read().minutes.map(({ records }) => records["person"] ?? 0);
    written += 3;
    test.mock.timers.tick(minuteMs);
    written += 4;
    assert.deepEqual(counts(), [3, 4]);
    test.mock.timers.tick(minuteMs);
    assert.deepEqual(counts(), [3, 4, 0]);
    test.mock.timers.tick(24 * 60 * minuteMs);
    assert.equal(counts().length, 24 * 60);
    history.stop();
  });
});
