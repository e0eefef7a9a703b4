// The health of webhooks, as the console shows it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readHealth } from "../../../src/actions/upkeep/read-health.ts";
import { panels } from "../../../src/feature/webhook/console.ts";
import { webhooks } from "../../../src/feature/webhook/store/part.ts";
import { createEndpoint } from "../../../src/feature/webhook/endpoints.ts";
import { type WebhookEndpoint, webhookEvents } from "../../../src/feature/webhook/webhook.ts";
import { read } from "../../console/browse.ts";
import { eachRole, signInPeople } from "../../console/people.ts";
import { makeCustomer } from "../../support/customer.ts";
import { disabled } from "./store/webhooks.ts";

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
    const [found] = await app.store.of(webhooks).listEndpoints(organizationId);
    assert.ok(found);
    const lease = { claimant: "test", now, until: now + 60_000 };
    const claimed = await app.store.of(webhooks).claim(found, lease);
    assert.ok(claimed);
    const storeResult = (after: WebhookEndpoint) =>
      app.store.of(webhooks).storeResult({ before: claimed, after, claimant: "test" });
    await storeResult({ ...claimed, failures: 1, failingSince: now });
    assert.equal(await resultOf(), "One endpoint fails.");
    await storeResult(disabled(claimed, now));
    assert.match((await resultOf()) ?? "", /^Nothing is sent to one endpoint/);
    assert.match(await overview(), /Webhooks that fail[^]*?and 1 that are sent nothing/);
    const inOther = { cookie: `${site.cookies["operator"]}; sluice_organization=other` };
    assert.doesNotMatch((await read(client, "/console", inOther)).text, /Webhooks that fail/);
  });
});
