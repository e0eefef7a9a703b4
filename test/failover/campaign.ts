// Fails over a cluster of PostgreSQL servers under load, and compares the store with the replies. One fault under load:
// clients that write through all processes, a stream and an import, while a part of the cluster fails. They send again
// what stayed unanswered once they are served again. No serving process is restarted. What goes on beside the writers
// of a round: a stream that is sent again until its summary says that it was read to its end, and an import as a
// process of its own, which may be killed and is then started again. Both have every line stored once. What happens to
// a part of the cluster in a round, and how it ends.

import { setTimeout as sleep } from "node:timers/promises";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Campaign } from "../campaign/campaign.ts";
import { crashMany } from "../crash/crash-campaign.ts";
import { connect, count, countUnanswered, type CrashRound, type Figures } from "../crash/site.ts";
import { Gaps } from "./gaps.ts";
import { requireCluster } from "./needs.ts";
import { endFailoverSite, type FailoverSite, makeFailoverSite } from "./site.ts";
import { addStream } from "../crash/acts-add.ts";
import { everyday, runLoad } from "../crash/load.ts";
import { awaitDeletions, sendAgain } from "../crash/recover.ts";
import { withoutUnavailable } from "../crash/postgres/site.ts";
import { type Client, makeClient, type Reply } from "../support/http-client.ts";
import { waitFor } from "../support/wait-for.ts";
import { startProgram } from "../cli/program.ts";
import { typeNamed } from "../conformance/scene.ts";
import { newRecord, type Sender } from "../crash/sender.ts";
import { linesOf, openStream } from "../support/stream-client.ts";
import type { Random } from "../support/random.ts";
import { serverCount } from "./cluster.ts";

export const failover: Campaign<Figures> = {
  about: "fails over a PostgreSQL cluster under load, and compares the store with the replies",
  counts: "rounds",
  countDefault: 16,
  engines: ["postgres"],
  run: (run) => {
    requireCluster();
    const gaps = new Gaps();
    const make = (seed: number) => makeFailoverSite(seed, gaps);
    return crashMany(run, { make, crash: failOver, end: endFailoverSite });
  },
};

/** A stream is sent without the client, which tells refusals for the moment apart. */
const acts = everyday.filter(([, act]) => act !== addStream);
const readyMsMax = 120_000;

async function failOver(site: FailoverSite, round: CrashRound): Promise<string> {
  const { kill, random, figures } = round;
  const names = Object.keys(faults);
  const what = names[kill % names.length] ?? "";
  const primary = await site.cluster.primary();
  const fault = faults[what];
  if (primary === undefined || fault === undefined) throw new Error("there is no primary");
  let failing = false;
  connectAll(
    site,
    (client) => withoutUnavailable(client),
    () => failing,
  );
  const watched = site.senders.slice(0, site.processes.length);
  const stopWatching = watched.map((sender) => site.gaps.watch(sender, what));
  const [streamer, importer, ...others] = site.senders.slice(site.processes.length);
  if (streamer === undefined || importer === undefined) throw new Error("a sender is missing");
  const load = runLoad({ senders: others, contests: site.contests }, { acts, kind: "mixed" });
  let isOver = false;
  const beside = Promise.all([
    streamBeside(site, streamer, { ...round, isOver: () => isOver }),
    importBeside(site, importer, round),
  ]);
  try {
    await sleep(random.integer(200, 1_500));
    failing = true;
    await fault(site, { primary, random });
    isOver = true;
    for (const sender of others) sender.cutOff = true;
    await load;
    await site.cluster.settled();
    await Promise.all(site.processes.map(({ client }) => awaitReady(client)));
  } finally {
    isOver = true;
    await Promise.all(stopWatching.map((stop) => stop()));
  }
  await beside;
  countUnanswered(site, figures);
  count(figures, what);
  Object.assign(figures, site.gaps.figures());
  connectAll(site, persistent, () => false);
  await Promise.all(site.senders.map(sendAgain));
  await Promise.all(site.senders.map(awaitDeletions));
  return what;
}

