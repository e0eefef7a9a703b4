// The work of the steps of a deletion, and of the scan for expired records: what they read of one deletion must not
// grow with the deletions that are open, and of one record not with the records of the organization.

import assert from "node:assert/strict";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { it } from "node:test";
import { restrictedId } from "../../../src/domain/deletion/restricted-set.ts";
import { limits } from "../../../src/domain/limits.ts";
import { recordTypes } from "../../../src/domain/record-types.ts";
import { boundsOf } from "../../../src/domain/retention/ceiling.ts";
import { findExpired } from "../../../src/store/sql/expiry/expired.ts";
import { verifyKept } from "../../../src/store/sql/erase/redact-kept.ts";
import { isObstacle, targetsOf } from "../../../src/store/sql/plan/plan.ts";
import { largestCascade, planPending } from "../../../src/store/sql/plan/record-plans.ts";
import { findLatestArrival } from "../../../src/store/sql/record/record.ts";
import { listFloors } from "../../../src/store/sql/retention/floor.ts";
import type { Group } from "../../../src/store/sqlite/commit/group.ts";
import { Connection, openReader } from "../../../src/store/sqlite/connection.ts";
import { addToPlan, planTargetsAtOnceMax } from "../../../src/store/sqlite/erase/large-plan.ts";
import {
  acme,
  draftOf,
  keyOf,
  onDay,
  operator,
  organization,
  seen,
  transaction,
} from "../../conformance/scene.ts";
import { makePlace, watchPlans } from "./place.ts";

it("finds deletions by their ids when it erases, verifies and completes", async (test) => {
  const place = makePlace(test);
  const store = await place.open({ role: "command" });
  await store.createOrganization(organization(acme), operator);
  await store.add("transaction", "t");
  const id = await store.request(keyOf("transaction", "t"));
  await store.claim();
  const plansOf = watchPlans(test, place);
  while (!(await store.eraseOne(id, 10)));
  assert.equal((await store.completeOne(id))?.status, "completed");
  const plans = plansOf(/\bdeletion_request_id\b/);
  const searches = plans.filter((step) => /^(?:SCAN|SEARCH) deletion\b/.test(step));
  assert.deepEqual(
    new Set(searches),
    new Set(["SEARCH deletion USING PRIMARY KEY (deletion_request_id=?)"]),
  );
});

it("scans no table when it replaces the id of a person", async (test) => {
  const place = makePlace(test);
  const store = await place.open({ role: "command" });
  await store.add("person", "p");
  await store.add("transaction", "t", { sender_id: "p", sender_country: "DE" });
  const plansOf = watchPlans(test, place);
  assert.deepEqual((await store.erase("person", "p")).redactedByType, { transaction: 1 });
  const plans = plansOf(/\b(?:change|record|party_block)\b/);
  assert.ok(plans.some((step) => step.startsWith("SEARCH change USING PRIMARY KEY")));
  assert.deepEqual(
    plans.filter((step) => /^SCAN (?:change|record|party_block)\b/.test(step)),
    [],
  );
});

