// The report of erasures where more deletions were completed than a page reads: its numbers say so, and its weeks are
// whole days.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { dateOf, dayMs } from "../../src/basics/duration.ts";
import { createOrganization } from "../../src/actions/access/create-organization.ts";
import type { Service } from "../support/service.ts";
import { signInPeople } from "./people.ts";

const many = 400;

/** One on each half day, the latest at the first moment of the day. */
const insertDeletions = `
  WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${many - 1})
  INSERT INTO deletion (deletion_request_id, organization_id, resource_type, resource_id, reason,
    status, requested_by, requested_at, due_at, completed_at, erased)
  SELECT 'del_' || n, 'acme', 'transaction', 't' || n, 'asked', 'completed', 'key', ?1 - n * ?2,
    ?1 - n * ?2, ?1 - n * ?2, '{"transaction":2}'
  FROM numbers`;

async function erase({ app, clock, folder }: Service): Promise<void> {
  await createOrganization(app, { name: "Acme", organizationId: "acme" });
  using database = new DatabaseSync(`${folder}/sluice.db`, { timeout: 10_000 });
  const today = Math.floor(clock.now() / dayMs) * dayMs;
  database.prepare(insertDeletions).run(today, dayMs / 2);
}

describe("the report of more erasures than a page reads", () => {
  const site = signInPeople({ axel: ["auditor"] }, { prepare: erase });
  const show = async (query: string) => {
    const { text } = await site.show("axel", `erasures?organization=acme${query}`);
    return text.replaceAll(/\s+/g, " ");
  };

  it("says of each number that it is at least that", async () => {
    const text = await show("");
    assert.match(text, /Deletions<\/dt> <dd>at least 250</);
    assert.match(text, /Records erased<\/dt> <dd>at least Transaction 500</);
    assert.match(text, /And at least 150 more, which the file has/);
    assert.match(text, /deletions a week, at least<\/figcaption>/);
  });

  it("counts in weeks of whole days, as far as deletions were read", async () => {
    const { clock } = site.service;
    for (const step of [0, dayMs / 3]) {
      clock.advanceMs(step);
      const tomorrow = Math.floor(clock.now() / dayMs) * dayMs + dayMs;
      const rows = (await show("")).matchAll(/>(\d{4}-\d\d-\d\d)<\/th><td[^>]*>(\d+)</g);
      const weeks = [...rows].map(([, day, number]) => [day, number]);
      assert.deepEqual(weeks.slice(0, 2), [
        [dateOf(tomorrow - 7 * dayMs), "13"],
        [dateOf(tomorrow - 14 * dayMs), "14"],
      ]);
      assert.equal(weeks.length, 18);
    }
  });

  it("marks nothing where all of a period were read", async () => {
    const day = dateOf(site.service.clock.now() - 190 * dayMs);
    const text = await show(`&until=${day}`);
    assert.doesNotMatch(text, /at least/);
  });
});
