// Pages of webhook endpoints: the endpoints of an organization, a single endpoint, and the forms for it. A secret is
// only in the reply that makes it: in no address, no redirect and no later page.

import {
  type CreatedEndpoint,
  createEndpoint,
  enableEndpoint,
  listEndpoints,
  removeEndpoint,
  rotateSecret,
  showEndpoint,
  testEndpoint,
} from "../../actions/webhook/endpoints.ts";
import {
  descriptionCharactersMax,
  urlCharactersMax,
  type WebhookEndpoint,
  webhookEvents,
  webhookState,
} from "../../domain/webhook.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { redirectTo, showPage, type Person, readForm } from "../page.ts";
import { renderConfirmation, requireTyped } from "../html/confirmation.ts";
import { readDuration, readText, renderBoxes, renderButton, renderInput } from "../html/field.ts";
import { type Html, html, renderFacts, renderTable } from "../html/html.ts";
import { pathTo } from "../html/link.ts";
import { renderAgo, renderTime } from "../html/time.ts";
import { renderOrganizationLink } from "./organizations.ts";

const screen = "/console/organizations";

const overlapMsDefault = 24 * 60 * 60 * 1_000;

export function renderWebhooksLink(organizationId: string): Html {
  return html`<p>
    <a href="${pathTo("webhooks", organizationId)}">Webhooks of the organization</a>
  </p>`;
}

export async function showWebhooks(person: Person): Promise<Answer> {
  const { app, id } = person;
  const endpoints = await listEndpoints(app, id);
  const state = describeStates(person);
  const table = renderTable<WebhookEndpoint>(
    [
      ["Endpoint", renderEndpointLink, "bare"],
      ["URL", ({ url }) => html`<bdi>${url}</bdi>`],
      ["State", state],
      ["Last result", ({ lastResult }) => lastResult],
      ["Last delivered", ({ lastDeliveredAt }) => renderAgo(lastDeliveredAt)],
    ],
    endpoints,
  );
  const none = html`<p class="empty">
    There is no endpoint yet. With one, a program gets messages and need not ask for news.
  </p>`;
  const body = html`${endpoints.length === 0 ? none : table}
  ${app.viewer.may("webhook.create") && renderCreation(id)}`;
  return showPage(person, { title: `Webhooks of ${id}`, screen, body });
}

function renderEndpointLink({ endpointId }: Pick<WebhookEndpoint, "endpointId">): Html {
  return html`<a href="${pathTo("webhook", endpointId)}"><code>${endpointId}</code></a>`;
}

function describeStates({ app }: Person): (endpoint: WebhookEndpoint) => string {
  const check = app.webhookKeys()?.check;
  return (endpoint) => {
    const state = webhookState(endpoint, check);
    if (state === "disabled") return `disabled: ${endpoint.disabledBecause ?? ""}`;
    return state === "key_changed" ? "needs a new secret" : state;
  };
}

function renderCreation(organizationId: string): Html {
  const values = webhookEvents.map((event) => [event, event] as const);
  return html`<details>
    <summary>Add an endpoint</summary>
    <form class="settings" method="post" action="${pathTo("webhooks", organizationId)}">
      ${renderInput("URL with https", "url", { maxlength: urlCharactersMax, required: true })}
      ${renderInput("Description", "description", { maxlength: descriptionCharactersMax })}
      ${renderBoxes("Events", "event", { values, isTicked: true })}
      <p class="note">
        Nothing is sent on confidential records. The secret is shown once, on the next page. Loading
        that page again would add another endpoint.
      </p>
      <button type="submit" class="main">Add the endpoint</button>
    </form>
  </details>`;
}

export async function createOneWebhook(person: Person): Promise<Answer> {
  const form = await readForm(person);
  const made = await createEndpoint(person.app, {
    organizationId: person.id,
    url: readText(form, "url") ?? "",
    description: readText(form, "description"),
    events: form.getAll("event"),
  });
  return showSecret(person, made);
}

