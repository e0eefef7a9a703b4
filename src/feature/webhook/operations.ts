// POST, GET and DELETE /v2/webhook_endpoint: where an organization receives webhooks. Only the reply to POST contains
// the secret.

import { makeWebhookKeys } from "./webhook-keys.ts";
import { addEndpoint, listEndpoints, removeOwnEndpoint } from "./endpoints.ts";
import { allowedAddresses, findUrlFault } from "./allowed-address.ts";
import { mayRead } from "../../domain/confidentiality.ts";
import { AppError } from "../../domain/error.ts";
import { recordTypes } from "../../domain/record-types.ts";
import { identifier, oneOf } from "../../domain/schema/fields.ts";
import type { SchemaShape } from "../../domain/schema/schema-shape.ts";
import {
  descriptionCharactersMax,
  urlCharactersMax,
  webhookEvents,
  type WebhookEvent,
} from "./webhook.ts";
import type { Identity } from "../../actions/access/caller-cache.ts";
import { changeVerb, listVerb } from "../follow/verbs.ts";
import { closedObject } from "../../http/request/request-check.ts";
import { jsonReply, objectSchema, textSchema } from "../../http/openapi/content.ts";
import { errorResponse, requestInFlight } from "../../http/openapi/error-responses.ts";
import { listedEndpoint, newEndpoint, viewEndpoint } from "./endpoint-reply.ts";
import { row } from "../../http/routes.ts";
import { endpointsMax, errors } from "./store/rows.ts";

const tag = "Webhooks";

const url: SchemaShape = {
  type: "string",
  description: "Where events are sent: https, without a user, a password and a fragment.",
  minLength: 1,
  maxLength: urlCharactersMax,
  format: "no-nul",
  expected: `a URL of at most ${urlCharactersMax} characters with https`,
};

const events: SchemaShape = {
  type: "array",
  description: "The events that are sent.",
  items: oneOf("An event.", webhookEvents),
  minItems: 1,
  maxItems: webhookEvents.length,
  expected: `a list of 1 to ${webhookEvents.length} events`,
};

const description: SchemaShape = {
  type: "string",
  description: "What the organization calls it.",
  maxLength: descriptionCharactersMax,
  format: "no-nul",
  expected: `text of at most ${descriptionCharactersMax} characters`,
};

const creation = closedObject({ url, events, description }, { required: ["url", "events"] });

const removal = closedObject({
  webhook_endpoint_id: identifier("Unique identifier of the endpoint."),
});

interface Creation {
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly description?: string;
}

const createWebhookEndpoint = changeVerb<Creation>({
  verb: "create webhook endpoint",
  success: 201,
  errors: [
    errorResponse("TooManyWebhookEndpoints", {
      description:
        "The maximum number of endpoints is reached, or a request with the same Idempotency-Key is still in flight.",
      errors: [errors.too_many_webhook_endpoints, "idempotency_in_flight"],
      headers: ["RetryAfter"],
    }),
  ],
  tag,
  summary: "Create an endpoint of webhooks",
  description:
    "Events are sent to it by Standard Webhooks 1.0, without content. It is notified only about types that the token may read, " +
    "and never of confidential ones. The reply is the only one with the secret.",
  request: {
    what: "endpoint",
    name: "WebhookEndpointRegistration",
    about: "An endpoint to create.",
    shape: creation,
    examples: {
      endpoint: {
        summary: "For deletions",
        value: { url: newEndpoint.example.url, events: newEndpoint.example.events },
      },
    },
  },
  reply: jsonReply("The endpoint, with its secret.", {
    name: "CreatedWebhookEndpoint",
    schema: newEndpoint.schema,
    examples: { endpoint: { summary: "Created", value: newEndpoint.example } },
  }),
  act: async ({ app }, caller, wanted) => {
    const message = findUrlFault(wanted.url, allowedAddresses(app));
    if (message !== undefined) {
      throw new AppError("validation_failed", {
        message: "The endpoint is not valid.",
        errors: [{ field: "url", message }],
      });
    }
    const { organizationId, actor } = caller;
    const organization = { organizationId, types: readableTypes(caller), actor };
    const made = await addEndpoint(app, { ...wanted, ...organization });
    return newEndpoint.view({ ...wanted, ...made });
  },
});

/** The types that the caller may read, without confidential ones. */
function readableTypes(caller: Identity): readonly string[] {
  return recordTypes
    .filter((type) => mayRead(caller, type) && !caller.confidential.has(type.resourceType))
    .map(({ resourceType }) => resourceType);
}

const listWebhookEndpoints = listVerb({
  verb: "list webhook endpoints",
  tag,
  summary: "List the endpoints of webhooks",
  description: `All endpoints of the organization, at most ${endpointsMax}, oldest first; or the one of an id, if there is any.`,
  only: { name: "webhook_endpoint_id", description: "Only the endpoint with this id." },
  reply: {
    description: "The endpoints.",
    name: "WebhookEndpointList",
    about: "The endpoints of the organization.",
    of: "webhook_endpoints",
    order: "Oldest first.",
    row: ["WebhookEndpoint", listedEndpoint.schema],
    examples: { one: { summary: "One", value: { webhook_endpoints: [listedEndpoint.example] } } },
  },
  find: async ({ app }, caller, id) => {
    const all = await listEndpoints(app, caller.organizationId);
    const keys = app.derive(makeWebhookKeys);
    return all
      .filter(({ endpointId }) => id === undefined || endpointId === id)
      .map((one) => viewEndpoint(one, keys));
  },
});

const named = { webhook_endpoint_id: newEndpoint.example.webhook_endpoint_id };

const removeWebhookEndpoint = changeVerb<typeof named>({
  verb: "remove webhook endpoint",
  errors: [
    errorResponse("WebhookEndpointNotFound", {
      description: "Not found: this organization has no such endpoint of webhooks.",
      errors: [errors.no_such_webhook_endpoint],
    }),
    requestInFlight,
  ],
  tag,
  summary: "Remove an endpoint of webhooks",
  description: "Nothing more is sent to it, except a message that is already being sent.",
  request: {
    what: "removal",
    name: "WebhookEndpointRemoval",
    about: "Which endpoint to remove.",
    shape: removal,
    examples: { endpoint: { summary: "By its id", value: named } },
  },
  reply: jsonReply("It is removed.", {
    name: "RemovedWebhookEndpoint",
    schema: objectSchema("The endpoint is removed.", {
      webhook_endpoint_id: textSchema("Unique identifier of the endpoint."),
    }),
    examples: { removed: { summary: "Removed", value: named } },
  }),
  act: async ({ app }, { organizationId, actor }, { webhook_endpoint_id: id, idempotency }) => {
    await removeOwnEndpoint(app, { organizationId, endpointId: id, idempotency }, actor);
    return { webhook_endpoint_id: id };
  },
});

export const tags = [
  { name: tag, description: "Where events are sent, so that clients need not poll." },
];

export const operations = [
  row("createWebhookEndpoint", "POST /v2/webhook_endpoint", createWebhookEndpoint),
  row("listWebhookEndpoints", "GET /v2/webhook_endpoint", listWebhookEndpoints),
  row("removeWebhookEndpoint", "DELETE /v2/webhook_endpoint", removeWebhookEndpoint),
];
