// The commands for organizations.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeCommandLine } from "./command-line.ts";

describe("organization create", () => {
  const line = makeCommandLine();

  it("prints exactly the id and the name as JSON", async () => {
    const made = await line.ask("organization create --name", "Acme Ltd", "--id", "acme");
    assert.deepEqual(made, { organization_id: "acme", organization_name: "Acme Ltd" });
  });

  it("generates an id", async () => {
    const made = await line.ask("organization create --name", "Acme Ltd");
    assert.match(String(made["organization_id"]), /^org_\w{16}$/);
  });

  it("shows the next step", async () => {
    const { code, out } = await line.type("organization create --name Next --id next");
    assert.equal(code, 0);
    assert.match(out, /^organization +next$/m);
    assert.match(out, /sluice key create --organization next/);
  });

  it("refuses an id that is in use", async () => {
    const { name, message } = await line.fail("organization create --name Two --id acme");
    assert.equal(name, "organization_exists");
    assert.match(message, /"acme" already exists/);
  });

  for (const id of ["a b", "ä", "a/b", "x".repeat(65), "'", "-a", ".", ".."]) {
    it(`refuses the id ${JSON.stringify(id.slice(0, 8))} of ${id.length} characters`, async () => {
      const { name, message } = await line.fail("organization create --name n --id", id);
      assert.equal(name, "invalid");
      assert.match(message, /1 to 64 letters, digits.*must not begin with/);
    });
  }

  it("accepts an id of 64 characters with every allowed kind", async () => {
    const id = `${"A".repeat(58)}.b_9-z`;
    assert.equal((await line.ask("organization create --name n --id", id))["organization_id"], id);
  });
});

describe("organization list, show and set", () => {
  const line = makeCommandLine();

  it("list says how to begin when there is none", async () => {
    await line.ask("migrate");
    const { out } = await line.type("organization list");
    assert.match(out, /sluice organization create --name NAME/);
    assert.deepEqual(await line.ask("organization list"), { organizations: [] });
  });

  it("an unknown organization is answered with the existing ones", async () => {
    assert.match((await line.fail("organization show x")).message, /There is none yet/);
    await line.ask("organization create --name One --id one");
    await line.ask("organization create --name Two --id two");
    for (const words of [
      ["show", "x"],
      ["set", "x", "--name", "y"],
    ]) {
      const { name, message } = await line.fail("organization", ...words);
      assert.equal(name, "no_such_organization");
      assert.equal(message, 'There is no organization "x". There are: one (One), two (Two).');
    }
  });

  it("list has a line for each", async () => {
    const { out } = await line.type("organization list");
    assert.match(
      out,
      /^organization +name +strict scopes +deletion grace +rate limit +created +closed$/m,
    );
    assert.match(out, /^one +One +off +0s +default +\d{4}-\d\d-\d\dT[\d:.]+Z +-$/m);
    assert.equal(out.trimEnd().split("\n").length, 3);
  });

  it("show calls the ceiling what it is, which is not all that erases records", async () => {
    const { out } = await line.type("organization show one");
    assert.match(out, /^ceiling of types without their own +none$/m);
  });

  it("set changes only the given options", async () => {
    await line.ask("organization set one --strict-scopes on --deletion-grace 24h");
    await line.ask("organization set one --rate-limit 200");
    const { created_at: createdAt, ...shown } = await line.ask("organization show one");
    assert.match(String(createdAt), /Z$/);
    assert.deepEqual(shown, {
      organization_id: "one",
      organization_name: "One",
      strict_scopes: true,
      deletion_grace_seconds: 86_400,
      rate_limit_per_second: 200,
      retain_days: null,
      confidential_types: ["transaction_suspicious_activity", "customer_sar"],
      deletion_approval: false,
      closed_at: null,
      deletion_request_id: null,
      deletion_status: null,
      records: {},
      holds: [],
    });
  });

  it("set restores the defaults", async () => {
    const words = ["--strict-scopes", "off", "--deletion-grace", "0s", "--rate-limit", "default"];
    const changed = await line.ask("organization set one --name Uno", ...words);
    assert.equal(changed["organization_name"], "Uno");
    assert.equal(changed["strict_scopes"], false);
    assert.equal(changed["deletion_grace_seconds"], 0);
    assert.equal(changed["rate_limit_per_second"], null);
    const none = await line.ask("organization set one --rate-limit 0");
    assert.equal(none["rate_limit_per_second"], 0);
  });

  it("set without any option reports that", async () => {
    const { name, message } = await line.fail("organization set one");
    assert.equal(name, "invalid");
    assert.match(message, /Nothing to change: pass at least one option/);
  });
});