function connectAll(
  { senders, processes }: FailoverSite,
  wrap: (client: Client) => Client,
  isFailing: () => boolean,
): void {
  for (const [place, sender] of senders.entries()) {
    const server = processes[place % processes.length];
    if (server === undefined) throw new Error("a process is missing");
    connect(sender, wrap(makeClient(server.address)), isFailing);
  }
}

async function awaitReady(client: Client): Promise<void> {
  const look = async () => {
    const { status } = await client.send({ method: "GET", path: "/health/ready" });
    return status === 200;
  };
  await waitFor("a process to be ready", look, { timeoutMs: readyMsMax, intervalMs: 100 });
}

/** Sends again what is refused for the moment, as clients are told to. */
function persistent(client: Client): Client {
  return {
    ...client,
    send: (ask) =>
      waitFor<Reply>(
        `an answer to ${ask.method} ${ask.path}`,
        async () => {
          const reply = await client.send(ask);
          return reply.status === 503 ? undefined : reply;
        },
        { timeoutMs: readyMsMax, intervalMs: 200 },
      ),
  };
}

const streamLines = 1_000;
const linesAtOnce = 5;
const importLines = 2_000;
const confirmedMsMax = 240_000;

/** Sends slowly until the fault is over, so that the fault falls into it. */
async function streamBeside(
  site: FailoverSite,
  sender: Sender,
  { random, figures, isOver }: CrashRound & { readonly isOver: () => boolean },
): Promise<void> {
  const { lines, confirm } = makeTransactions(sender, streamLines);
  const { address } = random.pick(site.processes);
  const sendAll = async (): Promise<boolean> => {
    count(figures, "streams sent");
    try {
      const path = "/v2/transactions/batch";
      const stream = openStream(address, { method: "POST", path, token: sender.token });
      for (let from = 0; from < lines.length; from += linesAtOnce) {
        await stream.write(`${lines.slice(from, from + linesAtOnce).join("\n")}\n`);
        if (!isOver()) await sleep(50);
      }
      const said = linesOf(await stream.end());
      const { success, ...summary } = said.at(-1) ?? {};
      if (success === true) confirm("the stream", summary);
      return success === true;
    } catch {
      return false;
    }
  };
  count(figures, "streams");
  const waiting = { timeoutMs: confirmedMsMax, intervalMs: 200 };
  await waitFor("a stream to be read to its end", sendAll, waiting);
}

/** Kills it once in every other round. */
async function importBeside(
  site: FailoverSite,
  sender: Sender,
  { kill, random, figures }: CrashRound,
): Promise<void> {
  const { lines, confirm } = makeTransactions(sender, importLines);
  const file = join(site.folder, `import-${kill}.ndjson`);
  writeFileSync(file, `${lines.join("\n")}\n`);
  const { address } = random.pick(site.processes);
  const { apiKey, organizationId } = sender.customer;
  const words = ["import", file, "--type", "transaction", "--organization", organizationId];
  const start = () =>
    startProgram([...words, "--url", address, "--json"], { SLUICE_API_KEY: apiKey });
  count(figures, "imports");
  const first = start();
  const killing = random.chance(0.5)
    ? sleep(random.integer(300, 4_000)).then(() => first.child.kill("SIGKILL"))
    : undefined;
  let { code, out, err } = await first.ended;
  await killing;
  if (code === -1) {
    count(figures, "imports killed");
    ({ code, out, err } = await start().ended);
  }
  if (code === 0) {
    const [report] = (JSON.parse(out) as { files: Record<string, unknown>[] }).files;
    confirm("the import", {
      ...report,
      received: report?.["rows"],
      write_count: report?.["written"],
    });
  } else sender.ledger.findings.push(`the import ended with ${code}: ${err}`);
}

