// The health of recipients and of webhooks, as the console shows it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readHealth } from "../../../src/actions/upkeep/read-health.ts";
import { panels } from "../../../src/feature/subscription/console.ts";
import { createRecipient } from "../../../src/feature/recipient/recipients.ts";
import { subscriptions } from "../../../src/feature/subscription/store/part.ts";
import { createEndpoint } from "../../../src/feature/webhook/endpoints.ts";
import { webhookEvents } from "../../../src/feature/webhook/webhook.ts";
import { read } from "../../console/browse.ts";
import { eachRole, signInPeople } from "../../console/people.ts";
import { deleteOne } from "../../receipt/scene.ts";
import { makeCustomer } from "../../support/customer.ts";
import { disabled } from "../webhook/store/webhooks.ts";

describe("the health in the console", () => {
  const site = signInPeople(eachRole(["operator"]));

  it("finds endpoints of webhooks that are disabled, as the overview does", async () => {
    const { app, client, clock } = site.service;
    const { organizationId } = await makeCustomer(app, client);
    const resultOf = async () => {
      const { checks } = await readHealth(app, panels.health ?? {});
      return checks.find(({ name }) => name === "Webhooks are delivered")?.result;
    };
    assert.equal(await resultOf(), "No endpoint fails or is disabled.");
    const overview = async () =>
      (await read(client, "/console", { cookie: site.cookies["operator"] })).text;
    assert.doesNotMatch(await overview(), /Webhooks that fail/);
    const wanted = { organizationId, url: "https://example.com/", events: [...webhookEvents] };
    await createEndpoint(app, wanted);
    const now = clock.now();
    const [found] = await app.store.of(subscriptions).listEndpoints(organizationId);
    assert.ok(found);
    const lease = { claimant: "test", now, until: now + 60_000 };
    const claimed = await app.store.of(subscriptions).claim(found, lease);
    assert.ok(claimed);
    const attempt = { before: claimed, after: disabled(claimed, now), claimant: "test" };
    await app.store.of(subscriptions).settle(attempt);
    assert.match((await resultOf()) ?? "", /^Nothing is sent to one endpoint/);
    assert.match(await overview(), /Webhooks that fail[^]*?and 1 that are sent nothing/);
  });

  it("finds a recipient that has not acknowledged an erasure for a week", async () => {
    const { app, client, clock } = site.service;
    const owner = await makeCustomer(app, client);
    await createRecipient(app, { organizationId: owner.organizationId, name: "copies" });
    await deleteOne(client, owner, "tx-1");
    clock.advanceMs(6 * 24 * 60 * 60 * 1_000);
    const resultOf = async () => {
      const { checks } = await readHealth(app, panels.health ?? {});
      return checks.find(({ name }) => name === "Recipients acknowledge changes")?.result;
    };
    assert.equal(await resultOf(), "None is far behind.");
    clock.advanceMs(24 * 60 * 60 * 1_000);
    assert.match((await resultOf()) ?? "", /One is 7 days behind/);
  });
});
