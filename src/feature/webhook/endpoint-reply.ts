// An endpoint of webhooks as organizations and operators see it, with the schemas and the examples of this. Only the
// reply to its creation has its secret.

import { viewFields } from "../follow/view-fields.ts";
import { objectSchema, textSchema, timeSchema } from "../../http/openapi/content.ts";
import type { CreatedEndpoint } from "./endpoints.ts";
import type { WebhookKeys } from "./webhook-keys.ts";
import { type WebhookEndpoint, webhookEvents, webhookState } from "./webhook.ts";

const created = {
  webhook_endpoint_id: textSchema("Unique identifier of the endpoint."),
  url: textSchema("Where events are sent."),
  events: {
    type: "array",
    description: "The events that are sent.",
    items: { type: "string", enum: [...webhookEvents] },
  },
  description: textSchema("What the organization calls it."),
  created_at: timeSchema("When it was created."),
  public_key: textSchema("The Ed25519 key of the signatures `v1a`: `whpk_` and base64."),
};

const state = {
  ...textSchema(
    "Whether it is sent events; `key_changed`: no more, because the key of its secret was replaced.",
  ),
  enum: ["enabled", "failing", "disabled", "key_changed"],
};

/** What has happened to it, if it has. */
const happened = {
  disabled_at: timeSchema("When it was disabled."),
  disabled_because: {
    ...textSchema("`gone`: it answered 410. `failing`: every attempt had failed for three days."),
    enum: ["gone", "failing"],
  },
  last_attempt_at: timeSchema("When it was last sent something."),
  last_result: textSchema("The status of its last reply, or why there was none."),
  last_delivered_at: timeSchema("When something was last delivered."),
  failing_since: timeSchema("The first of the attempts that have failed since."),
  next_attempt_at: timeSchema("When the next attempt will be made."),
};

const listed = { ...created, state, ...happened };

/** Adds the keys of this process, if it has any. */
export const viewEndpoint = viewFields<WebhookEndpoint, WebhookKeys>(listed, {
  webhook_endpoint_id: ({ endpointId }) => endpointId,
  description: ({ description }) => (description === "" ? undefined : description),
  public_key: ({ endpointId, keyCheck }, keys) =>
    keys?.check === keyCheck ? keys.secretOf(endpointId).publicKey : undefined,
  state: (endpoint, keys) => webhookState(endpoint, keys?.check),
});

const createdExample = {
  webhook_endpoint_id: "whe_7cVt2pLx9RwKb4Mz",
  url: "https://hooks.example.com/sluice",
  events: ["sluice.deletion.completed"],
  created_at: "2026-03-01T10:00:00.000Z",
  public_key: "whpk_3hTsRWVS0rJrCkBlDQXwHtcGZ0r1n0m5kV1o4Gq0iXk=",
};

const withSecret = {
  ...created,
  secret: textSchema("The key of the signatures `v1`: `whsec_` and base64. Shown only once."),
};

export const newEndpoint = {
  schema: objectSchema("An endpoint, with its secret.", withSecret, { sometimes: ["description"] }),
  view: viewFields<CreatedEndpoint>(withSecret, {
    webhook_endpoint_id: ({ endpointId }) => endpointId,
  }),
  example: { ...createdExample, secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfkoPpS3Zo=" },
};

export const listedEndpoint = {
  schema: objectSchema("An endpoint of webhooks.", listed, {
    sometimes: ["description", "public_key", ...Object.keys(happened)],
  }),
  example: {
    ...createdExample,
    state: "enabled",
    last_attempt_at: "2026-03-01T10:05:00.000Z",
    last_result: "204",
    last_delivered_at: "2026-03-01T10:05:00.000Z",
  },
};
