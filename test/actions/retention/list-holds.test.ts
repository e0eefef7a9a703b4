// A list of holds reads a bounded number of them. Those in the restricted store take no part of it from people who may
// not know of them: otherwise they could tell by where a part of the list ends.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, it } from "node:test";
import { showing } from "../../../src/actions/operator/viewer.ts";
import { listHolds } from "../../../src/actions/retention/holds.ts";
import { openApp } from "../../../src/process/app.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { acme, operator, organization } from "../../conformance/scene.ts";
import { testEnvironment } from "../../support/service.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

it("finds a hold behind those in the restricted store, for people who may not know of these", async () => {
  const config = readConfig(testEnvironment(makeTempFolder()));
  const app = await openApp(config, { role: "command" });
  after(() => app.close());
  await app.store.createOrganization(organization(acme), operator);
  const database = new DatabaseSync(`${config.dataDir}/sluice.db`);
  database.exec(`
    INSERT INTO hold (hold_id, organization_id, resource_type, resource_id, reason, placed_at, placed_by)
    VALUES ('hold_1', 'restricted/del_1', 'customer_sar', 's', 'r', 0, 'anna'),
      ('hold_2', 'restricted/del_1', 'transaction', 't', 'r', 0, 'anna'),
      ('hold_3', '${acme}', 'transaction', 't', 'r', 0, 'anna')`);
  database.close();
  const page = { limit: 1, examinedMax: 2 };
  // An officer sees where the list goes on behind those of other organizations.
  const others = await listHolds(app, { organizationId: acme }, page);
  assert.deepEqual(others, { shown: [], next: "hold_2" });
  const shown = showing(app, { includeConfidential: false });
  const part = await listHolds(shown, { organizationId: acme }, page);
  assert.deepEqual(
    part.shown.map(({ hold }) => hold.holdId),
    ["hold_3"],
  );
  assert.equal(part.next, undefined);
});
