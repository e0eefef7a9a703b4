// Holds that end by themselves: not before their last day is over, with the reason in the trail and the ledger, and the
// deletions that waited for them are processed.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { processDeletions } from "../../../src/actions/deletion/process-deletions.ts";
import { keepLedger } from "../../../src/actions/ledger/keep-ledger.ts";
import { holdRecord, endHolds, listEndingSoon } from "../../../src/actions/retention/holds.ts";
import type { LedgerEntry } from "../../../src/domain/deletion/ledger-entry.ts";
import { openApp } from "../../../src/process/app.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { acme, keyOf, operator, organization } from "../../conformance/scene.ts";
import { makeFakeClock } from "../../support/fake-clock.ts";
import { testEnvironment } from "../../support/service.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { withActs } from "../../support/test-store.ts";

const dayMs = 86_400_000;
const noon = Date.UTC(2028, 1, 29, 12);
const clock = makeFakeClock(noon);

const config = readConfig(testEnvironment(makeTempFolder()));
const app = await openApp(config, { role: "command", now: clock.now });
const store = withActs(app.store);
await store.createOrganization(organization(acme), operator);
await store.add("transaction", "t");
await store.add("customer_sar", "s", { related_person_id: "p" });
after(() => app.close());

function place(type: string, id: string, endsOn: string) {
  return holdRecord(app, keyOf(type, id), { reason: "a case", endsOn });
}

async function processAll(): Promise<number> {
  const stopping = new AbortController().signal;
  return (await processDeletions(app, { claimant: "test", stopping })).length;
}

async function entriesOfHold(holdId: string): Promise<readonly LedgerEntry[]> {
  await keepLedger(app);
  const found: LedgerEntry[] = [];
  for await (const { entries } of app.ledger.readParts()) {
    found.push(...entries.filter((one) => "holdId" in one && one.holdId === holdId));
  }
  return found;
}

describe("a hold with an end", () => {
  for (const [endsOn, says] of [
    ["2028-02-28", /2028-02-28 has passed/],
    ["2033-03-01", /5 years at most, until 2033-02-28/],
    ["2028-02-30", /must be a date/],
    ["soon", /must be a date/],
  ] as const) {
    it(`is refused with the end ${endsOn}, and nothing is placed`, async () => {
      await assert.rejects(place("transaction", "t", endsOn), says);
      assert.deepEqual(await store.holds.list({ limit: 10 }), []);
    });
  }

  it("lasts until its last day is over, and then ends with its reason stated", async () => {
    const { holdId } = await place("transaction", "t", "2028-02-29");
    await place("transaction", "t", "2033-02-28");
    const id = await store.request(keyOf("transaction", "t"));
    clock.advanceMs(dayMs / 2 - 1);
    assert.deepEqual(await endHolds(app), { ended: 0, more: false });
    clock.advanceMs(1);
    assert.deepEqual(await endHolds(app), { ended: 1, more: false });
    assert.equal(await store.holds.find(holdId), undefined);
    const entry = (await store.listAudit(0, 100)).findLast((one) => one.action === "hold.release");
    assert.equal(entry?.actor, "retention");
    assert.deepEqual(entry.detail, { holdId, because: "ended" });
    assert.deepEqual(await entriesOfHold(holdId), [
      { kind: "hold_released", holdId, at: clock.now(), by: "retention", because: "ended" },
    ]);
    assert.equal(await processAll(), 0);
    assert.match((await store.deletionOf(id)).waitingFor ?? "", /^a hold on/);
    clock.advanceMs(Date.UTC(2033, 2, 2) - clock.now());
    await endHolds(app);
    assert.equal(await processAll(), 1);
    assert.equal((await store.deletionOf(id)).status, "completed");
  });

  it("is announced for 30 days, unless it is on a confidential record", async () => {
    await store.add("person", "p");
    const first = await place("person", "p", "2033-04-02");
    await place("customer_sar", "s", "2033-04-02");
    assert.deepEqual(await listEndingSoon(app), []);
    clock.advanceMs(dayMs);
    assert.deepEqual(
      (await listEndingSoon(app)).map(({ holdId }) => holdId),
      [first.holdId],
    );
    clock.advanceMs(31 * dayMs);
    assert.deepEqual(await listEndingSoon(app), []);
    assert.equal((await endHolds(app)).ended, 2);
  });
});
