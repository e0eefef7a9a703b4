// The health in the console: checks that pass and fail, and versions.

import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { version } from "../../src/process/version.ts";
import { eachRole, signInPeople } from "./people.ts";

const token = "metrics-token-0123456789abcdef";

describe("the health in the console", () => {
  const site = signInPeople(eachRole(["viewer", "operator", "officer", "auditor"]), {
    environment: { METRICS_TOKEN: token },
  });

  const show = (role: string) => site.show(role, "health");

  const checked = async () => (await show("auditor")).text;

  it("is shown to operators and auditors only", async () => {
    const statuses = [];
    for (const role of ["viewer", "operator", "officer", "auditor"]) {
      statuses.push((await show(role)).status);
    }
    assert.deepEqual(statuses, [403, 200, 403, 200]);
  });

  it("shows checks, versions, and figures, within the size of a page", async () => {
    const { text } = await show("operator");
    assert.match(text, /Everything that is checked here is as it should be/);
    assert.match(text, /The last \d+ entries are chained/);
    const facts = [version, process.versions.node, process.versions["sqlite"]];
    for (const fact of facts) assert.ok(text.includes(`<dd>${fact ?? "none"}</dd>`));
    assert.match(text, /migrated to version \d+/);
    assert.match(text, /Open connections/);
    assert.match(text, /Changes stored in the last hour/);
    assert.match(
      text,
      /<div class="hours"[^>]*>\s*<span>\d\d:\d\d UTC<\/span><span>\d\d:\d\d<\/span>/,
    );
    assert.match(text, />From \(UTC\)<\/th>/);
    assert.ok(!text.includes(token));
    assert.ok(Buffer.byteLength(text) < 60_000, `${Buffer.byteLength(text)} bytes`);
  });

  it("says which check fails, and why", async () => {
    const repair = site.service.breakStore("probeWrite", new Error("the disk is full"));
    const { status, text } = await show("auditor");
    repair();
    assert.equal(status, 200);
    assert.match(text, /1 of \d+ fail/);
    assert.match(text, /The store accepts writes[^]*?no<[^]*?the disk is full/);
  });

  it("finds an entry of the audit trail that was altered, and one that was removed", async () => {
    using database = new DatabaseSync(join(site.service.folder, "sluice.db"), { timeout: 10_000 });
    const alter = (statement: string) => database.exec(statement);
    alter("UPDATE audit_entry SET actor = actor || 'x' WHERE entry_no = 3");
    assert.match(await checked(), /The audit chain is broken at entry 3\./);
    alter("UPDATE audit_entry SET actor = substr(actor, 1, length(actor) - 1) WHERE entry_no = 3");
    assert.match(await checked(), /Everything that is checked here is as it should be/);
    // The service stops when it finds that the trail lacks what its ledger has, so it is soon put back.
    alter("CREATE TEMP TABLE last AS SELECT * FROM audit_entry ORDER BY entry_no DESC LIMIT 1");
    alter("DELETE FROM audit_entry WHERE entry_no = (SELECT entry_no FROM last)");
    const text = await checked();
    alter("INSERT INTO audit_entry SELECT * FROM last");
    assert.match(text, /The audit chain ends at entry \d+, and should at \d+\./);
  });
});
