// The health of recipients, as the console shows it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hasTimedRules } from "../../../src/actions/upkeep/clock.ts";
import { readHealth } from "../../../src/actions/upkeep/read-health.ts";
import { panels } from "../../../src/feature/recipient/console.ts";
import { createRecipient } from "../../../src/feature/recipient/recipients.ts";
import { read } from "../../console/browse.ts";
import { eachRole, signInPeople } from "../../console/people.ts";
import { deleteOne } from "../../receipt/scene.ts";
import { makeCustomer } from "../../support/customer.ts";

describe("the health in the console", () => {
  const site = signInPeople(eachRole(["operator"]));

  it("has a start compare the clock while a recipient has something to acknowledge, which expires", async () => {
    const { app, client } = site.service;
    const owner = await makeCustomer(app, client);
    await createRecipient(app, { organizationId: owner.organizationId, name: "copies" });
    assert.equal(await hasTimedRules(app), false);
    await deleteOne(client, owner, "tx-1");
    assert.equal(await hasTimedRules(app), true);
  });

  it("finds a recipient that has not acknowledged an erasure for a week", async () => {
    const { app, client, clock } = site.service;
    const owner = await makeCustomer(app, client);
    await createRecipient(app, { organizationId: owner.organizationId, name: "copies" });
    await deleteOne(client, owner, "tx-1");
    clock.advanceMs(60 * 60 * 1_000);
    const overview = async (organization: string) => {
      const cookie = `${site.cookies["operator"]}; sluice_organization=${organization}`;
      return (await read(client, "/console", { cookie })).text;
    };
    assert.match(await overview(owner.organizationId), /Recipients behind[^]*?one for 1 hour/);
    assert.doesNotMatch(await overview("other"), /Recipients behind/);
    clock.advanceMs(6 * 24 * 60 * 60 * 1_000);
    const resultOf = async () => {
      const { checks } = await readHealth(app, panels.health ?? {});
      return checks.find(({ name }) => name === "Recipients acknowledge changes")?.result;
    };
    assert.equal(await resultOf(), "One has been behind for 6 days.");
    clock.advanceMs(24 * 60 * 60 * 1_000);
    assert.match((await resultOf()) ?? "", /One is 7 days behind/);
  });
});
