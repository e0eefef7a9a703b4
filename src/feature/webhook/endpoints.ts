// The endpoints of webhooks: created, listed, changed and removed, by an organization over the API or by an operator.
// Only the reply to the call that makes a secret contains it.

import { setImmediate } from "node:timers/promises";
import type { Parts } from "../../basics/paced-read.ts";
import {
  descriptionCharactersMax,
  type WebhookEndpoint,
  type WebhookEvent,
  webhookEvents,
  webhookState,
  type WebhookState,
} from "./webhook.ts";
import { AppError } from "../../domain/error.ts";
import { adviseName } from "../../domain/validation/suggest.ts";
import type { EndpointChange } from "./store/delivery.ts";
import type { EndpointKept, EndpointRemoval, NewEndpoint } from "./store/endpoint.ts";
import { findOpenOrganization } from "../../actions/access/close-organization.ts";
import { requireOrganization } from "../../actions/access/find-organization.ts";
import { actOf, type App } from "../../actions/app.ts";
import { makeWebhookKeys, type WebhookKeys } from "./webhook-keys.ts";
import { readPages } from "../../actions/pages.ts";
import type { TrailPosition } from "../../actions/change/offset.ts";
import { makeId } from "../../actions/credential.ts";
import { asOperator } from "../follow/as-operator.ts";
import { OperatorError, unknownName, requireLine } from "../../actions/operator/operator-error.ts";
import { requireRight } from "../../actions/operator/viewer.ts";
import { webhooks } from "./store/part.ts";
import { errors } from "./store/rows.ts";
import { operatorErrors, rights } from "./rows.ts";
import { allowedAddresses, findUrlFault } from "./allowed-address.ts";

/** Has the only copy of its secret. */
export interface CreatedEndpoint extends EndpointKept, Pick<NewEndpoint, "url" | "events"> {
  readonly secret: string;
  readonly publicKey: string;
}

export interface WantedEndpoint extends Pick<NewEndpoint, "organizationId" | "events" | "types"> {
  readonly url: string;
  readonly description?: string | undefined;
  readonly idempotency?: NewEndpoint["idempotency"];
  /** The id of the API key, or the operator. */
  readonly actor: string;
}

/** Throws AppError too_many_webhook_endpoints, idempotency_reused, and credential_revoked for a closed organization. */
export async function addEndpoint(
  app: App,
  { actor, ...wanted }: WantedEndpoint,
): Promise<CreatedEndpoint> {
  const keys = requireKeys(app);
  const { settled: changeNo } = await app.store.settledArrival();
  const endpoint = {
    ...wanted,
    endpointId: makeId("whe"),
    url: new URL(wanted.url).href,
    description: wanted.description ?? "",
    events: webhookEvents.filter((event) => wanted.events.includes(event)),
    keyCheck: keys.check,
    changeNo,
  };
  const made = await app.inFlight.run(wanted.idempotency?.keyHash, () =>
    app.store.of(webhooks).createEndpoint(endpoint, { actor, now: app.now() }),
  );
  // Its secret can't be derived any more, and it is sent nothing.
  if (made.keyCheck !== keys.check) {
    const message = `The key of the secret of ${made.endpointId} was replaced since; remove it, and create another one with a new Idempotency-Key.`;
    throw new AppError("idempotency_reused", { message });
  }
  const { url, events } = endpoint;
  return { url, events, ...made, ...keys.secretOf(made.endpointId) };
}

/** Throws AppError no_such_webhook_endpoint and idempotency_reused. */
export async function removeOwnEndpoint(
  app: App,
  removal: EndpointRemoval,
  actor: string,
): Promise<void> {
  const removed = await app.inFlight.run(removal.idempotency?.keyHash, () =>
    app.store.of(webhooks).removeEndpoint(removal, { actor, now: app.now() }),
  );
  if (removed === undefined) throw new AppError(errors.no_such_webhook_endpoint);
}

