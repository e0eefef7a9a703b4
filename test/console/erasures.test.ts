// The report of erasures where more deletions were completed than a page shows: its numbers are those of all, and its
// weeks are whole days. Where there are more than it counts, it says so.

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

function weeksIn(text: string) {
  const rows = text.matchAll(/>(\d{4}-\d\d-\d\d)<\/th><td[^>]*>([\d,]+)</g);
  return [...rows].map(([, day, number]) => [day, number]);
}

describe("the report of more erasures than a page shows", () => {
  const site = signInPeople({ axel: ["auditor"] }, { prepare: erase });
  const show = async (query: string) => {
    const { text } = await site.show("axel", `erasures?organization=acme${query}`);
    return text.replaceAll(/\s+/g, " ");
  };
  const tomorrow = () => Math.floor(site.service.clock.now() / dayMs) * dayMs + dayMs;
  it("counts all of them", async () => {
    const text = await show("");
    assert.match(text, /Deletions<\/dt> <dd>400</);
    assert.match(text, /Records erased<\/dt> <dd>Transaction 800</);
    assert.match(text, /And 300 more, which the file has/);
    assert.doesNotMatch(text, /at least|not counted/);
  });

  it("counts those of some days, whenever they were requested", async () => {
    const [from, until] = [190, 101].map((days) => dateOf(site.service.clock.now() - days * dayMs));
    const text = await show(`&from=${from}&until=${until}`);
    assert.match(text, /Deletions<\/dt> <dd>180</);
    assert.match(text, /And 80 more, which the file has/);
    assert.deepEqual(
      weeksIn(text).slice(0, 13),
      Array.from({ length: 13 }, (_, week) => [
        dateOf(tomorrow() - (108 + 7 * week) * dayMs),
        week < 12 ? "14" : "12",
      ]),
    );
  });

  it("counts in weeks of whole days", async () => {
    const { clock } = site.service;
    for (const step of [0, dayMs / 3]) {
      clock.advanceMs(step);
      const weeks = weeksIn(await show(""));
      assert.deepEqual(weeks.slice(0, 2), [
        [dateOf(tomorrow() - 7 * dayMs), "13"],
        [dateOf(tomorrow() - 14 * dayMs), "14"],
      ]);
      assert.equal(weeks.length, 24);
    }
  });

  it("says of each number that it is at least that, where there are more than a page counts", async () => {
    const { service } = site;
    const { now } = service.clock;
    let counted = 0;
    const restore = service.replaceStore("listCompleted", async ({ limit }) =>
      Array.from({ length: limit }, (_, no) => {
        const at = now() - (counted += 1) * 30_000;
        return {
          deletionRequestId: `del_${no}`,
          organizationId: "acme",
          resourceType: "transaction",
          requestedAt: at,
          completedAt: at,
          erased: { transaction: 2 },
          kept: {},
        };
      }),
    );
    const text = await show("");
    restore();
    assert.match(text, /Deletions<\/dt> <dd>at least 250,000</);
    assert.match(text, /Records erased<\/dt> <dd>at least Transaction 500,000</);
    assert.match(text, /And at least 249,900 more, which the file has/);
    assert.match(text, /deletions a week, at least<\/figcaption>/);
    const first = dateOf(now() - counted * 30_000);
    assert.ok(text.includes(`these are of requests since ${first}`));
    assert.equal(weeksIn(text).length, 13);
  });
});
