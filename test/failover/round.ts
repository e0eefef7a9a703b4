// One fault under load: clients that write through all processes, a stream and an import, while a part of the cluster
// fails. They send again what stayed unanswered once they are served again. No serving process is restarted.

import { setTimeout as sleep } from "node:timers/promises";
import { addStream } from "../crash/acts-add.ts";
import { everyday, runLoad } from "../crash/load.ts";
import { awaitDeletions, sendAgain } from "../crash/recover.ts";
import { connect, count, countUnanswered, type CrashRound } from "../crash/site.ts";
import { withoutUnavailable } from "../crash/postgres/site.ts";
import { type Client, makeClient, type Reply } from "../support/http-client.ts";
import { waitFor } from "../support/wait-for.ts";
import { importBeside, streamBeside } from "./beside.ts";
import { faults } from "./faults.ts";
import type { FailoverSite } from "./site.ts";

/** A stream is sent without the client, which tells refusals for the moment apart. */
const acts = everyday.filter(([, act]) => act !== addStream);
const readyMsMax = 120_000;

export async function failOver(site: FailoverSite, round: CrashRound): Promise<string> {
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
