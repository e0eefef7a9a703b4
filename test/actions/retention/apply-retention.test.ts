// Retention: what is past its time is deleted by the ordinary path, what is held or still needed stays,
// and the preview says so before.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { changeOrganization } from "../../../src/actions/access/change-organization.ts";
import {
  applyRetention,
  type Marks,
  requestedAtOnceMax,
  retaining,
  type RetentionPlace,
  retentionScannedMax,
} from "../../../src/actions/retention/apply-retention.ts";
import type { Payload } from "../../../src/domain/record-type.ts";
import { setRule } from "../../../src/actions/retention/retention-rules.ts";
import { processDeletions } from "../../../src/actions/deletion/process-deletions.ts";
import { openApp } from "../../../src/process/app.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { makeCommandLine } from "../../cli/command-line.ts";
import {
  acme,
  draftOf,
  keyOf,
  operator,
  organization,
  transaction,
} from "../../conformance/scene.ts";
import { testEnvironment } from "../../support/service.ts";
import { StoreFaults } from "../../support/store-faults.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { withActs } from "../../support/test-store.ts";

const now = Date.UTC(2026, 5, 1);
const old = { timestamp: "2020-01-01T00:00:00Z" };
const fresh = { timestamp: "2026-05-01T00:00:00Z" };
/** As old as the organization keeps records, and not older. */
const oldest = { timestamp: "2025-06-01T00:00:00Z" };

const idOf = (index: number) => `tx-${String(index).padStart(5, "0")}`;

