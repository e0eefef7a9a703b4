// A rule that weakens a floor, or lets a ceiling erase records earlier, needs a confirmation, and says before what it
// releases.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeFakeClock } from "../support/fake-clock.ts";
import { makeCommandLine } from "./command-line.ts";
import { processAll } from "./process-all.ts";
import { addTransaction } from "./write-transactions.ts";

const clock = makeFakeClock(Date.UTC(2026, 2, 1));
const line = makeCommandLine({ now: clock.now });
await line.ask("organization create --name Acme --id acme");
await line.ask("organization create --name Closed --id closed");
await line.beside(async (opened) => {
  const timestamp = "2025-11-15T00:00:00Z";
  const app = { ...opened, now: clock.now };
  for (const id of ["acme", "closed"]) await addTransaction(app, id, { tx_id: "tx-1", timestamp });
});

/** What is said of a rule that is not set, because it is not confirmed. */
async function refuse(rule: string, organization = "acme"): Promise<string> {
  const failed = await line.fail(`retention set --organization ${organization} --type ${rule}`);
  assert.equal(failed.name, "not_confirmed");
  assert.match(failed.message, /^Nothing was changed.*Add --yes to confirm\.$/s);
  return failed.message;
}

function set(rule: string, organization = "acme") {
  return line.ask(`retention set --organization ${organization} --type ${rule}`);
}

describe("a rule that weakens a floor", () => {
  it("needs a confirmation, and says that deletions may wait for it", async () => {
    await set("transaction --keep-days 3653");
    await line.ask("deletion request transaction tx-1 --organization acme --reason asked");
    await processAll(line);
    for (const weaker of ["--keep-days 60", "--keep-days none", "--redactable"]) {
      assert.match(await refuse(`transaction ${weaker}`), /Deletions that wait only for it/);
    }
    await set("transaction --keep-days 4000");
    await set("transaction --keep-days 60 --yes");
    await processAll(line);
    const { deletions } = await line.ask("deletion list --organization acme --status completed");
    assert.equal((deletions as readonly object[]).length, 1);
  });

  it("needs one for a ceiling that erases earlier", async () => {
    // Of a company that is not closed, only a floor keeps the record from the ceiling of the organization.
    await set("company --keep-days 20 --from closed");
    await line.ask("organization set acme --retain-days 2000 --yes");
    await refuse("company --keep-days none");
    await refuse("person --delete-after-days 100");
    await set("company --keep-days none --yes");
  });

  it("says what it releases that nobody lists: of reports, and of closed organizations", async () => {
    await set("customer_sar --keep-days 1000");
    const restricted = /What the restricted store keeps only because of it is then erased\./;
    assert.match(await refuse("customer_sar --keep-days 999"), restricted);
    await set("customer_sar --keep-days 1001");
    await set("transaction --keep-days 3653", "closed");
    await line.ask("organization close --organization closed --yes");
    await processAll(line);
    const everything = /Everything in the closed organization is then erased, unless/;
    assert.match(await refuse("transaction --keep-days none", "closed"), everything);
    await set("transaction --keep-days 4000", "closed");
  });
});
