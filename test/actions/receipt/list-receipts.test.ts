// The list of receipts of one organization, which is searched in parts, however many are of others.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, it } from "node:test";
import { listReceipts } from "../../../src/actions/receipt/list-receipts.ts";
import { openApp } from "../../../src/process/app.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { makeChain } from "../../receipt/scene.ts";
import { testEnvironment } from "../../support/service.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

function down(from: number, to: number): readonly number[] {
  return Array.from({ length: from - to + 1 }, (_, at) => from - at);
}

it("finds the receipts of an organization before a thousand of others", async () => {
  const config = readConfig(testEnvironment(makeTempFolder()));
  const app = await openApp(config, { role: "command" });
  after(() => app.close());
  const database = new DatabaseSync(`${config.dataDir}/sluice.db`);
  database
    .prepare(
      `WITH RECURSIVE chain (no) AS (SELECT 1 UNION ALL SELECT no + 1 FROM chain WHERE no < 1060)
      INSERT INTO receipt (receipt_no, deletion_request_id, organization_id, document, hash)
      SELECT no, 'del_' || no, owner, json_set($document, '$.receipt_no', no, '$.organization_id', owner), ''
      FROM (SELECT no, CASE WHEN no <= 55 OR no = 1058 THEN 'acme' ELSE 'other' END AS owner FROM chain)`,
    )
    .run({ document: JSON.stringify(makeChain(1).receipts[0]) });
  database.exec("UPDATE receipt_head SET receipt_no = 1060");
  database.close();
  const list = async (organizationId?: string, before?: number) => {
    const { receipts, next } = await listReceipts(app, { organizationId, before });
    return { numbers: receipts.map(({ receipt }) => receipt.receipt_no), next };
  };
  assert.deepEqual(await list(), { numbers: down(1060, 1011), next: 1011 });
  assert.deepEqual(await list("acme"), { numbers: [1058], next: 61 });
  assert.deepEqual(await list("acme", 61), { numbers: down(55, 1), next: undefined });
  assert.deepEqual(await list(undefined, 4), { numbers: [3, 2, 1], next: undefined });
  assert.deepEqual(await list("none"), { numbers: [], next: 61 });
});
