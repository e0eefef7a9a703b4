// `sluice webhook …`: the commands about endpoints of webhooks. A secret is printed only when it is made.

import {
  createEndpoint,
  enableEndpoint,
  listEndpoints,
  removeEndpoint,
  rotateSecret,
  testEndpoint,
} from "../../actions/webhook/endpoints.ts";
import { endpointState } from "../../actions/webhook/endpoint-view.ts";
import { type WebhookEndpoint, webhookEvents, webhookState } from "../../domain/webhook.ts";
import type { App } from "../../actions/app.ts";
import { defineStoreCommand, optional, required, withDefault } from "../command.ts";
import { duration, kind, lineOfText, text } from "../input/kinds.ts";
import { type Column, formatTime, renderFields, renderTable, timeOrNull } from "../output/table.ts";

const eventList = {
  ...kind("EVENTS", "names of events, separated by commas", (given) => {
    const names = given.split(",").map((name) => name.trim());
    return names.includes("") ? undefined : [...new Set(names)];
  }),
  values: [...webhookEvents],
};

const endpointArguments = { endpointId: required(text("ENDPOINT_ID"), "The endpoint.") };

export const webhookCreate = defineStoreCommand({
  name: "webhook create",
  summary: "Create an endpoint of webhooks. Its secret is shown only once.",
  details:
    "Events are sent by Standard Webhooks 1.0, without content, and none on confidential types.",
  examples: [
    "sluice webhook create --organization acme --url https://hooks.example.com/sluice",
    "sluice webhook create --organization acme --url https://hooks.example.com/sluice --events sluice.deletion.completed",
  ],
  rights: ["webhook.create"],
  options: {
    organization: required(text("ID"), "Organization whose events are sent."),
    url: required(text("URL"), "Where they are sent, with https."),
    events: optional(eventList, "The events, separated by commas. Default: all."),
    description: optional(lineOfText("TEXT"), "What the endpoint is for."),
  },
  run: async (app, { organization, url, events = webhookEvents, description }) => {
    const wanted = { organizationId: organization, url, events, description };
    const { endpointId, secret, publicKey } = await createEndpoint(app, wanted);
    return {
      json: {
        webhook_endpoint_id: endpointId,
        organization_id: organization,
        secret,
        public_key: publicKey,
      },
      text: describeSecret({ endpointId, secret, publicKey }),
    };
  },
});

function describeSecret(made: { endpointId: string; secret: string; publicKey: string }): string {
  const fields = renderFields([
    ["endpoint", made.endpointId],
    ["secret", made.secret],
    ["public key", made.publicKey],
  ]);
  return `${fields}\n\nThe secret is shown only once. Store it now.`;
}

export const webhookList = defineStoreCommand({
  name: "webhook list",
  summary: "List endpoints of webhooks with their state and the last result.",
  examples: ["sluice webhook list --organization acme"],
  rights: ["webhook.read"],
  options: { organization: optional(text("ID"), "Only the endpoints of this organization.") },
  run: async (app, { organization }, { paint }) => {
    const endpoints = await listEndpoints(app, organization);
    return {
      json: { webhook_endpoints: endpoints.map((one) => viewEndpoint(app, one)) },
      text:
        endpoints.length === 0
          ? "There is no endpoint of webhooks. Create one with: sluice webhook create"
          : renderTable(columns(app), endpoints, paint),
    };
  },
});

function viewEndpoint(app: App, endpoint: WebhookEndpoint): object {
  return {
    organization_id: endpoint.organizationId,
    ...endpointState(endpoint, app.webhookKeys()),
  };
}

function columns(app: App): readonly Column<WebhookEndpoint>[] {
  const check = app.webhookKeys()?.check;
  return [
    ["endpoint", ({ endpointId }) => endpointId],
    ["organization", ({ organizationId }) => organizationId],
    [
      "state",
      (one) => describeState(one, check),
      { tone: (one) => (webhookState(one, check) === "enabled" ? "good" : "bad") },
    ],
    ["last result", ({ lastResult = "" }) => lastResult],
    ["last delivered", ({ lastDeliveredAt }) => formatTime(lastDeliveredAt)],
    ["URL", ({ url }) => url],
    ["events", ({ events }) => events.join(",")],
  ];
}

