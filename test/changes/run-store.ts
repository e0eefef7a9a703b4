// One store from its first change to the comparison at the end: writers, servers and consumers at the same time, and
// kills of servers and of consumers. Writers, servers that are killed, and consumers of the feed that are killed: at
// the end each consumer has every change once and in order, and a recipient knows each erasure.

import { setTimeout as sleep } from "node:timers/promises";
import { addStream } from "../crash/acts-add.ts";
import { type Acts, everyday, runLoad } from "../crash/load.ts";
import { awaitDeletions, sendAgain } from "../crash/recover.ts";
import type { Sender } from "../crash/sender.ts";
import { connect, count, type Figures } from "../crash/site.ts";
import { type Client, makeClient } from "../support/http-client.ts";
import { makeRandom, type Random } from "../support/random.ts";
import { BulkLedger } from "./bulk.ts";
import { checkFeed } from "./check-feed.ts";
import { Consumers } from "./consumers.ts";
import { recipientName } from "./consumer.ts";
import { type ChangesSite, openOnPostgres, openOnSqlite, senderOf } from "./site.ts";
import {
  type Campaign,
  type CampaignOutcome,
  type CampaignRun,
  findingOf,
} from "../campaign/campaign.ts";
import { preferMemory } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";

interface StoreRun {
  readonly random: Random;
  /** So many changes are acknowledged between two kills. */
  readonly changesPerKill: number;
  readonly isEnough: (done: { kills: number; changes: number }) => boolean;
  readonly tell: (line: string) => void;
}

/** How many records a list has at most. */
const listMax = 400;
/** How long a kill waits for changes to be acknowledged after the one before. */
const progressMsMax = 10_000;
/** Replies that say to try again. */
const momentary: ReadonlySet<number> = new Set([408, 429, 503]);
/** The code of a request with the same Idempotency-Key as one that is not answered yet. */
const requestInFlight = 40904;

async function runStore(place: ChangesSite, run: StoreRun): Promise<Figures> {
  const { site } = place;
  const followed = [...site.contests.keys()].map((organizationId) => ({
    organizationId,
    token: senderOf(place, organizationId).token,
  }));
  for (const { token } of followed) await register(place, token);
  const { findings } = site.ledger;
  const consumers = new Consumers(site.folder, followed, {
    addresses: place.addresses(),
    findings,
  });
  const bulk = new BulkLedger();
  const figures: Figures = {};
  try {
    const writing = new Writing(place, bulk);
    await killMany(place, { consumers, bulk, figures, ...run });
    await writing.stop();
    run.tell("nothing is written any more");
    await settle(place);
    run.tell("every deletion is completed");
    if (findings.length === 0) await checkFeed(place, { consumers, bulk, figures, ...run });
  } finally {
    await consumers.endAll();
  }
  return figures;
}

/** Before anything is written, so that it has to be notified of every erasure. */
async function register(place: ChangesSite, token: string): Promise<void> {
  const client = makeClient(place.addresses()[0] ?? "");
  const body = { name: recipientName };
  const reply = await client.send({ method: "POST", path: "/v2/recipient", token, body });
  client.close();
  if (reply.status >= 300) throw new Error(`the recipient was refused: ${reply.text}`);
}

/** All senders write, each connected to any server, and connected again when it was cut off. */
class Writing {
  readonly #place: ChangesSite;
  readonly #done: Promise<unknown>;
  #isOver = false;

  constructor(place: ChangesSite, bulk: BulkLedger) {
    this.#place = place;
    const acts: Acts = [
      // It is sent without the client, which takes what is refused for the moment as unanswered.
      ...everyday.filter(([, act]) => act !== addStream),
      [25, (sender) => bulk.write(sender, listMax)],
    ];
    this.#done = Promise.all(place.site.senders.map((sender) => this.#write(sender, acts)));
  }