it("finds the deletions of a record without reading others", async (test) => {
  const place = makePlace(test);
  const store = await place.open({ role: "command" });
  await store.createOrganization(organization(acme), operator);
  const plansOf = watchPlans(test, place);
  const record = { resourceType: "transaction", resourceId: "t" };
  assert.deepEqual(await store.listDeletions({ organizationId: acme, record, limit: 10 }), []);
  const steps = plansOf(/^/).filter((step) => step.includes("deletion"));
  assert.equal(steps.length, 1);
  assert.match(
    steps[0] ?? "",
    /INDEX deletion_by_record \(organization_id=\? AND resource_type=\? AND resource_id=\?/,
  );
});

it("plans by long histories that were read beside the writer, unless they have changed since", async (test) => {
  const place = makePlace(test);
  const store = await place.open({ role: "command" });
  await store.createOrganization(organization(acme), operator);
  await store.setFloor("person", 5, "closed");
  await store.add("company", "c");
  const fields = { account_status: "CLOSED", related_company_id: "c" };
  const drafts = Array.from({ length: 600 }, (_, index) =>
    draftOf("person", "p", { ...seen(2 + index), ...fields }),
  );
  await store.write(drafts, { resourceType: "person", mode: "append" });
  const deletionRequestId = await store.request(keyOf("company", "c"));
  const deletion = await store.deletionOf(deletionRequestId);
  using connection = new Connection(place.path, { readOnly: false });
  const options = { now: onDay(900), bounds: largestCascade };
  const [plan] = connection.perform(planPending, [deletion], options).plans;
  assert.ok(typeof plan === "object" && !isObstacle(plan));
  const floors = connection.perform(listFloors, acme);
  connection.run("UPDATE deletion SET claimant = 'test'");
  const claim = { now: onDay(900), leaseUntil: onDay(901), claimant: "test" };
  const upTo = connection.perform(findLatestArrival);
  const part = { floors, upTo, targets: targetsOf(plan) };
  const add = () => addToPlan({ connection } as Group, { deletionRequestId, claim, part });
  const read = test.mock.method(StatementSync.prototype, "all");
  assert.equal(add(), "added");
  const rows = read.mock.calls.flatMap(({ result }) => result as readonly object[]);
  assert.equal(rows.filter((row) => "payload" in row).length, 0);
  const opened = draftOf("person", "p", { ...seen(899), account_status: "APPROVED" });
  await store.write(opened, { resourceType: "person", mode: "update" });
  assert.equal(add(), "obstacle");
});

it("begins other deletions when one can't be planned", async (test) => {
  const place = makePlace(test);
  const store = await place.open();
  await store.createOrganization(organization(acme), operator);
  for (const id of ["bad", "good"]) {
    await store.add("transaction", id);
    await store.request(keyOf("transaction", id));
  }
  place.withDatabase((database) =>
    database.exec(`
      CREATE TRIGGER damage BEFORE INSERT ON deletion_target
      WHEN new.resource_id = 'bad' BEGIN SELECT RAISE(ABORT, 'damaged'); END`),
  );
  const claim = { now: onDay(9), leaseUntil: onDay(10), claimant: "test" };
  const failures = new Set<string>();
  // Each that is planned apart may take all the time of a claim.
  for (let claims = 0; claims < 3; claims += 1) {
    for (const { resourceId, failure } of await store.claimDeletions(claim, 5))
      failures.add(`${resourceId}: ${String(failure)}`);
  }
  assert.deepEqual([...failures].toSorted(), ["bad: Error: damaged", "good: undefined"]);
});

it("leaves no part of a large plan that could not be written to its end", async (test) => {
  const place = makePlace(test);
  const store = await place.open();
  await store.createOrganization(organization(acme), operator);
  await store.add("transaction", "t");
  const checks = Array.from({ length: 1_001 }, (_, index) =>
    draftOf("transaction_check", `c${index}`, { related_tx_ids: ["t"] }),
  );
  await store.write(checks, { resourceType: "transaction_check" });
  await store.request(keyOf("transaction", "t"));
  place.withDatabase((database) =>
    database.exec(`
      CREATE TRIGGER full BEFORE INSERT ON deletion_target
      WHEN new.position > ${planTargetsAtOnceMax} BEGIN SELECT RAISE(ABORT, 'full'); END`),
  );
  const claim = { now: onDay(9), leaseUntil: onDay(10), claimant: "test" };
  const [claimed] = await store.claimDeletions(claim, 1);
  assert.match(String(claimed?.failure), /full/);
  const left = place.withDatabase((database) => {
    return database.prepare("SELECT count(*) AS targets FROM deletion_target").get();
  });
  assert.deepEqual({ ...left }, { targets: 0 });
  assert.equal(typeof (await store.hold(keyOf("transaction_check", "c0"))), "object");
});

it("verifies a report with many changes that has lost a reference part by part", async (test) => {
  const place = makePlace(test);
  const store = await place.open({ role: "command" });
  const report = "transaction_suspicious_activity";
  await store.createOrganization(organization(acme), operator);
  await store.setFloor(report, 10, "report_filed_at");
  for (const id of ["t", "u"]) await store.add("transaction", id, seen(2));
  const filed = { related_tx_ids: ["t", "u"], report_filed_at: seen(3).timestamp };
  const drafts = Array.from({ length: 2 * limits.rewrittenChangesMax + 50 }, (_, index) =>
    draftOf(report, "r", { ...seen(3 + index), ...filed }),
  );
  await store.write(drafts, { resourceType: report, mode: "append" });
  const set = restrictedId(await store.request(keyOf("transaction", "t")));
  await store.processAll();
  assert.equal((await store.claim(onDay(20)))?.deletionRequestId, set);
  while (!(await store.eraseOne(set, 10)));
  const deletion = await store.deletionOf(set);
  using connection = new Connection(place.path, { readOnly: false });
  const verify = () => connection.perform(verifyKept, deletion, onDay(20));
  assert.deepEqual([verify(), verify(), verify()], ["partly", "partly", "clean"]);
  // What is verified is not searched again.
  assert.equal(verify(), "clean");
  assert.equal((await store.completeOne(set))?.redacted, 1);
});

it("counts all deletions outside the thread that serves", async (test) => {
  const prepare = test.mock.method(DatabaseSync.prototype, "prepare");
  const place = makePlace(test);
  const store = await place.open();
  await store.createOrganization(organization(acme), operator);
  await store.add("transaction", "t");
  await store.erase("transaction", "t");
  prepare.mock.resetCalls();
  const { byStatus } = await store.deletionFigures(operator.now);
  assert.equal(byStatus.completed, 1);
  assert.equal(prepare.mock.callCount(), 0);
});

it("finds deletions under a hold among all that are open when a hold ends", async (test) => {
  const place = makePlace(test);
  const store = await place.open({ role: "command" });
  await store.createOrganization(organization(acme), operator);
  await store.add("transaction", "t");
  await store.hold(keyOf("transaction", "t"));
  const plansOf = watchPlans(test, place);
  await store.release(keyOf("transaction", "t"));
  assert.deepEqual(plansOf(/SET next_attempt_at = 0/), [
    "SEARCH deletion USING PRIMARY KEY (deletion_request_id=?)",
    "LIST SUBQUERY 1",
    "SEARCH deletion USING INDEX deletion_held (organization_id=?)",
  ]);
});

it("finds records and relations by their whole keys when it decides what has expired", async (test) => {
  const place = makePlace(test);
  const store = await place.open();
  await store.createOrganization(organization(acme), operator);
  await store.write(transaction("t"));
  await store.add("transaction_check", "c", { related_tx_ids: ["t"] });
  const bounds = boundsOf(recordTypes, [], 1);
  const plansOf = watchPlans(test, place);
  const query = {
    organizationId: acme,
    ...bounds,
    after: undefined,
    scannedMax: 10,
    now: Date.UTC(2027, 0, 1),
  };
  using reader = openReader(place.path);
  const { expired } = reader.perform(findExpired, query);
  assert.deepEqual(
    expired.map(({ expiry }) => expiry),
    ["due", "due"],
  );
  const searches = plansOf(/JOIN (?:record|relation)\b/).filter((step) =>
    /^(?:SCAN|SEARCH) (?:record|relation)\b/.test(step),
  );
  assert.deepEqual(
    new Set(searches),
    new Set([
      "SEARCH relation USING COVERING INDEX relation_by_target (organization_id=? AND to_type=? AND to_id=?)",
      "SEARCH record USING PRIMARY KEY (organization_id=? AND resource_type=? AND resource_id=?)",
    ]),
  );
});
