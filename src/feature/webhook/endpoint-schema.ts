// The schemas and the examples of endpoints of webhooks.

import { webhookEvents } from "./webhook.ts";
import { objectSchema, textSchema, timeSchema } from "../../http/openapi/content.ts";

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

const createdExample = {
  webhook_endpoint_id: "whe_7cVt2pLx9RwKb4Mz",
  url: "https://hooks.example.com/sluice",
  events: ["sluice.deletion.completed"],
  created_at: "2026-03-01T10:00:00.000Z",
  public_key: "whpk_3hTsRWVS0rJrCkBlDQXwHtcGZ0r1n0m5kV1o4Gq0iXk=",
};

export const newEndpoint = {
  schema: objectSchema(
    "An endpoint, with its secret.",
    {
      ...created,
      secret: textSchema("The key of the signatures `v1`: `whsec_` and base64. Shown only once."),
    },
    { sometimes: ["description"] },
  ),
  example: { ...createdExample, secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfkoPpS3Zo=" },
};

export const listedEndpoint = objectSchema(
  "An endpoint of webhooks.",
  {
    ...created,
    state: {
      ...textSchema("Whether it is sent events; `key_changed`: not until its secret is rotated."),
      enum: ["enabled", "failing", "disabled", "key_changed"],
    },
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
  },
  {
    sometimes: [
      "description",
      "public_key",
      "disabled_at",
      "disabled_because",
      "last_attempt_at",
      "last_result",
      "last_delivered_at",
      "failing_since",
      "next_attempt_at",
    ],
  },
);

export const exampleEndpoint = {
  ...createdExample,
  state: "enabled",
  last_attempt_at: "2026-03-01T10:05:00.000Z",
  last_result: "204",
  last_delivered_at: "2026-03-01T10:05:00.000Z",
};
