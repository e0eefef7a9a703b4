// The comparison at the end, when everything has arrived: the store with what was sent, the feed with the store, each
// consumer with the feed, and the recipients with what was erased.

import { compare, resolveUnanswered } from "../crash/compare.ts";
import type { Ledger } from "../crash/ledger.ts";
import { checkDeletions } from "../crash/recover.ts";
import { count, type Figures } from "../crash/site.ts";
import { StoreError } from "../../src/store/interface/store-error.ts";
import type { Ask, Client } from "../support/http-client.ts";
import type { Random } from "../support/random.ts";
import { operate } from "../support/server.ts";
import { waitFor } from "../support/wait-for.ts";
import { type BulkLedger, isOfBulk } from "./bulk.ts";
import {
  compareDelivery,
  compareNotices,
  compareWithStore,
  type FeedEvent,
  isNotice,
  recordOf,
  type ToldDeletion,
} from "./compare.ts";
import type { Consumers } from "./consumers.ts";
import { kinds, recipientName } from "./consumer.ts";
import { purgeAll } from "../feature/samples.ts";
import { type ChangesSite, senderOf } from "./site.ts";

interface Checking {
  readonly consumers: Consumers;
  readonly bulk: BulkLedger;
  readonly figures: Figures;
  readonly random: Random;
}

/** Offsets that are read again, of each consumer in each organization. */
const offsetsRead = 8;

export async function checkFeed(place: ChangesSite, checking: Checking): Promise<void> {
  const { consumers, bulk, figures } = checking;
  const { site } = place;
  const { findings } = site.ledger;
  const deletions = await compareStore(place, figures);
  const organizations = [...site.contests.keys()];
  for (const organizationId of organizations) {
    const last = await bulk.writeLast(senderOf(place, organizationId));
    if (last === undefined) throw new Error("the last record was not acknowledged");
    await consumers.awaitLast(organizationId, last);
    await awaitAcknowledged(place, { consumers, organizationId });
  }
  await consumers.endAll();
  findings.push(...consumers.problems());
  const feeds: (readonly FeedEvent[])[] = [];
  for (const organizationId of organizations) {
    const feed = await readFeed(place, organizationId);
    feeds.push(feed);
    count(figures, "changes", feed.length);
    findings.push(...compareWithStore(feed, await place.readChanges(organizationId)));
    await compareConsumers(place, { ...checking, organizationId, feed });
    const told = consumers.delivered("recipient", organizationId);
    const erased = erasedRecords(site.ledger, organizationId);
    count(figures, "erased", erased.size);
    const ofOrganization = deletions.get(organizationId) ?? [];
    findings.push(...compareNotices(told, { deletions: ofOrganization, erased }));
    await checkStatuses(place, organizationId, ofOrganization);
  }
  findings.push(...bulk.compare(feeds));
  await checkPurged(place, organizations);
}

/** As after a crash; returns the completed deletions by organization. */
async function compareStore(
  place: ChangesSite,
  figures: Figures,
): Promise<ReadonlyMap<string, readonly ToldDeletion[]>> {
  const { ledger, environment } = place.site;
  await place.release();
  const deletions = await operate(environment, async (app) => {
    await checkDeletions(app, ledger);
    return app.store.listDeletions({ limit: 1_000_000 });
  });
  count(figures, "deletions", deletions.length);
  const { records, faults } = await place.site.readStored();
  const stored = { faults, records: new Map([...records].filter(([key]) => !isOfBulk(key))) };
  for (const { kind, about, detail } of compare(ledger, stored)) {
    ledger.findings.push(`${kind}: ${about}: ${detail.slice(0, 500)}`);
  }
  const { stored: resolved } = resolveUnanswered(ledger, stored);
  count(figures, "unansweredStored", resolved);
  return Map.groupBy(deletions, ({ organizationId }) => organizationId) as ReadonlyMap<
    string,
    readonly ToldDeletion[]
  >;
}

function erasedRecords(ledger: Ledger, organizationId: string): ReadonlySet<string> {
  const erased = [...ledger.records.values()].filter(
    (record) =>
      record.organizationId === organizationId &&
      record.changes.some(({ standing }) => standing === "erased"),
  );
  return new Set(erased.map(({ type, id }) => `${type.resourceType}/${id}`));
}

async function awaitAcknowledged(
  place: ChangesSite,
  { consumers, organizationId }: { consumers: Consumers; organizationId: string },
): Promise<void> {
  await waitFor(
    "the recipient to have acknowledged everything",
    async () => {
      const { text } = await ask(place, organizationId, { method: "GET", path: "/v2/recipient" });
      return text.includes(`"${consumers.offset("recipient", organizationId)}"`);
    },
    { intervalMs: 50 },
  );
}

