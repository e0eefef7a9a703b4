// Endpoints of webhooks: their values, the commands `sluice webhook …`, and the pages of the endpoints of an
// organization and of a single one. A secret is shown only by the act that makes it: in no address, no redirect and no
// later page.

import { makeWebhookKeys } from "./webhook-keys.ts";
import type { App } from "../../actions/app.ts";
import { viewEndpoint } from "./endpoint-reply.ts";
import {
  type CreatedEndpoint,
  createEndpoint,
  enableEndpoint,
  listEndpoints,
  removeEndpoint,
  showEndpoint,
  testEndpoint,
} from "./endpoints.ts";
import { optional, required } from "../../cli/command.ts";
import { kind, lineOfText, text } from "../../cli/input/kinds.ts";
import { renderFields } from "../../cli/output/table.ts";
import { type Html, html, renderFacts } from "../../console/html/html.ts";
import { pathTo } from "../../console/html/link.ts";
import type { Next } from "../../console/page.ts";
import {
  descriptionCharactersMax,
  urlCharactersMax,
  type WebhookEndpoint,
  webhookEvents,
  webhookState,
} from "./webhook.ts";
import {
  defineAct,
  defineList,
  type NounPage,
  onlyOf,
  renderForms,
  secretPage,
} from "../../noun/act.ts";
import { rights } from "./rows.ts";
import { defineNoun, idValue, organizationValue } from "../../noun/noun.ts";
import { sluice } from "../../basics/program-name.ts";

const screen = "/console/organizations";

const endpoints = {
  ...defineNoun<WebhookEndpoint>({
    values: {
      endpointId: idValue("webhook", "endpointId", nameOf),
      url: { kind: "text" },
      description: { fact: ({ description }) => description && html`<bdi>${description}</bdi>` },
      organizationId: organizationValue,
      all: {
        fact: ({ organizationId }) => renderWebhooksLink(organizationId, "all of the organization"),
      },
      state: { text: describeState, kind: "text" },
      lastResult: { kind: "text" },
    },
    columns: "endpointId, organizationId, state, lastResult, lastDeliveredAt, url: URL, events",
    headings: "endpointId, url: URL, state, lastResult, lastDeliveredAt",
    facts:
      "url: URL, description, organizationId, all: Webhooks, state, events, createdAt, lastAttemptAt, lastResult, " +
      "lastDeliveredAt, failingSince, nextAttemptAt",
  }),
  json: (endpoint: WebhookEndpoint, app: App) => ({
    organization_id: endpoint.organizationId,
    ...viewEndpoint(endpoint, app.derive(makeWebhookKeys)),
  }),
};

function nameOf({ description, url }: WebhookEndpoint): string {
  return description || new URL(url).host;
}

function describeState(endpoint: WebhookEndpoint, app: App): string {
  const state = webhookState(endpoint, app.derive(makeWebhookKeys)?.check);
  return state === "disabled"
    ? `disabled: ${endpoint.disabledBecause ?? ""}`
    : state.replace("_", " ");
}

export function renderWebhooksLink(
  organizationId: string,
  label = "Webhooks of the organization",
): Html {
  return html`<a href="${pathTo("webhooks", organizationId)}">${label}</a>`;
}

const eventList = {
  ...kind("EVENTS", "names of events, separated by commas", (given) => {
    const names = given.split(",").map((name) => name.trim());
    return names.includes("") ? undefined : [...new Set(names)];
  }),
  values: [...webhookEvents],
};

const endpointArguments = { endpointId: required(text("ENDPOINT_ID"), "The endpoint.") };

type Made = Pick<CreatedEndpoint, "endpointId" | "secret" | "publicKey">;

function describeSecret({ endpointId, secret, publicKey }: Made): string {
  const fields = renderFields([
    ["endpoint", endpointId],
    ["secret", secret],
    ["public key", publicKey],
  ]);
  return `${fields}\n\nThe secret is shown only once. Store it now.`;
}

function showSecret({ endpointId, secret, publicKey }: Made): Next {
  return secretPage("The secret", secret, {
    text: "it is stored nowhere. Copy it to where the receiver reads it. If it is lost, add another endpoint and remove this one.",
    facts: [
      ["Endpoint", html`<a href="${pathTo("webhook", endpointId)}"><code>${endpointId}</code></a>`],
      ["Public key", html`<code>${publicKey}</code>`],
    ],
  });
}

export const webhookCreate = defineAct({
  name: "webhook create",
  summary: "Create an endpoint of webhooks. Its secret is shown only once.",
  details:
    "Events are sent by Standard Webhooks 1.0, without content, and none on confidential types.",
  examples: [
    "sluice webhook create --organization acme --url https://hooks.example.com/sluice",
    "sluice webhook create --organization acme --url https://hooks.example.com/sluice --events sluice.deletion.completed",
  ],
  rights: [rights["webhook.create"]],
  options: {
    organization: required(text("ID"), "Organization whose events are sent."),
    url: required(text("URL"), "Where they are sent, with https."),
    events: optional(
      eventList,
      `The events, separated by commas: ${webhookEvents.join(", ")}. Default: all.`,
    ),
    description: optional(lineOfText("TEXT"), "What the endpoint is for."),
  },
  act: (app, { organization: organizationId, url, events = webhookEvents, description }) =>
    createEndpoint(app, { organizationId, url, events, description }),
  json: ({ endpointId, secret, publicKey }, _, { organization }) => ({
    webhook_endpoint_id: endpointId,
    organization_id: organization,
    secret,
    public_key: publicKey,
  }),
  said: describeSecret,
  form: {
    path: "/console/webhooks/:id",
    heading: "Add an endpoint",
    fields: {
      url: { label: "URL with https", maxlength: urlCharactersMax, required: true },
      description: { label: "Description", maxlength: descriptionCharactersMax },
      events: {
        label: "Events",
        boxes: webhookEvents.map((event) => [event, event]),
        isTicked: true,
      },
    },
    note:
      "Nothing is sent on confidential records. The secret is shown once, on the next page. Loading that page again would " +
      "add another endpoint.",
    folded: true,
    next: showSecret,
  },
});

