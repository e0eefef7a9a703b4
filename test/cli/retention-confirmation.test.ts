// A rule that shortens or removes a floor says how many deletions wait for it, before they begin. What `retention
// preview --at` names as kept in the restricted store is what has to be kept on that day, not today.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { previewRule } from "../../src/actions/retention/retention-rules.ts";
import { makeFakeClock } from "../support/fake-clock.ts";
import { operate } from "../support/server.ts";
import { makeCommandLine } from "./command-line.ts";
import { processAll } from "./process-all.ts";
import { addRecord, addTransaction } from "./write-transactions.ts";

const clock = makeFakeClock(Date.UTC(2026, 2, 1));
const line = makeCommandLine({ now: clock.now });
const set = "retention set --organization acme --type";
const waits = (deletions: number, due: number) => {
  return { deletions, would_become_due: due, is_complete: true };
};
const dryRun = async (...rule: readonly string[]) =>
  (await line.ask(...rule, "--dry-run"))["waiting_for_floor"];

describe("a rule that weakens a floor", () => {
  before(async () => {
    await line.ask("organization create --name Acme --id acme");
    await operate(line.environment, async (opened) => {
      const app = { ...opened, now: clock.now };
      // Three are 106 days old, one 14 days.
      for (const id of ["a", "b", "c"]) {
        await addTransaction(app, "acme", { tx_id: id, timestamp: "2025-11-15T00:00:00Z" });
      }
      const timestamp = "2026-02-15T00:00:00Z";
      await addTransaction(app, "acme", { tx_id: "new", timestamp });
      const person = { person_id: "p", is_test_user: false, is_retail_customer: true };
      await addRecord(app, "acme", { type: "person", fields: { ...person, timestamp } });
    });
    await line.ask(`${set} transaction --keep-days 3653`);
    await line.ask(`${set} person --keep-days 1000 --from closed`);
    const request = "--organization acme --reason asked";
    for (const id of ["a", "b", "new"]) {
      await line.ask(`deletion request transaction ${id} ${request}`);
    }
    await line.ask(`deletion request person p ${request}`);
  });

  it("says how many deletions wait for it, evaluated by the worker or not", async () => {
    const rules: readonly (readonly [rule: string, expected: object])[] = [
      ["transaction --keep-days 60", waits(3, 2)],
      ["transaction --keep-days 1000", waits(3, 0)],
      ["transaction --keep-days none", waits(3, 3)],
      ["transaction --keep-days 3653 --redactable", waits(3, 3)],
      ["transaction --keep-days 4000", waits(0, 0)],
      ["transaction --keep-days 3653 --delete-after-days 4000", waits(0, 0)],
      ["person --keep-days 1000 --from last_seen", waits(1, 1)],
      ["person --keep-days 999", waits(1, 0)],
      ["screening --keep-days 5", waits(0, 0)],
    ];
    for (const when of ["before", "after"]) {
      for (const [rule, expected] of rules) {
        assert.deepEqual(await dryRun(`${set} ${rule}`), expected, `${rule} ${when}`);
      }
      await processAll(line, clock.now);
    }
    const { out } = await line.type(`${set} transaction --keep-days 60 --dry-run`);
    assert.match(out, /3 deletions wait for this floor; 2 of them would become due now, unless/);
  });

  it("counts them for the console and for proposals, too", async () => {
    const counted = await operate(line.environment, async (opened) => {
      const app = { ...opened, now: clock.now };
      const wanted = { organizationId: "acme", resourceType: "transaction", keepDays: 60 };
      return (await previewRule(app, wanted)).waits;
    });
    assert.deepEqual(counted, { waiting: 3, due: 2, isComplete: true });
  });

  it("needs a confirmation if a deletion waits for it, or a ceiling then erases earlier", async () => {
    const shorter = `${set} transaction --keep-days 60`;
    const asked = await line.fail(shorter);
    assert.equal(asked.name, "not_confirmed");
    assert.match(asked.message, /3 deletions wait for this floor; 2 of them.*Add --yes/s);
    await line.ask(shorter, "--yes");
    await processAll(line, clock.now);
    const { deletions } = await line.ask("deletion list --organization acme --status completed");
    assert.equal((deletions as readonly object[]).length, 2);
    assert.equal((await line.fail(`${set} transaction --keep-days none`)).name, "not_confirmed");
    await line.ask(`${set} transaction --keep-days none --yes`);
    await processAll(line, clock.now);
    await line.ask(`${set} transaction --keep-days 60`);
    await line.ask(`${set} transaction --keep-days none`);

    // Of a company that is not closed, only a floor keeps the record from the ceiling of the organization.
    await line.ask(`${set} company --keep-days 20 --from closed`);
    await line.ask("organization set acme --retain-days 2000 --yes");
    assert.equal((await line.fail(`${set} company --keep-days none`)).name, "not_confirmed");
    await line.ask(`${set} company --keep-days none --yes`);
  });

  it("needs a confirmation where it may release what nobody lists: reports, and closed organizations", async () => {
    const restricted = /What the restricted store keeps only because of it is then erased\./;
    const report = `${set} customer_sar`;
    await line.ask(`${report} --keep-days 1000`);
    assert.equal((await line.fail(`${report} --keep-days 999`)).name, "not_confirmed");
    assert.match((await line.fail(`${report} --keep-days none`)).message, restricted);
    await line.ask(`${report} --keep-days 1001`);
    await line.ask(`${report} --keep-days none --yes`);

    await line.ask("organization create --name Closed --id closed");
    await operate(line.environment, (opened) =>
      addTransaction({ ...opened, now: clock.now }, "closed", { tx_id: "kept" }),
    );
    const rule = "retention set --organization closed --type transaction";
    await line.ask(`${rule} --keep-days 3653`);
    await line.ask("organization close --organization closed --yes");
    await processAll(line, clock.now);
    const asked = await line.fail(`${rule} --keep-days none`);
    assert.equal(asked.name, "not_confirmed");
    assert.match(asked.message, /Everything in the closed organization is then erased, unless/);
    await line.ask(`${rule} --keep-days 4000`);
    await line.ask(`${rule} --keep-days none --yes`);
  });
});

