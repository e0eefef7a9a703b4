// What happens to a part of the cluster in a round, and how it ends.

import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../support/random.ts";
import { waitFor } from "../support/wait-for.ts";
import { serverCount } from "./cluster.ts";
import type { FailoverSite } from "./site.ts";

interface FaultRound {
  readonly primary: number;
  readonly random: Random;
}

/** Resolves when the fault is over; the cluster may still need time. */
export type Fault = (site: FailoverSite, round: FaultRound) => Promise<void>;

export const faults: Readonly<Record<string, Fault>> = {
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