export const webhookList = defineList({
  name: "webhook list",
  plural: "webhook_endpoints",
  summary: "List endpoints of webhooks with their state and the last result.",
  examples: ["sluice webhook list --organization acme"],
  rights: [rights["webhook.read"]],
  options: onlyOf("endpoints"),
  rows: endpoints,
  find: (app, { organization }) => listEndpoints(app, organization),
  none: `There is no endpoint of webhooks. Create one with: ${sluice} webhook create`,
});

export const webhookTest = defineAct({
  name: "webhook test",
  summary: "Send a test event, even to a disabled endpoint.",
  details: "The service sends it once, within seconds; `sluice webhook list` shows its result.",
  examples: ["sluice webhook test whe_7cVt2pLx9RwKb4Mz"],
  rights: [rights["webhook.change"]],
  arguments: endpointArguments,
  act: (app, { endpointId }) => testEndpoint(app, endpointId),
  json: endpoints.json,
  said: ({ endpointId }) =>
    `The service will send a test event to ${endpointId}. For its result, see: ${sluice} webhook list`,
  form: {
    path: "/console/webhook/test/:id",
    heading: "Test",
    text: "Sends a test event within seconds, also if the endpoint is disabled.",
    button: "Send a test event",
  },
});

export const webhookEnable = defineAct({
  name: "webhook enable",
  summary: "Enable an endpoint of webhooks, and try again at once.",
  details:
    "It continues where it stopped, or with --from elsewhere: `now` skips what happened meanwhile, the `replay_offset` of " +
    "an event sends all events about deletions after it again, and -1 all of them.",
  examples: [
    "sluice webhook enable whe_7cVt2pLx9RwKb4Mz",
    "sluice webhook enable whe_7cVt2pLx9RwKb4Mz --from now",
  ],
  rights: [rights["webhook.change"]],
  arguments: endpointArguments,
  options: { from: optional(text("OFFSET"), "Where to continue: now, -1, or an offset.") },
  act: (app, { endpointId, from }) => enableEndpoint(app, endpointId, from),
  json: endpoints.json,
  said: ({ endpointId }) => `The endpoint ${endpointId} is enabled.`,
  form: {
    path: "/console/webhook/enable/:id",
    heading: "Enable",
    text: "Tries again at once, and continues where it was or at an offset.",
    fields: { from: { label: "Continue at: empty, now, -1, or the replay_offset of an event" } },
    button: "Enable the endpoint",
  },
});

export const webhookRemove = defineAct({
  name: "webhook remove",
  summary: "Remove an endpoint of webhooks. Nothing more is sent to it.",
  examples: ["sluice webhook remove whe_7cVt2pLx9RwKb4Mz"],
  rights: [rights["webhook.remove"]],
  arguments: endpointArguments,
  act: (app, { endpointId }) => removeEndpoint(app, endpointId),
  json: ({ endpointId, organizationId }) => ({
    webhook_endpoint_id: endpointId,
    organization_id: organizationId,
  }),
  said: ({ endpointId, organizationId }) =>
    `The endpoint ${endpointId} of organization ${organizationId} was removed.`,
  form: {
    path: "/console/webhook/remove/:id",
    heading: "Remove",
    text: "Nothing more is sent to it, for good.",
    confirm: "endpoint",
    next: ({ organizationId }) => pathTo("webhooks", organizationId),
  },
});

export const webhooksPage: NounPage = {
  acts: [webhookCreate],
  view: async ({ app, id: organizationId }) => {
    const ownEndpoints = await listEndpoints(app, organizationId);
    const empty =
      "There is no endpoint yet. With one, a program gets messages and need not ask for news.";
    const body = html`${endpoints.list(ownEndpoints, app, { empty })}
    ${renderForms(app, webhooksPage.acts, organizationId)}`;
    return { title: "Webhooks", organizationId, screen, body };
  },
};

export const webhookPage: NounPage = {
  acts: [webhookTest, webhookEnable, webhookRemove],
  view: async ({ app, id }) => {
    const endpoint = await showEndpoint(app, id);
    const body = html`${renderFacts(endpoints.facts(endpoint, app))}
    ${renderForms(app, webhookPage.acts, id)}`;
    return { title: `Webhook: ${nameOf(endpoint)}`, id: endpoint.endpointId, screen, body };
  },
};

export const heading = "Records";

export const groups = { webhook: "Create, list, test, enable and remove endpoints of webhooks." };

export const commands = [webhookCreate, webhookList, webhookTest, webhookEnable, webhookRemove];