const report = "transaction_suspicious_activity";
const timestamp = "2026-02-15T00:00:00Z";

/** An organization with one transaction, which is due on 15 February 2027, and one report that is not filed. */
async function makeOrganization(id: string): Promise<readonly string[]> {
  await line.ask("organization create --name Acme --id", id);
  await operate(line.environment, async (opened) => {
    const app = { ...opened, now: clock.now };
    await addTransaction(app, id, { tx_id: "tx-1", timestamp });
    const ids = { suspicious_activity_id: "report-1", related_tx_ids: ["tx-1"] };
    await addRecord(app, id, {
      type: report,
      fields: { ...ids, timestamp, detection_date: timestamp },
    });
  });
  const organization = ["--organization", id];
  const ceiling = "retention set --type transaction --delete-after-days 365 --yes";
  await line.ask(ceiling, ...organization);
  return organization;
}

async function wouldRestrict(organization: readonly string[], day: string): Promise<number> {
  const asked = ["--at", day, "--include-confidential"];
  const shown = await line.ask("retention preview", ...organization, ...asked);
  const [preview] = shown["organizations"] as readonly { would_restrict: readonly object[] }[];
  return preview?.would_restrict.length ?? -1;
}

it("a report is restricted on a later day while its floor has not ended by then", async () => {
  const floored = await makeOrganization("floored");
  await line.ask(`retention set --type ${report} --keep-days 400`, ...floored);
  assert.equal(await wouldRestrict(floored, "2027-03-21"), 2);
  assert.equal(await wouldRestrict(floored, "2027-03-23"), 0);
});

it("a floor without a time to count from counts from the day when the ceiling is reached", async () => {
  const unfiled = await makeOrganization("unfiled");
  const floor = `retention set --type ${report} --keep-days 10 --from report_filed_at`;
  await line.ask(floor, ...unfiled);
  assert.equal(await wouldRestrict(unfiled, "2027-02-24"), 2);
  assert.equal(await wouldRestrict(unfiled, "2027-02-26"), 0);
});

it("a report is restricted on a later day while a hold on it has not ended by then", async () => {
  const held = await makeOrganization("held");
  const hold = `deletion hold ${report} report-1 --reason case --until 2027-03-01`;
  await line.ask(hold, ...held);
  assert.equal(await wouldRestrict(held, "2027-03-01"), 2);
  assert.equal(await wouldRestrict(held, "2027-03-02"), 0);
});
