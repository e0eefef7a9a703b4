// The operations of recipients and of webhooks.

import { row } from "../../http/routes.ts";
import { acknowledge } from "../recipient/acknowledge.ts";
import { listRecipients, registerRecipient, removeRecipient } from "../recipient/operations.ts";
import {
  createWebhookEndpoint,
  listWebhookEndpoints,
  removeWebhookEndpoint,
  webhookTag,
} from "../webhook/operations.ts";

export const tags = [
  { name: webhookTag, description: "Where events are sent, so that clients need not poll." },
];

export const operations = [
  row("createWebhookEndpoint", "POST /v2/webhook_endpoint", createWebhookEndpoint),
  row("listWebhookEndpoints", "GET /v2/webhook_endpoint", listWebhookEndpoints),
  row("removeWebhookEndpoint", "DELETE /v2/webhook_endpoint", removeWebhookEndpoint),
  row("registerRecipient", "POST /v2/recipient", registerRecipient),
  row("listRecipients", "GET /v2/recipient", listRecipients),
  row("removeRecipient", "DELETE /v2/recipient", removeRecipient),
  row("acknowledge", "POST /v2/recipient_acknowledgement", acknowledge),
];
