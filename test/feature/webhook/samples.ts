// What shared tests have to know about webhooks.

import { webhooks } from "../../../src/feature/webhook/store/part.ts";
import { endpointsMax } from "../../../src/feature/webhook/store/rows.ts";
import {
  createEndpoint,
  listEndpoints,
  removeEndpoint,
  testEndpoint,
} from "../../../src/feature/webhook/endpoints.ts";
import { webhookPage } from "../../../src/feature/webhook/noun.ts";
import { newWebhook } from "../../contract/good-request.ts";
import { acme, operator } from "../../conformance/scene.ts";
import type { Samples } from "../sample.ts";
import { EndpointFollower } from "./follower.ts";
import { newEndpoint, testWebhooks } from "./store/webhooks.ts";

const path = "/v2/webhook_endpoint";

export const samples: Samples = {
  withoutRight: { "webhook/endpoints countEndpoints": "only counts what the metrics publish" },
  settings: {
    wrong: [
      ["WEBHOOKS", ["yes", "OFF"], /on or off/],
      [
        "WEBHOOK_NETWORKS",
        ["on", ",", "10.0.0.0/33", "10.0.0.0/8,", "fd00::/129", "localhost"],
        /addresses and networks such as 10\.1\.0\.0\/16/,
      ],
    ],
    right: [],
  },
  store: {
    fill: async (store, organizationId, { act }) => {
      const endpoint = newEndpoint(`whe_${organizationId}`, { organizationId });
      await store.of(webhooks).createEndpoint(endpoint, act);
    },
    read: (store) => store.of(webhooks).listAllEndpoints({ after: undefined, limit: 10_000 }),
    use: async (store, organizationId, act) => {
      const endpoint = { organizationId, endpointId: `whe_${organizationId}` };
      await store.of(webhooks).removeEndpoint(endpoint, act);
    },
    numbers: {
      "a position of an endpoint": `
        INSERT INTO webhook_endpoint
          (organization_id, endpoint_id, created_at, created_by, change_no, entry_no, url, events,
           description, key_check)
        VALUES ('${acme}', 'one', 0, 'x', 50, 0, '', '[]', '', 0)`,
    },
  },
  conformance: [testWebhooks],
  connects: { from: "src/feature/webhook", guide: "webhooks.md" },
  noticesGuide: "webhooks.md",
  rights: {
    "webhook.read": (app) => listEndpoints(app, "none"),
    "webhook.create": (app) => createEndpoint(app, { organizationId: "none", url: "", events: [] }),
    "webhook.change": (app) => testEndpoint(app, "whe_none"),
    "webhook.remove": (app) => removeEndpoint(app, "whe_none"),
  },
  errors: {
    no_such_webhook_endpoint: (scene, customer) =>
      scene.ask(customer, { method: "DELETE", path, body: { webhook_endpoint_id: "whe_none" } }),
    too_many_webhook_endpoints: async (scene, customer) => {
      const create = () => scene.ask(customer, { method: "POST", path, body: newWebhook });
      for (let number = 0; number < endpointsMax; number += 1) await create();
      return create();
    },
  },
  examples: {
    "remove webhook endpoint": async ({ app }, { organizationId }, example) => {
      const { webhook_endpoint_id: endpointId } = example as { webhook_endpoint_id: string };
      const endpoint = newEndpoint(endpointId, { organizationId });
      await app.store.of(webhooks).createEndpoint(endpoint, operator);
      return example;
    },
  },
  pages: [webhookPage],
  showPages: async (app, organizationId) => {
    const made = await createEndpoint(app, { organizationId, ...newWebhook });
    return [`/console/webhooks/${organizationId}`, `/console/webhook/${made.endpointId}`];
  },
  follow: (app, organizationId) => new EndpointFollower(app, organizationId),
};
