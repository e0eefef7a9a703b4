// The check of a store finds direct alterations of the database: each invariant, and the audit trail. That of digests
// is tested with them.

import assert from "node:assert/strict";
import { closeSync, openSync, writeSync } from "node:fs";
import { describe, it, type TestContext } from "node:test";
import { acme, keyOf, newKey, operator, organization } from "../../conformance/scene.ts";
import { makePlace } from "./place.ts";

/** What the check of a consistent store reports after this was run on it. */
async function findings(test: TestContext, sql: string): Promise<readonly string[]> {
  const place = makePlace(test);
  const store = await place.open({ role: "command" });
  await store.createOrganization(organization(acme), operator);
  await store.createKey(newKey("key_1"), operator);
  await store.createKey(newKey("key_2"), operator);
  await store.add("transaction", "t");
  await store.add("transaction", "u");
  await store.add("transaction_check", "c", { related_tx_ids: ["t"] });
  await store.request(keyOf("transaction", "t"), { deletionRequestId: "del_t", now: 1 });
  await store.request(keyOf("transaction", "u"), { deletionRequestId: "del_u", now: 2 });
  await store.claim();
  assert.deepEqual(await store.checkIntegrity(), { ok: true, findings: [] });
  place.withDatabase((database) => {
    database.exec("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON");
    database.exec(sql);
  });
  const report = await store.checkIntegrity();
  assert.equal(report.ok, report.findings.length === 0);
  return report.findings;
}

describe("the check of a store", () => {
  const alterations: readonly (readonly [sql: string, said: RegExp])[] = [
    ["DELETE FROM change WHERE change_no = 1", /^A record has no change: record 1\.$/],
    ["DELETE FROM record WHERE resource_id = 'u'", /^A change has no record: change 2\/2\.$/],
    ["UPDATE record SET record_no = 1 WHERE record_no = 2", /^Two records have the same number/],
    // The sum of the numbers stays the same.
    ["UPDATE record SET record_no = 2", /^Two records have the same number: record 2/],
    [
      "UPDATE relation SET from_id = 'd'",
      /^A relation begins at a record that does not exist: transaction_check d of org_acme\.$/,
    ],
    [
      `DROP INDEX deletion_open;
       UPDATE deletion SET resource_id = 't' WHERE deletion_request_id = 'del_u'`,
      /^More than one deletion of a record is open: del_t\.$/,
    ],
    [
      "UPDATE deletion SET status = 'completed' WHERE deletion_request_id = 'del_t'",
      /^A deletion that is neither processing nor being planned has a plan: del_t\.$/,
    ],
    [
      "UPDATE deletion SET approval_requester = 'anna' WHERE deletion_request_id = 'del_t'",
      /^A deletion was processed without the approval that it needs: del_t\.$/,
    ],
    ["DELETE FROM deletion_target", /^A deletion that is processing has no plan: del_t\.$/],
    ["UPDATE counter SET value = 2", /^The counter of arrival numbers is at 2, but 3 was given/],
    ["DELETE FROM organization", /^A row of api_key refers to a row that does not exist\.$/],
    ["UPDATE audit_entry SET actor = 'nobody' WHERE entry_no = 2", /broken at entry 2\.$/],
    ["DELETE FROM audit_entry WHERE entry_no = 2", /broken at entry 3\.$/],
    ["UPDATE audit_entry SET entry_no = 99 WHERE entry_no = 3", /broken at entry 4\.$/],
  ];
  for (const [sql, said] of alterations) {
    it(`finds: ${sql.replace(/\s+/g, " ")}`, async (test) => {
      const found = await findings(test, sql);
      assert.ok(
        found.some((finding) => said.test(finding)),
        found.join("\n"),
      );
    });
  }

  it("says that a file is damaged, and what to do, where a command can't read it", async (test) => {
    const place = makePlace(test);
    const store = await place.open({ role: "command" });
    await store.add("transaction", "t");
    await store.close();
    const page = place.withDatabase((database) =>
      database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'record'").get(),
    );
    const file = openSync(place.path, "r+");
    writeSync(file, Buffer.alloc(4_096, 255), 0, 4_096, (Number(page?.["rootpage"]) - 1) * 4_096);
    closeSync(file);
    const damaged = await place.open({ role: "command" });
    await assert.rejects(damaged.countRecords("org_acme"), {
      name: "StoreError",
      message: /is damaged: .*restore the newest backup/,
    });
    assert.match((await damaged.checkIntegrity()).findings.join("\n"), /^The file is damaged/);
  });

  it("finds a file that is damaged", async (test) => {
    const place = makePlace(test);
    const store = await place.open({ role: "command" });
    await store.add("transaction", "t");
    await store.request(keyOf("transaction", "t"));
    await store.close();
    const page = place.withDatabase((database) =>
      database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'deletion_by_time'").get(),
    );
    // The number of cells in the page of an index: one entry is gone.
    const file = openSync(place.path, "r+");
    writeSync(file, Buffer.from([0, 0]), 0, 2, (Number(page?.["rootpage"]) - 1) * 4_096 + 3);
    closeSync(file);
    const { ok, findings: found } = await (await place.open()).checkIntegrity();
    assert.equal(ok, false);
    assert.match(found.join("\n"), /^The file is damaged; SQLite reports: .*deletion_by_time/m);
  });
});