function requireKeys(app: App): WebhookKeys {
  const keys = app.derive(makeWebhookKeys);
  if (keys !== undefined) return keys;
  throw new OperatorError(
    operatorErrors.webhook_key,
    "Secrets of webhooks are derived from the key for receipts, which this user can't read, or which " +
      "does not exist yet: a serving process makes it at its first start.",
  );
}

export interface OperatorsEndpoint {
  readonly organizationId: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly description?: string | undefined;
}

/** Throws OperatorError too_many_endpoints. */
export async function createEndpoint(
  app: App,
  wanted: OperatorsEndpoint,
): Promise<CreatedEndpoint> {
  requireRight(app, rights["webhook.create"]);
  const fault = findUrlFault(wanted.url, allowedAddresses(app));
  if (fault !== undefined) throw new OperatorError("invalid", `The URL ${fault}.`);
  const { description = "", organizationId } = wanted;
  if (description !== "") requireLine("The description", description, descriptionCharactersMax);
  const events = wanted.events.map(readEvent);
  if (events.length === 0) throw new OperatorError("invalid", "An endpoint needs an event.");
  await findOpenOrganization(app, organizationId);
  const actor = app.operator;
  const added = addEndpoint(app, { ...wanted, description, events, types: undefined, actor });
  return asOperator(added, { too_many_webhook_endpoints: operatorErrors.too_many_endpoints });
}

function readEvent(name: string): WebhookEvent {
  const event = webhookEvents.find((known) => known === name);
  if (event !== undefined) return event;
  const advice = adviseName(name, webhookEvents);
  throw new OperatorError(
    "invalid",
    `There is no event "${name}"${advice}. There are: ${webhookEvents.join(", ")}.`,
  );
}

export async function listEndpoints(
  app: App,
  organizationId: string | undefined,
): Promise<readonly WebhookEndpoint[]> {
  requireRight(app, rights["webhook.read"]);
  await requireOrganization(app, organizationId);
  if (organizationId !== undefined) return app.store.of(webhooks).listEndpoints(organizationId);
  return allEndpoints(app);
}

/** On SQLite a page is read within about a millisecond, in which nothing else is served. */
const pageRows = 256;

/** The endpoints of all organizations, in the order of their keys. */
export async function allEndpoints({
  store,
}: Pick<App, "store">): Promise<readonly WebhookEndpoint[]> {
  const found: WebhookEndpoint[] = [];
  for await (const page of endpointPages(store)) {
    found.push(...page);
    if (page.length === pageRows) await setImmediate();
  }
  return found;
}

function endpointPages(store: App["store"]): AsyncGenerator<readonly WebhookEndpoint[]> {
  return readPages(pageRows, (after) =>
    store.of(webhooks).listAllEndpoints({ after, limit: pageRows }),
  );
}

export type EndpointCounts = Readonly<Record<WebhookState, number>>;

/** How many endpoints there are, of all organizations or of one, by state. Each step reads a bounded number. */
export async function* countEndpoints(
  app: Pick<App, "store" | "derive">,
  only?: string,
): Parts<EndpointCounts> {
  const counts = { enabled: 0, failing: 0, disabled: 0, key_changed: 0 };
  const check = app.derive(makeWebhookKeys)?.check;
  let pages = 0;
  const pagesOf =
    only === undefined
      ? endpointPages(app.store)
      : [await app.store.of(webhooks).listEndpoints(only)];
  for await (const page of pagesOf) {
    if (pages > 0) yield;
    pages += 1;
    for (const endpoint of page) counts[webhookState(endpoint, check)] += 1;
  }
  return counts;
}

/** Throws OperatorError not_permitted and no_such_endpoint. */
export async function showEndpoint(app: App, endpointId: string): Promise<WebhookEndpoint> {
  requireRight(app, rights["webhook.read"]);
  return findEndpoint(app, endpointId);
}

