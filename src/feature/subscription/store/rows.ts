// What the store part of subscriptions adds to the tables of the core: errors and actions of the audit trail; and its
// bounds.

import { nameRows } from "../../../basics/name-rows.ts";

/** How many recipients an organization can have. */
export const recipientsMax = 32;
export const recipientNameCharactersMax = 64;
/** How many endpoints of webhooks an organization can have. */
export const endpointsMax = 10;

export const errors = nameRows({
  no_such_recipient: {
    code: 40404,
    message: "There is no recipient with this name; GET /v2/recipient lists the existing ones.",
  },
  no_such_webhook_endpoint: {
    code: 40405,
    message:
      "There is no such endpoint of webhooks; GET /v2/webhook_endpoint lists the existing ones.",
  },
  recipient_exists: {
    code: 40905,
    message: "A recipient with this name has other types. Remove it first, or choose another name.",
  },
  too_many_recipients: {
    code: 40906,
    message: `The organization has ${recipientsMax} recipients, which is the maximum; remove one first.`,
  },
  too_many_webhook_endpoints: {
    code: 40907,
    message: `The organization has ${endpointsMax} endpoints of webhooks, which is the maximum; remove one first.`,
  },
});

/** Of the audit trail. */
export const actions = nameRows({
  "webhook.create": { summary: "An endpoint of webhooks was created." },
  "webhook.rotate": { summary: "The secret of an endpoint was rotated." },
  "webhook.test": { summary: "A test event was requested." },
  "webhook.enable": { summary: "An endpoint was enabled, or continues elsewhere." },
  "webhook.disable": { summary: "An endpoint was disabled after failures." },
  "webhook.remove": { summary: "An endpoint was removed." },
  "recipient.create": { summary: "A recipient of changes was registered." },
  "recipient.remove": { summary: "A recipient of changes was removed." },
});
