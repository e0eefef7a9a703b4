// The commands of recipients and of webhooks.

import * as recipient from "../recipient/noun.ts";
import * as webhook from "../webhook/noun.ts";

export const heading = "Records";

export const groups = {
  webhook: "Create, list, test, enable and remove endpoints of webhooks.",
  recipient: "Create, list and remove recipients of changes.",
};

export const commands = [
  recipient.recipientCreate,
  recipient.recipientList,
  recipient.recipientRemove,
  webhook.webhookCreate,
  webhook.webhookList,
  webhook.webhookTest,
  webhook.webhookEnable,
  webhook.webhookRotate,
  webhook.webhookRemove,
];
