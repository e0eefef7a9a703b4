// What the store part of webhooks adds to the tables of the core, and its bound.

import { nameRows } from "../../../basics/name-rows.ts";

/** How many endpoints of webhooks an organization can have. */
export const endpointsMax = 10;

export const errors = nameRows({
  no_such_webhook_endpoint: {
    code: 40405,
    message:
      "There is no such endpoint of webhooks; GET /v2/webhook_endpoint lists the existing ones.",
  },
  too_many_webhook_endpoints: {
    code: 40907,
    message: `The organization has ${endpointsMax} endpoints of webhooks, which is the maximum; remove one first.`,
  },
});

/** Actions of entries of the audit trail. */
export const actions = nameRows({
  "webhook.create": { summary: "created an endpoint of webhooks" },
  "webhook.test": { summary: "requested a test event" },
  "webhook.enable": { summary: "enabled an endpoint, or lets it continue elsewhere" },
  "webhook.disable": { summary: "disabled an endpoint after failures" },
  "webhook.remove": { summary: "removed an endpoint" },
});