function ask(
  place: ChangesSite,
  organizationId: string,
  asked: Omit<Ask, "token">,
): ReturnType<Client["send"]> {
  const sender = senderOf(place, organizationId);
  return sender.client.send({ ...asked, token: sender.token });
}

interface Page {
  readonly events: readonly FeedEvent[];
  readonly next: string;
  readonly upToDate: boolean;
}

async function readPage(place: ChangesSite, organizationId: string, offset: string): Promise<Page> {
  const query = { offset, include: "content" };
  const reply = await ask(place, organizationId, { method: "GET", path: "/v2/changes", query });
  if (reply.status !== 200) throw new Error(`reading from ${offset}: ${reply.text}`);
  return {
    events: JSON.parse(reply.text) as readonly FeedEvent[],
    next: String(reply.headers["stream-next-offset"]),
    upToDate: reply.headers["stream-up-to-date"] === "true",
  };
}

async function readFeed(place: ChangesSite, organizationId: string): Promise<readonly FeedEvent[]> {
  const events: FeedEvent[] = [];
  for (let offset = "-1"; ;) {
    const page = await readPage(place, organizationId, offset);
    for (const event of page.events) events.push(event);
    if (page.upToDate) return events;
    offset = page.next;
  }
}

async function compareConsumers(
  place: ChangesSite,
  checking: Checking & { readonly organizationId: string; readonly feed: readonly FeedEvent[] },
): Promise<void> {
  const { consumers, organizationId, feed, random } = checking;
  const { findings } = place.site.ledger;
  const gone = goneRecords(place.site.ledger, organizationId);
  const mayBeGone = (event: FeedEvent) => isNotice(event) || gone.has(recordOf(event));
  // Notices that everybody has acknowledged can be erased at any moment.
  const kept = feed.filter((event) => !isNotice(event));
  const ids = new Set(kept.map(({ id }) => id));
  for (const kind of kinds) {
    const delivered = consumers.delivered(kind, organizationId);
    const name = `${kind} of ${organizationId}`;
    findings.push(...compareDelivery({ name, delivered, feed, mayBeGone }));
    const pages = consumers.pages(kind, organizationId);
    for (let read = 0; read < Math.min(offsetsRead, pages.length); read += 1) {
      const { offset, last } = random.pick(pages);
      const before = delivered.filter(({ eventNo, id }) => eventNo <= last && ids.has(id));
      const expected = kept.slice(before.length, before.length + 1_000);
      const { events } = await readPage(place, organizationId, offset);
      const changes = events.filter((event) => !isNotice(event));
      const wrong = changes.findIndex(({ id }, index) => id !== expected[index]?.id);
      if (wrong >= 0 || (events.length === 0 && expected.length > 0)) {
        findings.push(`${name}: offset ${offset} is followed by other events than before`);
      }
    }
  }
}

/** Those of which events may be gone: what was erased, or arrived when it was being erased. */
function goneRecords(ledger: Ledger, organizationId: string): ReadonlySet<string> {
  const gone = new Set(erasedRecords(ledger, organizationId));
  for (const { late } of ledger.deletions) {
    for (const { record } of late) {
      if (record.organizationId === organizationId) {
        gone.add(`${record.type.resourceType}/${record.id}`);
      }
    }
  }
  return gone;
}

/** Each status says that the recipient was told and has acknowledged it. */
async function checkStatuses(
  place: ChangesSite,
  organizationId: string,
  deletions: readonly ToldDeletion[],
): Promise<void> {
  for (const { deletionRequestId } of deletions) {
    const query = { deletion_request_id: deletionRequestId };
    const asked = { method: "GET", path: "/v2/deletion_request", query };
    const { body } = await ask(place, organizationId, asked);
    const [recipient, ...others] = (body["recipients"] ?? []) as readonly Record<string, unknown>[];
    const { name, told_at: toldAt, acknowledged_at: acknowledgedAt } = recipient ?? {};
    const isTold = name === recipientName && toldAt !== undefined && acknowledgedAt !== undefined;
    if (isTold && others.length === 0) continue;
    place.site.ledger.findings.push(
      `${deletionRequestId} has the recipients ${JSON.stringify(body["recipients"])}`,
    );
  }
}

/** What all recipients have acknowledged is told nobody any more. */
async function checkPurged(place: ChangesSite, organizations: readonly string[]): Promise<void> {
  await operate(place.site.environment, (app) =>
    waitFor("the notices to be erased", async () => {
      try {
        await purgeAll(app);
        return true;
      } catch (error) {
        // The server is reading, or scrubs what it has erased; its own worker would try again, too.
        if (error instanceof StoreError) return undefined;
        throw error;
      }
    }),
  );
  for (const organizationId of organizations) {
    const notice = (await readFeed(place, organizationId)).find(isNotice);
    if (notice === undefined) continue;
    place.site.ledger.findings.push(`a notice is left: ${notice.type} ${notice.subject}`);
  }
}
