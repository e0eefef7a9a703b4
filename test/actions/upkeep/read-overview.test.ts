// The overview: what ends this quarter is counted whatever else waits longer, without holds on reports, and it is
// known if holds were left out.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, it } from "node:test";
import { processDeletions } from "../../../src/actions/deletion/process-deletions.ts";
import { requestDeletionOf } from "../../../src/actions/deletion/request-as-operator.ts";
import { showing } from "../../../src/actions/operator/viewer.ts";
import { setRule } from "../../../src/actions/retention/retention-rules.ts";
import { readAgenda } from "../../../src/actions/upkeep/read-overview.ts";
import { openApp } from "../../../src/process/app.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { acme, draftOf, operator, organization } from "../../conformance/scene.ts";
import { testEnvironment } from "../../support/service.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { withActs } from "../../support/test-store.ts";

const now = Date.UTC(2026, 5, 1);
const timestamp = "2026-05-20T00:00:00Z";

it("counts a floor that ends this quarter behind a hundred newer deletions with later ones", async () => {
  const config = readConfig(testEnvironment(makeTempFolder()));
  let at = now;
  const app = await openApp(config, { role: "command", now: () => at });
  after(() => app.close());
  const store = withActs(app.store);
  await store.createOrganization(organization(acme), operator);
  const persons = Array.from({ length: 100 }, (_, index) => ["person", `p-${index}`] as const);
  const records = [["company", "first"], ...persons] as const;
  for (const [resourceType, resourceId] of records) {
    await store.write(draftOf(resourceType, resourceId, { timestamp }), { resourceType });
  }
  for (const [resourceType, keepDays] of [
    ["company", 20],
    ["person", 3_650],
  ] as const) {
    await setRule(app, { organizationId: acme, resourceType, keepDays });
  }
  for (const [resourceType, resourceId] of records) {
    at += 1;
    const key = { organizationId: acme, resourceType, resourceId };
    await requestDeletionOf(app, { ...key, reason: "asked" });
  }
  at += 1;
  await processDeletions(app, { claimant: "test", stopping: new AbortController().signal });
  assert.equal((await readAgenda(app, undefined)).floorsEnding, 1);
  assert.equal((await readAgenda(app, acme)).floorsEnding, 1);
  assert.ok((await readAgenda(app, acme)).isEveryHoldRead);
  const requested = at;
  for (const [more, near] of [
    [-1_000, 0],
    [1_000, 100],
  ] as const) {
    at = requested + 21 * 86_400_000 + more;
    assert.equal((await readAgenda(app, acme)).nearMonth, near, "older than three weeks");
  }
  at = requested;
  const database = new DatabaseSync(`${config.dataDir}/sluice.db`);
  database.exec(`
    INSERT INTO hold (hold_id, organization_id, resource_type, resource_id, reason, review_on, placed_at, placed_by)
    SELECT 'of_report', '${acme}', 'customer_sar', 's', 'r', '2026-05-01', 0, 'anna'
    UNION ALL
    SELECT 'in_set', 'restricted/' || min(deletion_request_id), 'customer_sar', 's', 'r', '2026-05-01', 0, 'anna'
    FROM deletion`);
  assert.equal((await readAgenda(app, acme)).reviewsOverdue, 2);
  assert.equal((await readAgenda(app, "another")).reviewsOverdue, 0);
  const shown = showing(app, { includeConfidential: false });
  assert.equal((await readAgenda(shown, acme)).reviewsOverdue, 0);
  assert.equal((await readAgenda(shown, undefined)).reviewsOverdue, 0);
  const placeHolds = (resourceType: string) =>
    database.exec(`
      WITH RECURSIVE no (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM no WHERE n < 10001)
      INSERT INTO hold (hold_id, organization_id, resource_type, resource_id, reason, placed_at, placed_by)
      SELECT '${resourceType}_' || n, '${acme}', '${resourceType}', 'first', 'r', 0, 'anna' FROM no`);
  placeHolds("customer_sar");
  database.exec(`
    INSERT INTO hold (hold_id, organization_id, resource_type, resource_id, reason, review_on, placed_at, placed_by)
    VALUES ('last', '${acme}', 'company', 'first', 'r', '2026-05-01', 0, 'anna')`);
  assert.ok(!(await readAgenda(app, acme)).isEveryHoldRead);
  for (const organizationId of [acme, undefined]) {
    const { reviewsOverdue, isEveryHoldRead } = await readAgenda(shown, organizationId);
    assert.deepEqual([reviewsOverdue, isEveryHoldRead], [1, true]);
  }
  placeHolds("company");
  database.close();
  assert.ok(!(await readAgenda(shown, acme)).isEveryHoldRead);
});
