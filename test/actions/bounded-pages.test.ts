// What pages of the console read does not grow with the store: parts of a bounded size, and one plan of a deletion.

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { longPreview } from "../../src/actions/deletion/preview-deletion.ts";
import { previewRequest } from "../../src/actions/deletion/preview-request.ts";
import { selectDeletions } from "../../src/actions/deletion/decide-deletions.ts";
import { listDeletions } from "../../src/actions/deletion/list-deletions.ts";
import { reportErasures } from "../../src/actions/deletion/report-erasures.ts";
import { readDeletionDetails } from "../../src/actions/deletion/show-deletion.ts";
import { viewRecord } from "../../src/actions/record/view-record.ts";
import { previewPart } from "../../src/actions/retention/preview-retention.ts";
import { setRule } from "../../src/actions/retention/retention-rules.ts";
import type { DryRunQuery } from "../../src/store/interface/deletion.ts";
import { openApp } from "../../src/process/app.ts";
import { readConfig } from "../../src/settings/config.ts";
import { acme, draftOf, keyOf, operator, organization } from "../conformance/scene.ts";
import { testEnvironment } from "../support/service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { withActs } from "../support/test-store.ts";

const many = 1_200;
const insertDeletions = `
  WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${many})
  INSERT INTO deletion (deletion_request_id, organization_id, resource_type, resource_id, reason,
    status, requested_by, requested_at, due_at, completed_at)
  SELECT 'del_' || ?1 || n, '${acme}', 'transaction', 't' || n, 'asked', ?1, 'key', n, n, n
  FROM numbers`;

describe("a page of the console on a store with much of everything", async () => {
  const folder = makeTempFolder();

  const app = await openApp(readConfig(testEnvironment(folder)), { role: "command" });
  const store = withActs(app.store);
  await store.createOrganization(organization(acme), operator);
  await store.add("person", "p");
  const named = { sender_id: "p", sender_country: "DE" };
  await store.write(
    Array.from({ length: many }, (_, no) => draftOf("transaction", `t${no + 1}`, named)),
  );
  const screenings = Array.from({ length: 500 }, (_, no) => draftOf("screening", `s${no}`));
  await store.write(screenings, { resourceType: "screening" });
  while (await app.store.parties.index((await app.store.settledArrival()).settled));
  await setRule(app, { organizationId: acme, resourceType: "transaction", keepDays: 36_500 });
  using database = new DatabaseSync(join(folder, "sluice.db"));
  for (const status of ["pending", "completed"]) database.prepare(insertDeletions).run(status);
  after(() => app.close());

  it("counts only some of the transactions that name a person, or all if they are asked for", async () => {
    const some = await previewRequest(app, keyOf("person", "p"));
    assert.deepEqual([some.pseudonyms, some.isCut], [100, true]);
    const all = await previewRequest(app, keyOf("person", "p"), longPreview);
    assert.deepEqual([all.pseudonyms, all.isCut], [many, false]);
  });

  it("reads whole previews in short parts, one at a time, whoever asks for them", async (test) => {
    const { dryRun } = app.store.plans;
    const read = { now: 0, most: 0, recordsMax: 0 };
    test.mock.method(app.store.plans, "dryRun", async (query: DryRunQuery) => {
      read.most = Math.max(read.most, (read.now += 1));
      read.recordsMax = Math.max(read.recordsMax, query.recordsMax);
      const part = await dryRun(query);
      read.now -= 1;
      return part;
    });
    const person = keyOf("person", "p");
    const ask = (name: string) =>
      previewRequest({ ...app, operator: name }, person, longPreview).then(() => name);
    const ended: string[] = [];
    const asked = ["anna", "anna", "anna", "bert"].map(async (name) => ended.push(await ask(name)));
    await Promise.all(asked);
    assert.deepEqual(read, { now: 0, most: 1, recordsMax: 500 });
    assert.ok(ended.indexOf("bert") < 2, ended.join());
  });

  it("reads no more for a client that has disconnected", async (test) => {
    const plans = test.mock.method(app.store.plans, "dryRun");
    const bounds = { ...longPreview, gone: AbortSignal.abort() };
    await assert.rejects(previewRequest(app, keyOf("person", "p"), bounds), /has disconnected/);
    assert.equal(plans.mock.callCount(), 0);
  });

  it("plans a deletion once to show it, and never for a list or the page of its record", async (test) => {
    const plans = test.mock.method(app.store.plans, "dryRun");
    const { deletion, preview } = await readDeletionDetails(app, "del_pending7");
    assert.deepEqual([plans.mock.callCount(), deletion.floorUntil], [1, preview?.earliest]);
    await viewRecord(app, keyOf("transaction", "t7"), { before: undefined, isRevealed: false });
    await listDeletions(app, {}, { before: "del_pending7", limit: 5 });
    assert.equal(plans.mock.callCount(), 1);
  });

  it("counts all erasures in parts, and reads only the first ones whole", async (test) => {
    const counted = test.mock.method(app.store, "listCompleted");
    const read = test.mock.method(app.store, "listDeletions");
    const query = { organizationId: acme, from: undefined, until: undefined };
    const { deletions, shown, countedFrom } = await reportErasures(app, query);
    assert.deepEqual([deletions, shown.length, countedFrom], [many, 100, undefined]);
    const limits = counted.mock.calls.map((call) => call.arguments[0].limit);
    assert.deepEqual(limits, [1_000, 1_000]);
    assert.equal(read.mock.callCount(), 0);
  });

  it("finds what can be approved without reading what needs no approval", async (test) => {
    const reads = test.mock.method(app.store, "listDeletions");
    assert.deepEqual((await selectDeletions(app, "approve", {})).deletions, []);
    assert.equal(reads.mock.callCount(), 1);
    assert.deepEqual(await reads.mock.calls[0]?.result, []);
  });

  it("plans some of what a ceiling would erase, and continues behind that", async () => {
    const ceiling = { resourceType: "screening", days: 1, countedFrom: "last_seen" } as const;
    const bounds = { floors: [], ceilings: [{ ...ceiling, isOwn: true }] };
    const { tally, last } = await previewPart(app, {
      organizationId: acme,
      bounds,
      after: undefined,
    });
    assert.ok(tally.planned >= 100 && tally.planned <= 150, `${tally.planned}`);
    assert.equal(last?.resourceType, "screening");
  });
});
