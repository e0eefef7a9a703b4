// `npm run bench -- changes --engine sqlite|postgres [--rounds N] [--seconds S] [--count N]`: the feed of changes. How
// much adds lose while ten followers read what arrives, in alternating rounds; how long an event takes from the
// acknowledgement of its add to a follower, on PostgreSQL with three processes; and how fast that many events are read
// from the beginning. Sets no threshold for a figure.

import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { median } from "../test/support/median.ts";
import { type ServerProcess, startServer } from "./child.ts";
import { openConnection } from "./connection.ts";
import { type Follower, startFollower } from "./follower.ts";
import { type Generator, startGenerator } from "./generator.ts";
import { makeHistogram } from "./histogram.ts";
import { startIntake } from "./intake.ts";
import { program } from "./program.ts";
import { makeRequests } from "./requests.ts";
import { startProduct, type Subject } from "./subjects.ts";
import { withTemporaryStores } from "./temporary-store.ts";

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: "sqlite" },
    rounds: { type: "string", default: "7" },
    seconds: { type: "string", default: "2" },
    count: { type: "string", default: "1000000" },
  },
});
const [rounds, seconds, count] = [values.rounds, values.seconds, values.count].map(Number) as [
  number,
  number,
  number,
];
const followers = 10;
const connections = 64;
const listItems = 1_000;
/** For how many adds the lag is measured, and the time between two. */
const lagAdds = 2_000;
const lagPauseMs = 4;
const processes = 3;
/** Between two adds of a connection, for a rate that a server sustains beside other work. */
const pauseMs = 30;
let lastLoad = 1_000;

interface Round {
  readonly perSecond: number;
  readonly cpuUs: number;
}

function fail(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

function tokenOf({ token }: Subject): string {
  return token ?? "";
}

/** Half by server-sent events, and half by long polls, in turns on these servers. */
function follow(
  servers: readonly ServerProcess[],
  token: string,
  onPart?: (text: string) => void,
): Promise<readonly Follower[]> {
  const orders = Array.from({ length: followers }, (_, index) => ({
    port: servers[index % servers.length]?.port ?? 0,
    live: index % 2 === 0 ? ("sse" as const) : ("long-poll" as const),
    token,
    offset: "now",
    onFailure: fail,
    ...(onPart && { onPart }),
  }));
  return Promise.all(orders.map((order) => startFollower(order)));
}

/** Sends adds for the time of a round; `number` is different each time. */
type Load = (number: number) => Promise<{ readonly rows: number; readonly seconds: number }>;

/** Each connection sends the next add at once. */
function atOnce({ server, token }: Subject, generator: Generator): Load {
  const order = { port: server.port, token, ids: "ordered", connections, seconds } as const;
  return (round) => generator.runRound({ ...order, operation: "add", round });
}

/** Each connection pauses between two adds. */
function paced({ server, token }: Subject): Load {
  return async (round) => {
    const intake = await startIntake({ port: server.port, token, connections, round, pauseMs });
    await sleep(seconds * 1_000);
    await intake.stop();
    return { rows: intake.spans().length, seconds };
  };
}

async function measureLoss(subject: Subject, what: string, load: Load): Promise<void> {
  const { server } = subject;
  const found: Record<"alone" | "followed", Round[]> = { alone: [], followed: [] };
  const names = ["alone", "followed"] as const;
  // The first round of each warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const following = name === "followed" ? await follow([server], tokenOf(subject)) : [];
      const before = server.cpuSeconds();
      const report = await load((lastLoad += 1));
      const cpuSeconds = server.cpuSeconds() - before;
      for (const follower of following) {
        await waitUntil(() => follower.events() >= report.rows);
        follower.stop();
      }
      const cpuUs = (cpuSeconds * 1e6) / report.rows;
      if (round > 0) found[name].push({ perSecond: report.rows / report.seconds, cpuUs });
    }
  }
  const ratioOf = (figure: keyof Round) =>
    median(found.followed.map((one, index) => one[figure] / (found.alone[index]?.[figure] ?? 0)));
  for (const name of names) {
    const rate = median(found[name].map(({ perSecond }) => perSecond));
    const cpuUs = median(found[name].map((one) => one.cpuUs));
    print(`${what}, ${name}`, { perSecond: Math.round(rate), cpuUs: twoDigits(cpuUs) });
  }
  print(`${what}, ratios`, {
    rate: twoDigits(ratioOf("perSecond")),
    cpu: twoDigits(ratioOf("cpuUs")),
  });
}