describe("retention", async () => {
  const folder = makeTempFolder();

  const config = readConfig(testEnvironment(folder));
  const app = await openApp(config, { role: "command", now: () => now });
  const store = withActs(app.store);
  await store.createOrganization(organization(acme), operator);
  await store.createOrganization(organization("org_patient"), operator);
  await store.write(
    ["gone", "held", "needed", "deep", "seen-again"].map((id) => transaction(id, old)),
  );
  await store.write(transaction("seen-again", fresh), { mode: "update" });
  await store.write(transaction("young", fresh));
  await store.write(transaction("just-kept", oldest));
  await store.write(transaction("not-theirs", old), { organizationId: "org_patient" });
  const checks = [
    ["old-check", "gone", old],
    ["late-check", "needed", fresh],
    ["deep-check", "deep", old],
  ] as const;
  for (const [id, transactionId, times] of checks) {
    await store.add("transaction_check", id, { ...times, related_tx_ids: [transactionId] });
  }
  const related = { ...fresh, related_check_id: "deep-check" };
  await store.add("transaction_alert", "deep-alert", related);
  await store.hold(keyOf("transaction", "held"));
  after(() => app.close());

  async function applyAll(): Promise<number> {
    let place: RetentionPlace | undefined;
    let all = 0;
    do {
      const { queued, next } = await applyRetention(app, place);
      all += queued;
      place = next;
    } while (place !== undefined);
    return all;
  }

  function preview(...words: readonly string[]) {
    const line = makeCommandLine({ folder, now: () => now });
    return line.ask("retention preview", ...words);
  }

  it("does nothing for an organization that is not set to it", async () => {
    assert.equal(await applyAll(), 0);
    assert.deepEqual(await preview(), { organizations: [] });
  });

  it("shows what it would do, and does nothing then", async () => {
    const { organizations } = await preview("--organization", acme, "--days", "365");
    assert.deepEqual(organizations, [
      {
        organization_id: acme,
        at: "2026-06-01T00:00:00.000Z",
        retain_days: 365,
        ceilings: [],
        due: 2,
        due_by_type: { transaction: 1, transaction_check: 1 },
        erased_with_them: {},
        shared_with_others: {},
        counted_in_part: 0,
        arrived_within_a_day: 0,
        held: 1,
        under_floor: 0,
        deletion_open: 0,
        needed_by_later: 3,
        first: [
          { resource_type: "transaction", resource_id: "gone" },
          { resource_type: "transaction_check", resource_id: "old-check" },
        ],
      },
    ]);
    assert.deepEqual(await store.listDeletions({ limit: 10 }), []);
  });

  it("queues each deletion once, under the name of retention", async () => {
    const line = makeCommandLine({ folder, now: () => now });
    const set = await line.ask("organization set", acme, "--retain-days", "365", "--yes");
    assert.equal(set["retain_days"], 365);
    assert.equal(await applyAll(), 2);
    assert.equal(await applyAll(), 0);
    const deletions = await store.listDeletions({ limit: 10 });
    assert.deepEqual(deletions.map(({ resourceId }) => resourceId).sort(), ["gone", "old-check"]);
    for (const { requestedBy, reason, basis } of deletions) {
      assert.equal(requestedBy, "retention");
      assert.equal(basis, "retention_rule");
      assert.equal(reason, "kept for longer than 365 days");
    }
  });

  it("has them processed and receipted as any other, and leaves the rest", async () => {
    const stopping = new AbortController().signal;
    while ((await processDeletions(app, { claimant: "test", stopping })).length > 0);
    for (const id of ["held", "needed", "deep", "seen-again", "young"]) {
      assert.ok(await store.exists(keyOf("transaction", id)), id);
    }
    assert.ok(await store.exists(keyOf("transaction", "not-theirs", "org_patient")));
    assert.equal(await store.exists(keyOf("transaction", "gone")), false);
    const receipts = await store.listReceipts(Number.MIN_SAFE_INTEGER, 10);
    assert.deepEqual(
      receipts.map(({ receipt }) => receipt.asked.by),
      ["retention", "retention"],
    );
    assert.deepEqual(await store.checkIntegrity(), { ok: true, findings: [] });
  });

  it("requests no deletion of a record under a retention floor", async () => {
    const line = makeCommandLine({ folder, now: () => now });
    const resourceType = "person";
    const closed = { ...old, account_status: "CLOSED" };
    await store.write(draftOf(resourceType, "closed", closed), { resourceType });
    await store.write(draftOf(resourceType, "customer", old), { resourceType });
    const set = ["--organization", acme, "--type", "person", "--from", "closed"] as const;
    await line.ask("retention set", ...set, "--keep-days", "365");
    const { organizations } = await preview("--organization", acme);
    const [{ due, under_floor }] = organizations as [{ due: number; under_floor: number }];
    assert.deepEqual([due, under_floor], [1, 1]);
    assert.equal(await applyAll(), 1);
    const [request] = await store.listDeletions({ limit: 1, status: "pending" });
    assert.equal(request?.resourceId, "closed");
    await line.ask("retention set", ...set, "--keep-days", "none", "--yes");
    assert.equal(await applyAll(), 1);
  });

  it("requests nothing that a floor or a hold on what belongs to it keeps, as the preview says", async () => {
    const organizationId = "org_keeping";
    await store.createOrganization(organization(organizationId), operator);
    await setRule(app, { organizationId, resourceType: "transaction", deleteAfterDays: 365 });
    await setRule(app, { organizationId, resourceType: "transaction_check", keepDays: 3_650 });
    const belonging = (type: string, id: string, fields: Payload) =>
      store.write(draftOf(type, id, { ...fresh, ...fields }), {
        organizationId,
        resourceType: type,
      });
    const ids = ["free", "floored", "on-hold"];
    await store.write(
      ids.map((id) => transaction(id, old)),
      { organizationId },
    );
    await belonging("transaction_check", "check", { related_tx_ids: ["floored"] });
    await belonging("transaction_alert", "alert", { related_tx_ids: ["on-hold"] });
    await store.hold(keyOf("transaction_alert", "alert", organizationId));
    const { organizations } = await preview("--organization", organizationId);
    const [shown] = organizations as readonly Readonly<Record<string, unknown>>[];
    assert.deepEqual([shown?.["due"], shown?.["under_floor"], shown?.["held"]], [1, 1, 1]);
    assert.equal((await applyRetention(app, { organizationIds: [organizationId] })).queued, 1);
    const requested = await store.listDeletions({ organizationId, limit: 5 });
    assert.deepEqual(
      requested.map(({ resourceId }) => resourceId),
      ["free"],
    );
    const update = { organizationId, mode: "update" } as const;
    const written = await store.write(transaction("floored", fresh), update);
    assert.deepEqual(written.drafts, ["updated"]);
    await setRule(app, { organizationId, resourceType: "transaction", deleteAfterDays: null });
  });

  it("looks at a bounded part each time, and at every record in the end", async () => {
    const count = retentionScannedMax + 5;
    const many = Array.from({ length: count }, (_, index) => transaction(`many-${index}`, old));
    await store.write(many);
    let [open, openMax] = [0, 0];
    const requestDeletion: typeof store.requestDeletion = async (...request) => {
      openMax = Math.max(openMax, (open += 1));
      return app.store.requestDeletion(...request).finally(() => (open -= 1));
    };
    const counting = { ...app, store: { ...app.store, requestDeletion } };
    const first = await applyRetention(counting, undefined);
    assert.equal(openMax, requestedAtOnceMax);
    assert.ok(first.queued > 0 && first.queued <= retentionScannedMax);
    assert.ok(first.next !== undefined);
    assert.equal(first.queued + (await applyAll()), count);
  });

  it("says which of them arrived within a day, whose times may be wrong", async () => {
    const organizationId = "org_mistaken";
    await store.createOrganization(organization(organizationId), operator);
    await changeOrganization(app, organizationId, { retainDays: 365 });
    const hourMs = 3_600_000;
    for (const [id, receivedAt] of [
      ["just-now", now - hourMs],
      ["long-ago", now - 25 * hourMs],
    ] as const) {
      await store.write(transaction(id, old), { organizationId, receivedAt });
    }
    const { organizations } = await preview("--organization", organizationId);
    const [shown] = organizations as readonly Readonly<Record<string, unknown>>[];
    assert.deepEqual([shown?.["due"], shown?.["arrived_within_a_day"]], [2, 1]);
    const line = makeCommandLine({ folder, now: () => now });
    const { out } = await line.type("retention preview --organization", organizationId);
    assert.match(out, /^of these, arrived within a day +1$/m);
    const { queued, recent } = await applyRetention(app, { organizationIds: [organizationId] });
    assert.deepEqual([queued, recent], [2, 1]);
    await changeOrganization(app, organizationId, { retainDays: null });
  });

  it("reads nothing again that cannot be due, and what arrived within a day", async () => {
    const organizationId = "org_many";
    const hourMs = 3_600_000;
    await store.createOrganization(organization(organizationId), operator);
    await changeOrganization(app, organizationId, { retainDays: 365 });
    const add = (ids: readonly string[], fields: Payload) =>
      store.write(
        ids.map((id) => transaction(id, fields)),
        { organizationId },
      );
    const ids = Array.from({ length: 2 * retentionScannedMax + 10 }, (_, index) => idOf(index));
    await add(ids, fresh);
    // The first to become due is in the second part.
    const first = idOf(retentionScannedMax + 7);
    const tomorrow = new Date(now - 365 * 24 * hourMs + hourMs).toISOString();
    await add([`${first}-a`], { timestamp: tomorrow });
    let reads = 0;
    let clock = now;
    const findExpired: typeof store.findExpired = async (query) => {
      reads += 1;
      // Ten times as many are read together while none of them can be due.
      return app.store.findExpired({ ...query, scannedMax: retentionScannedMax / 10 });
    };
    const counting = { now: () => clock, store: { ...app.store, findExpired } };
    const marks: Marks = new Map();
    const round = async () => {
      reads = 0;
      let place: RetentionPlace | undefined = { organizationIds: [organizationId] };
      let all = 0;
      do {
        const { queued, next } = await applyRetention(counting, place, marks);
        [all, place] = [all + queued, next];
      } while (place !== undefined);
      return [all, reads];
    };
    assert.equal((await round())[1], 3);
    assert.deepEqual(await round(), [0, 0]);
    clock += 2 * hourMs;
    // Those beside the one that is due, and the rest of the part.
    assert.deepEqual(await round(), [1, 2]);
    await add([`${idOf(3)}-late`, `${idOf(9)}-held`], old);
    await store.hold(keyOf("transaction", `${idOf(9)}-held`, organizationId));
    clock += 22 * hourMs;
    const [queued, everything] = await round();
    assert.deepEqual([queued, (everything ?? 0) > 2], [1, true]);
    await store.release(keyOf("transaction", `${idOf(9)}-held`, organizationId));
    clock += hourMs;
    assert.deepEqual((await round())[0], 1);
    await changeOrganization(app, organizationId, { retainDays: 1_000 });
    assert.ok(((await round())[1] ?? 0) > 2);
  });

  it("reads the list of organizations once for all of them", async () => {
    const organizationIds = ["org_patient", "org_none", acme];
    const faults = new StoreFaults();
    const blind = { ...app, store: faults.wrap(app.store) };
    faults.break("listOrganizations", new Error("listed again"));
    const reached = new Set<string | undefined>();
    let place: RetentionPlace | undefined = { organizationIds };
    while (place !== undefined) {
      reached.add(place.organizationIds[0]);
      ({ next: place } = await applyRetention(blind, place));
    }
    assert.deepEqual([...reached], organizationIds);
  });

  it("requests a deletion that has the grace period of the organization", async () => {
    await changeOrganization(app, acme, { deletionGraceSeconds: 60 });
    await store.write(transaction("graced", old));
    assert.equal(await applyAll(), 1);
    const pending = await store.listDeletions({ limit: 5_000, status: "pending" });
    const request = pending.find(({ resourceId }) => resourceId === "graced");
    assert.equal(request?.dueAt, now + 60_000);
  });

  it("passes over an organization that was closed", async () => {
    const organizationId = "org_patient";
    await changeOrganization(app, organizationId, { retainDays: 1 });
    await store.closeOrganization(organizationId, operator);
    assert.ok((await retaining(app)).every((one) => one.organizationId !== organizationId));
    assert.equal(await applyAll(), 0);
  });

  it("applies the ceiling of a type without one of the organization, with its reason", async () => {
    const line = makeCommandLine({ folder, now: () => now });
    await line.ask("organization set", acme, "--retain-days", "off");
    const resourceType = "company";
    const closed = { ...old, account_status: "CLOSED" };
    await store.write(draftOf(resourceType, "ended", closed), { resourceType });
    await store.write(draftOf(resourceType, "customer", old), { resourceType });
    const rule = ["--keep-days", "365", "--delete", "--from", "closed", "--yes"] as const;
    await line.ask("retention set --type company --organization", acme, ...rule);
    const { organizations } = await preview("--at", "2026-06-02");
    const [{ at, ceilings, due_by_type }] = organizations as [Readonly<Record<string, unknown>>];
    assert.deepEqual([at, due_by_type], ["2026-06-02T00:00:00.000Z", { company: 1 }]);
    assert.deepEqual(ceilings, [
      { resource_type: "company", delete_after_days: 365, counted_from: "closed" },
    ]);
    assert.equal(await applyAll(), 1);
    const pending = await store.listDeletions({ limit: 5_000, status: "pending" });
    const request = pending.find(({ resourceId }) => resourceId === "ended");
    assert.equal(request?.reason, "kept for 365 days from closed");
    await line.ask("retention set --keep-days none --type company --organization", acme, "--yes");
    await line.ask("retention set --delete-after-days none --type company --organization", acme);
  });

  it("loses no rule that another operator sets at the same time", async () => {
    const type = { organizationId: acme, resourceType: "identity_verification" };
    const settings = [{ keepDays: 365 }, { deleteAfterDays: 400 }].map((one) => {
      return { ...type, ...one };
    });
    const outcomes = await Promise.allSettled(settings.map((one) => setRule(app, one)));
    for (const [index, setting] of settings.entries()) {
      const outcome = outcomes[index];
      if (outcome?.status !== "rejected") continue;
      assert.equal(outcome.reason.errorName, "rule_changed");
      await setRule(app, setting);
    }
    const rules = await store.retention.listRules([acme]);
    const rule = rules.find(({ resourceType }) => resourceType === type.resourceType);
    assert.deepEqual([rule?.keepDays, rule?.deleteAfterDays], [365, 400]);
    await setRule(app, { ...type, keepDays: null, deleteAfterDays: null });
  });

  it("ends with being turned off", async () => {
    const line = makeCommandLine({ folder, now: () => now });
    const set = await line.ask("organization set", acme, "--retain-days", "off");
    assert.equal(set["retain_days"], null);
    await store.write(transaction("later", old));
    assert.equal(await applyAll(), 0);
  });
});
