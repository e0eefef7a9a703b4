// The store under load, with the organizations that write to it, across all the processes that serve it; and the check
// of everything in it. What differs between engines is in sqlite/ and postgres/.

import type { App } from "../../src/actions/app.ts";
import { makeCustomer } from "../support/customer.ts";
import { type Client, makeClient, type Ask, type Reply } from "../support/http-client.ts";
import type { Random } from "../support/random.ts";
import { makeRecordGenerator } from "../support/record-generator.ts";
import { operate } from "../support/server.ts";
import type { Contest } from "./acts-add.ts";
import { compare, resolveUnanswered } from "./compare.ts";
import { Ledger, type SentRecord, nameOf } from "./ledger.ts";
import { checkDeletions } from "./recover.ts";
import { type Sender, exchange } from "./sender.ts";
import type { Stored } from "./stored.ts";
import { formatTimestamp } from "../../src/domain/timestamp.ts";

export interface Site {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly ledger: Ledger;
  readonly senders: readonly Sender[];
  readonly contests: ReadonlyMap<string, Contest>;
  /** Bypasses all product code. */
  readStored(): Promise<Stored>;
}

/** What was counted, by name. */
export type Figures = Record<string, number>;

export interface CrashRound {
  /** How many were killed before. */
  readonly kill: number;
  readonly random: Random;
  readonly figures: Figures;
}

export function count(figures: Figures, name: string, more = 1): void {
  figures[name] = (figures[name] ?? 0) + more;
}

/** Requests that were in flight at a kill. */
export function countUnanswered({ ledger }: Site, figures: Figures): void {
  count(figures, "unanswered", ledger.recent.filter(({ answer }) => answer === undefined).length);
}

export function environmentOf(folder: string, url: string): Readonly<Record<string, string>> {
  return {
    PORT: "0",
    DATABASE_URL: url,
    DATA_DIR: folder,
    RATE_LIMIT_PER_SECOND: "0",
    DELETION_POLL_MS: "20",
  };
}

const organizations = 2;

/** Creates the organizations and their first tokens. */
export async function makeSenders(
  environment: Readonly<Record<string, string>>,
  client: Client,
  { seed, connectionsEach }: { readonly seed: number; readonly connectionsEach: number },
): Promise<Pick<Site, "ledger" | "senders" | "contests">> {
  const ledger = new Ledger();
  const senders: Sender[] = [];
  const contests = new Map<string, Contest>();
  for (let number = 1; number <= organizations; number += 1) {
    const customer = await operate(environment, (app: App) => makeCustomer(app, client));
    contests.set(customer.organizationId, makeContest());
    for (let connection = 1; connection <= connectionsEach; connection += 1) {
      const name = `o${number}c${connection}`;
      const generator = makeRecordGenerator(seed * 100 + senders.length, `${name}-`);
      senders.push({ ...newSender(), name, customer, generator, ledger, token: customer.token });
    }
  }
  return { ledger, senders, contests };
}

/** Connected to nothing. */
function newSender(): Omit<Sender, "name" | "customer" | "generator" | "ledger" | "token"> {
  return {
    client: makeClient("http://127.0.0.1:1"),
    isKilled: () => true,
    loners: [],
    families: [],
    openDeletions: [],
    acknowledged: [],
    count: 0,
    cutOff: false,
  };
}

/** `isKilled` says whether a request may stay unanswered. */
export function connect(sender: Sender, client: Client, isKilled: () => boolean): void {
  sender.client.close();
  sender.client = client;
  sender.isKilled = isKilled;
  sender.cutOff = false;
}

/** Every few calls, from any connection, the next id. */
function makeContest(): Contest {
  let calls = 0;
  return {
    nextId: () => {
      calls += 1;
      return `contested-${Math.floor(calls / 3)}`;
    },
  };
}

/** Everything against the store, then over HTTP what was touched since the last check. */
export async function checkAll(site: Site, figures: Figures): Promise<void> {
  const { ledger, senders, environment } = site;
  await operate(environment, async (app) => {
    await checkDeletions(app, ledger);
    const { findings } = await app.store.checkIntegrity();
    ledger.findings.push(...findings.map((finding) => `integrity: ${finding}`));
  });
  const stored = await site.readStored();
  for (const { kind, about, detail } of compare(ledger, stored)) {
    ledger.findings.push(`${kind}: ${about}: ${detail.slice(0, 500)}`);
  }
  const touched = touchedRecords(ledger);
  const resolved = resolveUnanswered(ledger, stored);
  count(figures, "unansweredStored", resolved.stored);
  count(figures, "unansweredAbsent", resolved.absent);
  await checkExistence(senders, touched);
}

function touchedRecords(ledger: Ledger): SentRecord[] {
  const touched = new Set<SentRecord>();
  for (const { changes } of ledger.recent) {
    for (const change of changes) if (change !== undefined) touched.add(change.record);
  }
  for (const record of ledger.records.values())
    if (record.disturbed || record.contested) touched.add(record);
  return [...touched];
}

/** Divides the records among the connections; each asks for those of its organization. */
async function checkExistence(
  senders: readonly Sender[],
  records: readonly SentRecord[],
): Promise<void> {
  const queues = Map.groupBy(records, ({ organizationId }) => organizationId);
  await Promise.all(
    senders.map(async (sender) => {
      const queue = queues.get(sender.customer.organizationId) ?? [];
      for (let record = queue.pop(); record !== undefined; record = queue.pop()) {
        await checkRecord(sender, record);
        if (sender.cutOff) return;
      }
    }),
  );
}

async function checkRecord(sender: Sender, record: SentRecord): Promise<void> {
  const { type, id } = record;
  const ask: Ask = {
    method: "GET",
    path: `/v2/${type.resourceType}`,
    query: { [type.idField]: id },
    token: sender.token,
  };
  const reply = await exchange(sender, ask);
  if (reply === undefined) return;
  const fault = faultOf(record, reply);
  if (fault !== undefined)
    sender.ledger.findings.push(`GET ${nameOf(record)}: ${fault}: ${reply.status} ${reply.text}`);
}

function faultOf(
  { changes, type, id, organizationId }: SentRecord,
  reply: Reply,
): string | undefined {
  const moments = changes
    .filter(({ standing }) => standing === "stored")
    .map(({ moment }) => moment)
    .sort();
  const [first] = moments;
  const last = moments.at(-1);
  if (first === undefined || last === undefined) {
    return reply.status === 404 ? undefined : "expected 404";
  }
  if (reply.status !== 200) return "expected 200";
  const { first_seen: firstSeen, last_seen: lastSeen, [type.idField]: found } = reply.body;
  if (found !== id || reply.body.organization_id !== organizationId) return "another record";
  if (firstSeen !== formatTimestamp(first)) return `expected first_seen ${first}`;
  return lastSeen === formatTimestamp(last) ? undefined : `expected last_seen ${last}`;
}
