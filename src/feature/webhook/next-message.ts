// Reads the next message for an endpoint from the audit trail and the changes, in bounded parts. A message has no
// content: only the id of a deletion with the type of its record, or the end of the feed.

import { isWaitOver } from "../../basics/duration.ts";
import type { Turns } from "../../basics/turns.ts";
import { confidentialTypes } from "../../domain/confidentiality.ts";
import { recordTypes } from "../../domain/record-types.ts";
import { testEvent, type WebhookEndpoint, type WebhookEvent } from "./webhook.ts";
import type { Cursors, DeletionNews } from "./store/delivery.ts";
import type { App } from "../../actions/app.ts";
import type { WebhookKeys } from "./webhook-keys.ts";
import { findLastArrival, numbersAtOnce } from "../follow/last-arrival.ts";
import { webhooks } from "./store/part.ts";
import type { OffsetCipher } from "../../actions/change/offset.ts";

/** How many entries of the trail one statement covers. */
const entriesAtOnce = 10_000;
const newsAtOnce = 100;
/** How many statements search for a message in one direction, before the next endpoint. */
const partsMax = 50;
/** The shortest time between two messages about changes to an endpoint. */
export const signalMs = 1_000;

const changesAvailable: WebhookEvent = "sluice.changes.available";

const eventOf: Readonly<Record<string, WebhookEvent | undefined>> = {
  "deletion.request": "sluice.deletion.requested",
  "deletion.cancel": "sluice.deletion.cancelled",
  "deletion.complete": "sluice.deletion.completed",
};

export interface Message {
  /** The same in each attempt. */
  readonly id: string;
  readonly body: string;
  /** The cursors of the endpoint once it is delivered; these also skip what needs no message. */
  readonly after: Cursors;
  readonly isSignal: boolean;
  /** Present for a test: when it was requested. */
  readonly test?: number;
}

export interface MessageSource {
  readonly app: Pick<App, "store" | "now">;
  readonly keys: WebhookKeys;
  readonly cipher: OffsetCipher;
  /** Each statement that searches is a turn of its organization. */
  readonly turns: Turns;
}

export interface Next {
  readonly message: Message | undefined;
  /** Before the message, or up to where this has searched. */
  readonly place: Cursors;
}

/** `ends`: up to where the trail and the changes are complete. `place`: up to here there is nothing to send. */
export async function findNext(
  source: MessageSource,
  endpoint: WebhookEndpoint,
  { ends, place }: { readonly ends: Cursors; readonly place: Cursors },
): Promise<Next> {
  const test = testOf(source, endpoint);
  if (test !== undefined) return { message: test, place };
  if (endpoint.disabledAt !== undefined) return { message: undefined, place };
  const types = await typesFor(source.app, endpoint);
  const searches = [findSignal, findDeletion];
  if (wasSignal(endpoint)) searches.reverse();
  let now = place;
  for (const search of searches) {
    const next = await search(source, { endpoint, types, ends, place: now });
    if (next.message !== undefined) return next;
    now = next.place;
  }
  return { message: undefined, place: now };
}

/** Messages about deletions and about changes alternate, so neither waits for all of the other kind. */
function wasSignal({ signalledAt, lastDeliveredAt }: WebhookEndpoint): boolean {
  return signalledAt !== undefined && signalledAt === lastDeliveredAt;
}

/** Deletions that the endpoint may be notified of and that are not confidential now. */
async function typesFor(
  { store }: Pick<App, "store">,
  { organizationId, types }: WebhookEndpoint,
): Promise<readonly string[]> {
  const organization = await store.findOrganization(organizationId);
  const confidential = confidentialTypes(organization?.confidentialTypes);
  return recordTypes
    .map(({ resourceType }) => resourceType)
    .filter((name) => !confidential.has(name) && (types === undefined || types.includes(name)));
}

interface Search {
  readonly endpoint: WebhookEndpoint;
  readonly types: readonly string[];
  readonly ends: Cursors;
  readonly place: Cursors;
}

function testOf({ app, keys }: MessageSource, endpoint: WebhookEndpoint): Message | undefined {
  const { endpointId, organizationId, testRequestedAt: test, entryNo, changeNo } = endpoint;
  if (test === undefined) return undefined;
  const data = { organization_id: organizationId, webhook_endpoint_id: endpointId };
  const body = bodyOf(testEvent, app.now(), data);
  const id = keys.messageId(endpointId, `test ${test}`);
  return { id, body, after: { entryNo, changeNo }, isSignal: false, test };
}