function describeState(endpoint: WebhookEndpoint, check: number | undefined): string {
  const state = webhookState(endpoint, check);
  if (state === "disabled") return `disabled: ${endpoint.disabledBecause ?? ""}`;
  return state.replace("_", " ");
}

export const webhookTest = defineStoreCommand({
  name: "webhook test",
  summary: "Send a test event, even to a disabled endpoint.",
  details: "The service sends it once, within seconds; `sluice webhook list` shows its result.",
  examples: ["sluice webhook test whe_7cVt2pLx9RwKb4Mz"],
  rights: ["webhook.change"],
  arguments: endpointArguments,
  run: async (app, { endpointId }) => {
    const endpoint = await testEndpoint(app, endpointId);
    return {
      json: viewEndpoint(app, endpoint),
      text: `The service will send a test event to ${endpointId}. For its result, see: sluice webhook list`,
    };
  },
});

export const webhookEnable = defineStoreCommand({
  name: "webhook enable",
  summary: "Enable an endpoint of webhooks, and try again at once.",
  details:
    "It continues where it stopped, or with --from elsewhere: `now` skips what happened meanwhile, the `replay_offset` of " +
    "an event sends everything after it again, and -1 sends everything again.",
  examples: [
    "sluice webhook enable whe_7cVt2pLx9RwKb4Mz",
    "sluice webhook enable whe_7cVt2pLx9RwKb4Mz --from now",
  ],
  rights: ["webhook.change"],
  arguments: endpointArguments,
  options: { from: optional(text("OFFSET"), "Where to continue: now, -1, or an offset.") },
  run: async (app, { endpointId, from }) => {
    const endpoint = await enableEndpoint(app, endpointId, from);
    return {
      json: viewEndpoint(app, endpoint),
      text: `The endpoint ${endpointId} is enabled.`,
    };
  },
});

export const webhookRotate = defineStoreCommand({
  name: "webhook rotate",
  summary: "Make a new secret for an endpoint of webhooks. It is shown only once.",
  details: "During the overlap, messages are signed with both secrets.",
  examples: ["sluice webhook rotate whe_7cVt2pLx9RwKb4Mz --overlap 24h"],
  rights: ["webhook.change"],
  arguments: endpointArguments,
  options: {
    overlap: withDefault(
      duration,
      "How long the old secret signs, too; 0s ends it at once.",
      "24h",
    ),
  },
  run: async (app, { endpointId, overlap }) => {
    const { endpoint, ...made } = await rotateSecret(app, { endpointId, overlapMs: overlap });
    const { formerSecretUntil: until } = endpoint;
    const overlapping =
      until === undefined ? "" : `\nThe old secret signs, too, until ${formatTime(until)}.`;
    return {
      json: {
        webhook_endpoint_id: endpointId,
        secret: made.secret,
        public_key: made.publicKey,
        former_secret_until: timeOrNull(until),
      },
      text: describeSecret({ endpointId, ...made }) + overlapping,
    };
  },
});

export const webhookRemove = defineStoreCommand({
  name: "webhook remove",
  summary: "Remove an endpoint of webhooks. Nothing more is sent to it.",
  examples: ["sluice webhook remove whe_7cVt2pLx9RwKb4Mz"],
  rights: ["webhook.remove"],
  arguments: endpointArguments,
  run: async (app, { endpointId }) => {
    const { organizationId } = await removeEndpoint(app, endpointId);
    return {
      json: { webhook_endpoint_id: endpointId, organization_id: organizationId },
      text: `The endpoint ${endpointId} of organization ${organizationId} was removed.`,
    };
  },
});
