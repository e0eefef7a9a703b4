// What `retention preview --at` names as kept in the restricted store is what has to be kept on that day, not today.

import assert from "node:assert/strict";
import { it } from "node:test";
import { makeFakeClock } from "../support/fake-clock.ts";
import { operate } from "../support/server.ts";
import { makeCommandLine } from "./command-line.ts";
import { addRecord, addTransaction } from "./write-transactions.ts";

const clock = makeFakeClock(Date.UTC(2026, 2, 1));
const line = makeCommandLine({ now: clock.now });
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
  const acme = await makeOrganization("acme");
  await line.ask(`retention set --type ${report} --keep-days 400`, ...acme);
  assert.equal(await wouldRestrict(acme, "2027-03-21"), 2);
  assert.equal(await wouldRestrict(acme, "2027-03-23"), 0);
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