function showSecret(
  person: Person,
  { endpointId, secret, publicKey }: Omit<CreatedEndpoint, "createdAt">,
): Promise<Answer> {
  const body = html`<section>
    <p role="status">
      This is the only time that the secret is shown; it is stored nowhere. Copy it to where the
      receiver reads it. If it is lost, make a new one.
    </p>
    <pre><code>${secret}</code></pre>
    ${renderFacts([
      ["Endpoint", renderEndpointLink({ endpointId })],
      ["Public key", html`<code>${publicKey}</code>`],
    ])}
  </section>`;
  return showPage(person, { title: "The new secret", screen, body }, { status: 201 });
}

export async function showWebhook(person: Person): Promise<Answer> {
  const { app, id } = person;
  const endpoint = await showEndpoint(app, id);
  const { organizationId } = endpoint;
  const body = html`${renderFacts([
    ["URL", html`<bdi>${endpoint.url}</bdi>`],
    ["Description", endpoint.description && html`<bdi>${endpoint.description}</bdi>`],
    ["Organization", renderOrganizationLink(endpoint)],
    ["Webhooks", html`<a href="${pathTo("webhooks", organizationId)}">all of the organization</a>`],
    ["State", describeStates(person)(endpoint)],
    ["Events", endpoint.events.join(", ")],
    ["Created", renderTime(endpoint.createdAt)],
    ["Last attempt", endpoint.lastAttemptAt && renderTime(endpoint.lastAttemptAt)],
    ["Last result", endpoint.lastResult],
    ["Last delivered", endpoint.lastDeliveredAt && renderTime(endpoint.lastDeliveredAt)],
    ["Failing since", endpoint.failingSince && renderTime(endpoint.failingSince)],
    ["Next attempt", endpoint.nextAttemptAt && renderTime(endpoint.nextAttemptAt)],
  ])}
  ${app.viewer.may("webhook.change") && renderChanges(endpoint)}
  ${
    app.viewer.may("webhook.remove") &&
    renderConfirmation({
      verb: "Remove",
      what: "endpoint",
      path: pathTo("webhook/remove", id),
      effect: "Nothing more is sent to it, for good.",
    })
  }`;
  return showPage(person, { title: `Endpoint ${endpoint.endpointId}`, screen, body });
}

function renderChanges({ endpointId }: WebhookEndpoint): Html {
  return html`<section aria-labelledby="test">
      <h2 id="test">Test</h2>
      <p>Sends a test event within seconds, also if the endpoint is disabled.</p>
      ${renderButton("Send a test event", pathTo("webhook/test", endpointId))}
    </section>
    <section aria-labelledby="enable">
      <h2 id="enable">Enable</h2>
      <p>Tries again at once, and continues where it was or at an offset.</p>
      <form class="settings" method="post" action="${pathTo("webhook/enable", endpointId)}">
        ${renderInput("Continue at: empty, now, -1, or the replay_offset of an event", "from")}
        <button type="submit">Enable the endpoint</button>
      </form>
    </section>
    <section aria-labelledby="rotate">
      <h2 id="rotate">New secret</h2>
      <p>Shows the new secret once. During the overlap, messages are signed with both.</p>
      <form class="settings" method="post" action="${pathTo("webhook/rotate", endpointId)}">
        ${renderInput("Overlap; 0s ends the old secret at once", "overlap", {
          value: "24h",
          required: true,
        })}
        <button type="submit">Make a new secret</button>
      </form>
    </section>`;
}

export async function testOneWebhook(person: Person): Promise<Answer> {
  await testEndpoint(person.app, person.id);
  return redirectTo(pathTo("webhook", person.id));
}

export async function enableOneWebhook(person: Person): Promise<Answer> {
  const form = await readForm(person);
  await enableEndpoint(person.app, person.id, readText(form, "from"));
  return redirectTo(pathTo("webhook", person.id));
}

export async function rotateOneWebhook(person: Person): Promise<Answer> {
  const form = await readForm(person);
  const overlapMs = readDuration(form, "overlap", "Overlap") ?? overlapMsDefault;
  const { endpoint, ...made } = await rotateSecret(person.app, {
    endpointId: person.id,
    overlapMs,
  });
  return showSecret(person, { endpointId: endpoint.endpointId, ...made });
}

export async function removeOneWebhook(person: Person): Promise<Answer> {
  const form = await readForm(person);
  requireTyped(form, person.id, "endpoint");
  const { organizationId } = await removeEndpoint(person.app, person.id);
  return redirectTo(pathTo("webhooks", organizationId));
}