/** One add at a time, and ten followers on all servers. */
async function measureLag(servers: readonly ServerProcess[], token: string): Promise<void> {
  const acknowledgedAt = new Map<string, number>();
  const arrivals: { readonly id: string; readonly at: number }[] = [];
  const following = await follow(servers, token, (text) => {
    const at = performance.now();
    for (const [, id = ""] of text.matchAll(/"subject":"([^"]+)"/g)) arrivals.push({ id, at });
  });
  const next = makeRequests("add", { ids: "ordered", round: 9_000, token });
  let answered: () => void = fail.bind(undefined, "a reply to nothing");
  const connection = await openConnection(servers[0]?.port ?? 0, {
    onReply: () => answered(),
    onFailure: fail,
  });
  for (let add = 0; add < lagAdds; add += 1) {
    const request = next();
    await new Promise<void>((resolve) => {
      answered = resolve;
      connection.send(request);
    });
    acknowledgedAt.set(/"tx_id":"([^"]+)"/.exec(request)?.[1] ?? "", performance.now());
    await sleep(lagPauseMs);
  }
  await waitUntil(() => arrivals.length >= lagAdds * followers);
  connection.close();
  for (const follower of following) follower.stop();
  const lags = makeHistogram();
  for (const { id, at } of arrivals) lags.add(Math.max(0, at - (acknowledgedAt.get(id) ?? 0)));
  const [p50, p99] = [0.5, 0.99].map((share) => twoDigits(lags.percentile(share)));
  print(`lag with ${servers.length} processes, ms`, { p50, p99 });
}

/** Reads the whole feed without content, one request after another. */
async function measureBackfill(subject: Subject, generator: Generator): Promise<void> {
  const { server, token } = subject;
  const order = { port: server.port, token, ids: "ordered", connections: 8 } as const;
  const list = { ...order, operation: "batch", itemsOfList: listItems, seconds: 1 } as const;
  for (let [stored, number] = [0, 20_000]; stored < count; number += 1) {
    stored += (await generator.runRound({ ...list, round: number })).rows;
  }
  const before = server.cpuSeconds();
  const from = performance.now();
  const reading = { port: server.port, token: tokenOf(subject), live: undefined } as const;
  const reader = await startFollower({ ...reading, offset: "-1", onFailure: fail });
  await reader.ended;
  const took = (performance.now() - from) / 1_000;
  const cpuUs = ((server.cpuSeconds() - before) * 1e6) / reader.events();
  const perSecond = Math.round(reader.events() / took);
  print("backfill", { events: reader.events(), perSecond, cpuUs: twoDigits(cpuUs) });
}

function twoDigits(figure: number): number {
  return Number(figure.toFixed(2));
}

async function waitUntil(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(1);
}

function print(what: string, figures: object): void {
  process.stdout.write(`${what}: ${JSON.stringify(figures)}\n`);
}

await withTemporaryStores(values.engine, async (makeStore) => {
  const generator = startGenerator();
  const store = await makeStore();
  const subject = await startProduct(store, ["changes:read", "transactions:write"]);
  const servers = [subject.server];
  try {
    print(values.engine, { rounds, seconds, followers, cores: availableParallelism() });
    await measureLoss(subject, "adds at once", atOnce(subject, generator));
    await measureLoss(subject, "paced adds", paced(subject));
    while (values.engine === "postgres" && servers.length < processes) {
      servers.push(await startServer([program, "serve"], store.settings));
    }
    await measureLag(servers, tokenOf(subject));
    await measureBackfill(subject, generator);
  } finally {
    generator.stop();
    for (const server of servers) await server.stop();
  }
});
