// What shared tests have to know about recipients and webhooks.

import type { App } from "../../../src/actions/app.ts";
import { purgeNotices } from "../../../src/feature/recipient/purge-notices.ts";
import {
  createRecipient,
  listRecipients,
  removeRecipient,
} from "../../../src/feature/recipient/recipients.ts";
import { endpointsMax, recipientsMax } from "../../../src/feature/subscription/store/rows.ts";
import {
  createEndpoint,
  listEndpoints,
  removeEndpoint,
  testEndpoint,
} from "../../../src/feature/webhook/endpoints.ts";
import { webhookPage } from "../../../src/feature/webhook/noun.ts";
import type { Scene } from "../../contract/scene.ts";
import { newWebhook } from "../../contract/good-request.ts";
import type { Customer } from "../../support/customer.ts";
import type { Samples, SettingCase } from "../sample.ts";
import { Followers } from "./followers.ts";
import { examples } from "./examples.ts";
import { testNotices } from "../recipient/store/notices.ts";
import { testRecipients } from "../recipient/store/recipients.ts";
import { storeSample } from "./store/sample.ts";
import { testWebhooks } from "../webhook/store/webhooks.ts";

const wrong: readonly SettingCase[] = [
  ["NOTICE_DAYS", ["0", "x"], /whole number from 1/],
  ["WEBHOOKS", ["yes", "OFF"], /on or off/],
  [
    "WEBHOOK_NETWORKS",
    ["on", ",", "10.0.0.0/33", "10.0.0.0/8,", "fd00::/129", "localhost"],
    /addresses and networks such as 10\.1\.0\.0\/16/,
  ],
];

const webhook = asking("/v2/webhook_endpoint");
const recipient = asking("/v2/recipient");

function asking(path: string) {
  return (scene: Scene, customer: Customer) => (method: string, body: object) =>
    scene.ask(customer, { method, path, body });
}

const errors: NonNullable<Samples["errors"]> = {
  no_such_webhook_endpoint: (scene, customer) =>
    webhook(scene, customer)("DELETE", { webhook_endpoint_id: "whe_none" }),
  too_many_webhook_endpoints: async (scene, customer) => {
    for (let number = 0; number < endpointsMax; number += 1) {
      await webhook(scene, customer)("POST", newWebhook);
    }
    return webhook(scene, customer)("POST", newWebhook);
  },
  no_such_recipient: (scene, customer) => recipient(scene, customer)("DELETE", { name: "nobody" }),
  recipient_exists: async (scene, customer) => {
    await recipient(scene, customer)("POST", { name: "changing", types: ["person"] });
    return recipient(scene, customer)("POST", { name: "changing", types: ["company"] });
  },
  too_many_recipients: async (scene, customer) => {
    for (let number = 0; number < recipientsMax; number += 1) {
      await recipient(scene, customer)("POST", { name: `r${number}` });
    }
    return recipient(scene, customer)("POST", { name: "one-more" });
  },
};

const one = { organizationId: "none", name: "none" };

const rights: NonNullable<Samples["rights"]> = {
  "webhook.read": (app) => listEndpoints(app, "none"),
  "webhook.create": (app) => createEndpoint(app, { organizationId: "none", url: "", events: [] }),
  "webhook.change": (app) => testEndpoint(app, "whe_none"),
  "webhook.remove": (app) => removeEndpoint(app, "whe_none"),
  "recipient.read": (app) => listRecipients(app, "none"),
  "recipient.create": (app) => createRecipient(app, one),
  "recipient.remove": (app) => removeRecipient(app, one),
};

async function showPages(app: App, organizationId: string): Promise<readonly string[]> {
  const made = await createEndpoint(app, { organizationId, ...newWebhook });
  return [`/console/webhooks/${organizationId}`, `/console/webhook/${made.endpointId}`];
}

async function purge(app: App): Promise<void> {
  for (let next: string | undefined = ""; next !== undefined;)
    next = await purgeNotices(app, 30, next);
}

const counts = "only counts what the metrics publish";

export const samples: Samples = {
  withoutRight: {
    "recipient/recipients recipientFigures": counts,
    "webhook/endpoints countEndpoints": counts,
  },
  settings: { wrong, right: [] },
  store: storeSample,
  conformance: [testWebhooks, testRecipients, testNotices],
  rights,
  errors,
  examples,
  pages: [webhookPage],
  showPages,
  follow: (app, organizationId) => new Followers(app, organizationId),
  purge,
};