async function findDeletion(source: MessageSource, search: Search): Promise<Next> {
  const { endpoint, types, ends, place } = search;
  let { entryNo } = place;
  if (endpoint.events.every((event) => event === changesAvailable)) entryNo = ends.entryNo;
  for (let part = 0; part < partsMax && entryNo < ends.entryNo; part += 1) {
    const through = Math.min(ends.entryNo, entryNo + entriesAtOnce);
    const { organizationId } = endpoint;
    await source.turns.next(organizationId);
    const query = { organizationId, after: entryNo, through, limit: newsAtOnce };
    const news = await source.app.store.of(webhooks).listNews(query);
    const next = news.find((one) => isWanted(one, endpoint, types));
    if (next !== undefined) {
      return { message: deletionMessage(source, search, next), place: { ...place, entryNo } };
    }
    entryNo = news.length < newsAtOnce ? through : (news.at(-1)?.entryNo ?? through);
  }
  return { message: undefined, place: { ...place, entryNo } };
}

function isWanted(
  { action, resourceType }: DeletionNews,
  { events }: WebhookEndpoint,
  types: readonly string[],
): boolean {
  const event = eventOf[action];
  return event !== undefined && events.includes(event) && types.includes(resourceType);
}

function deletionMessage(
  { keys, cipher }: MessageSource,
  { endpoint: { endpointId, organizationId }, place: { changeNo } }: Search,
  { entryNo, at, action, deletionRequestId, resourceType }: DeletionNews,
): Message {
  const body = bodyOf(eventOf[action] ?? action, at, {
    organization_id: organizationId,
    deletion_request_id: deletionRequestId,
    resource_type: resourceType,
    replay_offset: cipher.encodeEntry(endpointId, { entryNo, at }),
  });
  // After a restore of a backup, other entries and changes may get the same numbers.
  const id = keys.messageId(endpointId, `entry ${entryNo} at ${at} of ${deletionRequestId}`);
  return { id, body, after: { entryNo, changeNo }, isSignal: false };
}

/**
 * Made from the newest change that the endpoint may be notified of, or, if much has arrived since the first one, from
 * the newest within a bound after it.
 */
async function findSignal(source: MessageSource, search: Search): Promise<Next> {
  const { endpoint, types, ends, place } = search;
  const { events, signalledAt = 0, organizationId } = endpoint;
  const { app, turns } = source;
  if (!events.includes(changesAvailable) || types.length === 0) {
    return { message: undefined, place: { ...place, changeNo: ends.changeNo } };
  }
  if (!isWaitOver(signalledAt + signalMs, app.now(), signalMs))
    return { message: undefined, place };
  let { changeNo } = place;
  for (let part = 0; part < partsMax && changeNo < ends.changeNo; part += 1) {
    const through = Math.min(ends.changeNo, changeNo + numbersAtOnce);
    const query = { organizationId, types, content: false, limit: 1 };
    await turns.next(organizationId);
    const [first] = await app.store.arrivals.list({ ...query, after: changeNo, through });
    if (first !== undefined) {
      const { changeNo: after } = first;
      const last = Math.min(ends.changeNo, after + partsMax * numbersAtOnce);
      const remaining = { organizationId, types, after, through: last };
      const newest = (await findLastArrival({ store: app.store, turns }, remaining)) ?? first;
      return { message: signalMessage(source, search, newest), place: { ...place, changeNo } };
    }
    changeNo = through;
  }
  return { message: undefined, place: { ...place, changeNo } };
}

function signalMessage(
  { keys, cipher }: MessageSource,
  { endpoint: { endpointId, organizationId }, place: { entryNo } }: Search,
  { changeNo, receivedAt }: { readonly changeNo: number; readonly receivedAt: number },
): Message {
  const position = { changeNo, at: receivedAt, following: 0 };
  const offset = cipher.encode(organizationId, position);
  const body = bodyOf(changesAvailable, receivedAt, { organization_id: organizationId, offset });
  const id = keys.messageId(endpointId, `change ${changeNo} at ${receivedAt}`);
  return { id, body, after: { entryNo, changeNo }, isSignal: true };
}

/** The payload that Standard Webhooks recommends. */
function bodyOf(type: string, at: number, data: Readonly<Record<string, string>>): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}