  async #write(sender: Sender, acts: Acts): Promise<void> {
    const { contests } = this.#place.site;
    while (!this.#isOver) {
      reconnect(this.#place, sender);
      await sendAgain(sender);
      if (!sender.cutOff) await runLoad({ senders: [sender], contests }, { acts, kind: "mixed" });
      if (!this.#isOver) await sleep(sender.generator.random.integer(5, 50));
    }
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    for (const sender of this.#place.site.senders) sender.cutOff = true;
    await this.#done;
  }
}

function reconnect(place: ChangesSite, sender: Sender): void {
  const addresses = place.addresses();
  const address = addresses[place.site.senders.indexOf(sender) % addresses.length];
  connect(sender, withoutRefusals(makeClient(address ?? "http://127.0.0.1:1")), () => true);
}

/** Who is told to try again was promised nothing: the same as no reply. */
function withoutRefusals(client: Client): Client {
  return {
    ...client,
    send: async (ask) => {
      const reply = await client.send(ask);
      const isInFlight = reply.body.code === requestInFlight;
      if (isInFlight || momentary.has(reply.status)) throw new Error("refused for now");
      return reply;
    },
  };
}

interface Killing extends StoreRun {
  readonly consumers: Consumers;
  readonly bulk: BulkLedger;
  readonly figures: Figures;
}

async function killMany(place: ChangesSite, killing: Killing): Promise<void> {
  const { consumers, bulk, figures, random, changesPerKill, isEnough, tell } = killing;
  const { findings } = place.site.ledger;
  const done = () => ({ kills: figures["kills"] ?? 0, changes: bulk.acknowledged });
  while (!isEnough(done()) && findings.length === 0) {
    await sleep(random.integer(20, 400));
    await awaitProgress(bulk, changesPerKill);
    const isServer = random.chance(0.3);
    const what = isServer ? await place.kill(random) : await consumers.kill(random);
    if (isServer) consumers.moveTo(place.addresses());
    count(figures, "kills");
    count(figures, isServer ? "serverKills" : "consumerKills");
    tell(`killed ${what}: ${JSON.stringify(done())}`);
  }
}

/** On a busy machine a server may hardly have started. */
async function awaitProgress(bulk: BulkLedger, changes: number): Promise<void> {
  const [enough, until] = [bulk.acknowledged + changes, performance.now() + progressMsMax];
  while (bulk.acknowledged < enough && performance.now() < until) await sleep(5);
}

/** Every outcome that can be learned is learned. */
async function settle(place: ChangesSite): Promise<void> {
  const { senders } = place.site;
  const settleOne = (sender: Sender) =>
    waitFor(`a server to answer ${sender.name}`, async () => {
      reconnect(place, sender);
      await sendAgain(sender);
      return !sender.cutOff;
    });
  await Promise.all(senders.map(settleOne));
  await Promise.all(senders.map(awaitDeletions));
}

/** Of each of the two organizations. */
const writersDefault = 32;

export const changes: Campaign<Figures> = {
  about: "kills servers and consumers of the feed of changes, and compares what each was given",
  counts: "kills",
  countDefault: 50,
  amounts: { changes: 20_000, writers: writersDefault },
  engines: ["sqlite", "postgres"],
  run: runChanges,
};

/** So that a check stays fast, and a long campaign also covers young stores. */
const killsPerStore = 25;
const changesPerStore = 200_000;

async function runChanges(run: CampaignRun): Promise<CampaignOutcome<Figures>> {
  const { countMax, budgetMs, amounts = {}, engine, seed, tell } = run;
  // What is killed are processes, not the system.
  preferMemory();
  const until = performance.now() + budgetMs;
  const changesMax = amounts["changes"] ?? 0;
  const changesPerKill = Math.ceil(changesMax / countMax);
  const findings: string[] = [];
  const figures: Figures = { kills: 0, changes: 0, stores: 0 };
  const total = (name: string, more = 0): number => (figures[name] ?? 0) + more;
  const isOver = (more = { kills: 0, changes: 0 }): boolean =>
    performance.now() >= until ||
    (total("kills", more.kills) >= countMax && total("changes", more.changes) >= changesMax);
  while (findings.length === 0 && !isOver()) {
    count(figures, "stores");
    const store = total("stores");
    const open = engine === "sqlite" ? openOnSqlite : openOnPostgres;
    const place = await open(seed + store, amounts["writers"] ?? writersDefault);
    const found = place.site.ledger.findings;
    try {
      const random = makeRandom(seed * 1_000 + store);
      const isEnough = (done: { kills: number; changes: number }): boolean =>
        done.kills >= killsPerStore || done.changes >= changesPerStore || isOver(done);
      for (const [name, more] of Object.entries(
        await runStore(place, { random, changesPerKill, isEnough, tell }),
      )) {
        count(figures, name, more);
      }
    } catch (error) {
      found.push(findingOf(error));
    } finally {
      await place.release();
      await place.end().catch((error: unknown) => found.push(findingOf(error)));
      findings.push(...found);
    }
    tell(`store ${store}: ${JSON.stringify(figures)}, ${findings.length} findings`);
  }
  return { figures, findings };
}