/** Of which nothing is deleted, each noted before it is sent. */
function makeTransactions(sender: Sender, amount: number) {
  const made = Array.from({ length: amount }, () => newRecord(sender, typeNamed("transaction")));
  const changes = made.map(({ record, payload }) => sender.ledger.change(record, payload));
  const confirm = (what: string, said: Readonly<Record<string, unknown>>): void => {
    const { received, refused, write_count: written, unchanged } = said;
    const isRight = received === amount && refused === 0;
    if (isRight && Number(written) + Number(unchanged) === amount) {
      for (const change of changes) change.standing = "stored";
    } else sender.ledger.findings.push(`${what} of ${amount} said ${JSON.stringify(said)}`);
  };
  return { lines: made.map(({ payload }) => JSON.stringify(payload)), confirm };
}

interface FaultRound {
  readonly primary: number;
  readonly random: Random;
}

/** Resolves when the fault is over; the cluster may still need time. */
type Fault = (site: FailoverSite, round: FaultRound) => Promise<void>;

const faults: Readonly<Record<string, Fault>> = {
  "a switchover": ({ cluster }, { primary }) => cluster.switchOver(primary),
  "PostgreSQL on the primary killed": async ({ cluster }, { primary }) => {
    cluster.postgresOf(primary).signal("SIGKILL");
    await Promise.resolve();
  },
  "the primary killed": (site, { primary, random }) => {
    const server = site.cluster.server(primary);
    const start = () => server.start();
    return besides(site, { primary, random }, { begin: () => server.kill(), end: start });
  },
  "the pooler killed": async ({ pooler }, { random }) => {
    await pooler.kill();
    await sleep(random.integer(0, 2_000));
    await pooler.start();
  },
  "the pooler frozen": ({ pooler }, { random }) =>
    freeze((signal) => pooler.signal(signal), random.integer(500, 6_000)),
  "the primary frozen": (site, { primary, random }) => {
    const server = site.cluster.server(primary);
    const [begin, end] = [() => server.signal("SIGSTOP"), () => server.signal("SIGCONT")];
    return besides(site, { primary, random }, { begin, end });
  },
  "the proxy killed": async ({ cluster }, { random }) => {
    await cluster.proxy.kill();
    await sleep(random.integer(0, 2_000));
    cluster.proxy.start();
  },
  "the primary frozen for a moment": ({ cluster }, { primary, random }) =>
    freeze((signal) => cluster.server(primary).signal(signal), random.integer(500, 6_000)),
  "the proxy frozen": ({ cluster }, { random }) =>
    freeze((signal) => cluster.proxy.signal(signal), random.integer(500, 6_000)),
  "the primary cut off": (site, { primary, random }) => {
    const { network } = site.cluster;
    const [begin, end] = [() => network.cut(primary), () => network.join(primary)];
    return besides(site, { primary, random }, { begin, end });
  },
  "the primary cut off for a moment": async ({ cluster: { network } }, { primary, random }) => {
    network.cut(primary);
    await sleep(random.integer(500, 6_000));
    network.join(primary);
  },
  "a replica killed": async ({ cluster }, { primary, random }) => {
    const replica = cluster.server((primary % serverCount) + 1);
    await replica.kill();
    await sleep(random.integer(0, 5_000));
    replica.start();
  },
};

async function freeze(signal: (name: NodeJS.Signals) => void, ms: number): Promise<void> {
  signal("SIGSTOP");
  await sleep(ms);
  signal("SIGCONT");
}

const electionMsMax = 120_000;

/** Ends the fault a moment after another server has become the primary. */
async function besides(
  { cluster }: FailoverSite,
  { primary, random }: FaultRound,
  fault: { begin(): Promise<void> | void; end(): void },
): Promise<void> {
  await fault.begin();
  const other = async () => ![undefined, primary].includes(await cluster.primary());
  const waiting = { timeoutMs: electionMsMax, intervalMs: 200 };
  try {
    await waitFor("another primary", other, waiting);
    await sleep(random.integer(0, 3_000));
  } finally {
    fault.end();
  }
}