/** Throws OperatorError no_such_endpoint. */
async function findEndpoint(app: App, endpointId: string): Promise<WebhookEndpoint> {
  const found = await app.store.of(webhooks).findEndpoint(endpointId, undefined);
  if (found !== undefined) return found;
  throw unknownName(
    operatorErrors.no_such_endpoint,
    `There is no endpoint of webhooks "${endpointId}".`,
    (await allEndpoints(app)).map((one) => one.endpointId),
  );
}

export async function removeEndpoint(app: App, endpointId: string): Promise<WebhookEndpoint> {
  requireRight(app, rights["webhook.remove"]);
  const found = await findEndpoint(app, endpointId);
  await app.store.of(webhooks).removeEndpoint(found, actOf(app));
  return found;
}

/** Throws OperatorError not_permitted, no_such_endpoint and key_changed. */
export async function testEndpoint(app: App, endpointId: string): Promise<WebhookEndpoint> {
  requireRight(app, rights["webhook.change"]);
  requireSameKey(app, await findEndpoint(app, endpointId));
  return change(app, endpointId, { test: true });
}

/** Nothing is sent to an endpoint with another key. A command that can't read the key does not know. */
function requireSameKey(app: App, { endpointId, keyCheck }: WebhookEndpoint): void {
  const check = app.derive(makeWebhookKeys)?.check;
  if (check === undefined || check === keyCheck) return;
  throw new OperatorError(
    operatorErrors.key_changed,
    `The key from which the secret of ${endpointId} was derived has been replaced, so nothing is sent to this endpoint ` +
      "any more. Create another one with the same URL, and remove this one.",
  );
}

/**
 * `from`: `now`, `-1` for the beginning, or the `replay_offset` of an event, whose successors are sent again. Throws
 * OperatorError not_permitted, no_such_endpoint, key_changed and invalid.
 */
export async function enableEndpoint(
  app: App,
  endpointId: string,
  from?: string,
): Promise<WebhookEndpoint> {
  requireRight(app, rights["webhook.change"]);
  const found = await findEndpoint(app, endpointId);
  requireSameKey(app, found);
  if (from === undefined) return change(app, endpointId, { enable: true });
  return change(app, endpointId, { enable: true, from: await readPlace(app, found, from) });
}

async function readPlace(
  { store, offsets }: App,
  { endpointId, changeNo }: WebhookEndpoint,
  from: string,
): Promise<{ readonly entryNo: number; readonly changeNo: number }> {
  if (from === "now") {
    const { settled } = await store.settledArrival();
    return { entryNo: (await store.trail.head()).no, changeNo: settled };
  }
  if (from === "-1") return { entryNo: 0, changeNo };
  const place = (await offsets()).decodeEntry(endpointId, from);
  if (place === undefined) {
    throw new OperatorError(
      "invalid",
      "The offset must be -1, now, or the replay_offset of an event that was sent to this endpoint.",
    );
  }
  if (await isInTrail(store, place)) return { entryNo: place.entryNo, changeNo };
  throw new OperatorError(
    "invalid",
    "The event with this replay_offset is not in the store any more: it is later than the backup that was restored. " +
      "Take the offset of an earlier event, or -1.",
  );
}

/** After a restore of a backup, other entries have the numbers of those that were lost. */
async function isInTrail(
  { trail }: Pick<App["store"], "trail">,
  { entryNo, at }: TrailPosition,
): Promise<boolean> {
  const any = { actor: undefined, organizationId: undefined, action: undefined };
  const range = { from: undefined, until: undefined, before: entryNo + 1 };
  const { entries } = await trail.search({ ...any, ...range, limit: 1, examinedMax: 1 });
  return entries.some((entry) => entry.entryNo === entryNo && entry.at === at);
}

async function change(
  app: App,
  endpointId: string,
  wanted: EndpointChange,
): Promise<WebhookEndpoint> {
  const found = await findEndpoint(app, endpointId);
  const changed = await app.store.of(webhooks).changeEndpoint(found, wanted, actOf(app));
  return changed ?? findEndpoint(app, endpointId);
}
