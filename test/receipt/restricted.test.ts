// The restricted store on SQLite: a deletion that has to keep a report, killed at several points, leaves
// the report in the restricted store only; restores of a backup from before bring it back there and
// nowhere else; and after the floor no file of the data folder contains a byte of it.

import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { App } from "../../src/actions/app.ts";
import { setRule } from "../../src/actions/retention/retention-rules.ts";
import { restrictedId } from "../../src/domain/deletion/restricted-set.ts";
import { makeDraft } from "../../src/domain/record/payload.ts";
import { makeCommandLine } from "../cli/command-line.ts";
import { keyOf, operator, organization, typeNamed } from "../conformance/scene.ts";
import { operate } from "../support/server.ts";
import { testEnvironment } from "../support/service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { canaryRecord, goes, stays } from "./canary.ts";
import { filesWith, killAt, processDue } from "./kill-scene.ts";
import { withActs } from "../support/test-store.ts";

const deletionRequestId = "del_person";
const set = restrictedId(deletionRequestId);
const organizationId = "acme";

async function add(app: App, resourceType: string, word: string): Promise<void> {
  const type = typeNamed(resourceType);
  const related = resourceType === "person" ? {} : { related_person_id: "p" };
  const fields = { ...related, [type.idField]: resourceType === "person" ? "p" : "r" };
  const draft = makeDraft(type, canaryRecord(resourceType, word, fields));
  await withActs(app.store).write(draft, { organizationId, resourceType });
}

async function fill(app: App): Promise<void> {
  await app.store.createOrganization(organization(organizationId), operator);
  await keepReports(app, 36_500);
  await add(app, "person", goes);
  await add(app, "risk_assessment", goes);
  await add(app, "customer_sar", stays);
}

async function keepReports(app: App, keepDays: number | null): Promise<void> {
  const countedFrom = "last_seen";
  await setRule(app, { organizationId, resourceType: "customer_sar", keepDays, countedFrom });
}

async function requireRestricted({ store }: App): Promise<void> {
  assert.deepEqual(await store.countRecords(organizationId), {});
  assert.deepEqual(await store.countRecords(set), { customer_sar: 1 });
  const deletion = await store.findDeletion(deletionRequestId, organizationId);
  assert.deepEqual(deletion?.kept, { customer_sar: 1 });
  assert.equal((await store.listReceipts(0, 10)).length, 1);
  assert.deepEqual(await store.checkIntegrity(), { ok: true, findings: [] });
}

describe("a deletion that has to keep a report", () => {
  const line = makeCommandLine({ folder: makeTempFolder() });
  const backup = join(makeTempFolder(), "backup.db");
  const prepared = makeTempFolder();

  before(async () => {
    await operate(line.environment, fill);
    await line.ask("backup", backup);
    const root = keyOf("person", "p", organizationId);
    await operate(line.environment, ({ store }) =>
      withActs(store).request(root, { deletionRequestId }),
    );
    cpSync(line.folder, prepared, { recursive: true });
    await operate(line.environment, processDue);
  });

  it("erases everything else from every file", async () => {
    assert.deepEqual(filesWith(prepared, goes), ["sluice.db"]);
    assert.deepEqual(filesWith(line.folder, goes), []);
    assert.deepEqual(filesWith(line.folder, stays), ["sluice.db"]);
    await operate(line.environment, requireRestricted);
    assert.equal((await line.type("check --erasure")).code, 0);
  });

  it("is completed once, wherever the process was killed", async () => {
    const points = (await killAt(0, testEnvironment(prepared))) ?? 0;
    assert.ok(points > 10, `${points}`);
    await operate(testEnvironment(prepared), requireRestricted);
    const folder = makeTempFolder();
    cpSync(backup, join(folder, "sluice.db"));
    const root = keyOf("person", "p", organizationId);
    await operate(testEnvironment(folder), ({ store }) =>
      withActs(store).request(root, { deletionRequestId }),
    );
    assert.equal(await killAt(Math.ceil(points * 0.6), testEnvironment(folder)), undefined);
    await operate(testEnvironment(folder), processDue);
    await operate(testEnvironment(folder), requireRestricted);
    assert.deepEqual(filesWith(folder, goes), []);
  });

  it("keeps it again after a restore, and nowhere else", async () => {
    const restored = await line.ask("restore", backup, "--replace");
    assert.equal((restored["carried_out"] as readonly string[]).length, 1);
    await operate(line.environment, async ({ store }) => {
      assert.deepEqual(await store.countRecords(organizationId), {});
      assert.deepEqual(await store.countRecords(set), { customer_sar: 1 });
    });
    assert.deepEqual(filesWith(line.folder, goes), []);
    assert.equal((await line.type("check --erasure")).code, 0);
  });

  it("leaves no byte of it in any file after the floor, also after another restore", async () => {
    await operate(line.environment, (app) => keepReports(app, null));
    await operate(line.environment, processDue);
    assert.deepEqual(filesWith(line.folder, stays), []);
    const second = await line.ask("deletion show --include-confidential", set);
    assert.equal(second["status"], "completed");
    assert.equal((await line.type("check --erasure")).code, 0);
    const restored = await line.ask("restore", backup, "--replace");
    assert.equal((restored["carried_out"] as readonly string[]).length, 2);
    for (const word of [goes, stays]) assert.deepEqual(filesWith(line.folder, word), []);
    assert.equal((await line.type("check")).code, 0);
  });
});
