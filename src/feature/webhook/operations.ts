// POST, GET and DELETE /v2/webhook_endpoint: where an organization receives webhooks. Only the reply to POST contains
// the secret.

import { makeWebhookKeys } from "./webhook-keys.ts";
import { addEndpoint, listEndpoints, removeOwnEndpoint } from "./endpoints.ts";
import { allowedAddresses, findUrlFault } from "./allowed-address.ts";
import { endpointState } from "./endpoint-view.ts";
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
import { closedObject, jsonBody } from "../../http/request/request-check.ts";
import { jsonReply, jsonRequest, objectSchema, textSchema } from "../../http/openapi/content.ts";
import { schemaRef } from "../../http/openapi/document.ts";
import {
  changeErrors,
  errorResponse,
  requestInFlight,
} from "../../http/openapi/error-responses.ts";
import { exampleEndpoint, listedEndpoint, newEndpoint } from "./endpoint-schema.ts";
import { describedShape } from "../../http/openapi/publish-schema.ts";
import type { Verb } from "../../http/operation.ts";
import { jsonAnswer } from "../../http/reply/reply.ts";
import { organizationMark } from "../../http/request/idempotency-key.ts";
import { endpointsMax, errors } from "../subscription/store/rows.ts";
import { queryIdentifier } from "../../http/request/query.ts";

export const webhookTag = "Webhooks";

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

const endpointId = identifier("Unique identifier of the endpoint.");
const removal = closedObject({ webhook_endpoint_id: endpointId });

const usual = { permission: "read", scope: "changes:read", body: "one" } as const;

export const createWebhookEndpoint: Verb = {
  verb: "create webhook endpoint",
  ...usual,
  success: 201,
  errors: [
    errorResponse("TooManyWebhookEndpoints", {
      description:
        "The maximum number of endpoints is reached, or a request with the same Idempotency-Key is still in flight.",
      errors: [errors.too_many_webhook_endpoints, "idempotency_in_flight"],
      headers: ["RetryAfter"],
    }),
    ...changeErrors,
  ],

  document: () => ({
    tag: webhookTag,
    summary: "Create an endpoint of webhooks",
    description:
      "Events are sent to it by Standard Webhooks 1.0, without content. It is notified only about types that the token may read, " +
      "and never of confidential ones. The reply is the only one with the secret.",
    request: jsonRequest({
      name: "WebhookEndpointRegistration",
      schema: describedShape("An endpoint to create.", creation),
      examples: {
        endpoint: {
          summary: "For deletions",
          value: { url: exampleEndpoint.url, events: exampleEndpoint.events },
        },
      },
    }),
    reply: jsonReply("The endpoint, with its secret.", {
      name: "CreatedWebhookEndpoint",
      schema: newEndpoint.schema,
      examples: { endpoint: { summary: "Created", value: newEndpoint.example } },
    }),
  }),

  makeHandler: ({ app }, operation) => {
    const read = jsonBody(creation, "endpoint");
    return async (input) => {
      const { body, bytes } = await read(input.request);
      const wanted = body as { url: string; events: WebhookEvent[]; description?: string };
      const message = findUrlFault(wanted.url, allowedAddresses(app));
      if (message !== undefined) {
        throw new AppError("validation_failed", {
          message: "The endpoint is not valid.",
          errors: [{ field: "url", message }],
        });
      }
      const { caller } = input;
      const { organizationId, actor } = caller;
      const types = readableTypes(caller);
      const idempotency = organizationMark(input, operation, bytes);
      const organization = { organizationId, types, idempotency, actor };
      const made = await addEndpoint(app, { ...wanted, ...organization });
      return jsonAnswer(201, {
        webhook_endpoint_id: made.endpointId,
        url: new URL(wanted.url).href,
        events: webhookEvents.filter((event) => wanted.events.includes(event)),
        ...(wanted.description === undefined ? {} : { description: wanted.description }),
        created_at: new Date(made.createdAt).toISOString(),
        secret: made.secret,
        public_key: made.publicKey,
      });
    };
  },
};

/** The types that the caller may read, without confidential ones. */
function readableTypes(caller: Identity): readonly string[] {
  return recordTypes
    .filter((type) => mayRead(caller, type) && !caller.confidential.has(type.resourceType))
    .map(({ resourceType }) => resourceType);
}

export const listWebhookEndpoints: Verb = {
  verb: "list webhook endpoints",
  ...usual,
  body: "none",
  success: 200,
  errors: [],

  document: () => ({
    tag: webhookTag,
    summary: "List the endpoints of webhooks",
    description: `All endpoints of the organization, at most ${endpointsMax}, oldest first; or the one of an id, if there is any.`,
    parameters: [
      {
        name: "webhook_endpoint_id",
        in: "query",
        required: false,
        description: "Only the endpoint with this id.",
        schema: { type: "string" },
      },
    ],
    reply: jsonReply("The endpoints.", {
      name: "WebhookEndpointList",
      schema: objectSchema("The endpoints of the organization.", {
        webhook_endpoints: {
          type: "array",
          description: "Oldest first.",
          items: schemaRef("WebhookEndpoint"),
        },
      }),
      parts: { WebhookEndpoint: listedEndpoint },
      examples: { one: { summary: "One", value: { webhook_endpoints: [exampleEndpoint] } } },
    }),
  }),

  makeHandler:
    ({ app }) =>
    async ({ request, caller }) => {
      const isNamed = Object.hasOwn(request.query as object, "webhook_endpoint_id");
      const id = isNamed ? queryIdentifier(request, "webhook_endpoint_id") : undefined;
      const all = await listEndpoints(app, caller.organizationId);
      const found = id === undefined ? all : all.filter((one) => one.endpointId === id);
      const keys = app.derive(makeWebhookKeys);
      return jsonAnswer(200, { webhook_endpoints: found.map((one) => endpointState(one, keys)) });
    },
};

export const removeWebhookEndpoint: Verb = {
  verb: "remove webhook endpoint",
  ...usual,
  success: 200,
  errors: [
    errorResponse("WebhookEndpointNotFound", {
      description: "Not found: this organization has no such endpoint of webhooks.",
      errors: [errors.no_such_webhook_endpoint],
    }),
    requestInFlight,
    ...changeErrors,
  ],

  document: () => ({
    tag: webhookTag,
    summary: "Remove an endpoint of webhooks",
    description: "Nothing more is sent to it, except a message that is already being sent.",
    request: jsonRequest({
      name: "WebhookEndpointRemoval",
      schema: describedShape("Which endpoint to remove.", removal),
      examples: {
        endpoint: {
          summary: "By its id",
          value: { webhook_endpoint_id: exampleEndpoint.webhook_endpoint_id },
        },
      },
    }),
    reply: jsonReply("It is removed.", {
      name: "RemovedWebhookEndpoint",
      schema: objectSchema("The endpoint is removed.", {
        webhook_endpoint_id: textSchema("Unique identifier of the endpoint."),
      }),
      examples: {
        removed: {
          summary: "Removed",
          value: { webhook_endpoint_id: exampleEndpoint.webhook_endpoint_id },
        },
      },
    }),
  }),

  makeHandler: ({ app }, operation) => {
    const read = jsonBody(removal, "removal");
    return async (input) => {
      const { body, bytes } = await read(input.request);
      const { webhook_endpoint_id: id } = body as { webhook_endpoint_id: string };
      const { organizationId, actor } = input.caller;
      const idempotency = organizationMark(input, operation, bytes);
      await removeOwnEndpoint(app, { organizationId, endpointId: id, idempotency }, actor);
      return jsonAnswer(200, { webhook_endpoint_id: id });
    };
  },
};
