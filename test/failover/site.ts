// A cluster that fails over, what stands between it and the service, and two or three serving processes that reach it
// in the ways that operators use: through a pooler and a proxy, through the proxy, and with several hosts in the URL.

import { environmentOf, makeSenders, type Site } from "../crash/site.ts";
import { readStored } from "../crash/postgres/site.ts";
import { type PgBouncer, startPgBouncer } from "../support/postgres/pgbouncer.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import type { Gaps } from "./gaps.ts";

export interface FailoverSite extends Site {
  readonly cluster: Cluster;
  readonly pooler: PgBouncer;
  /** Sender n is served by process n, modulo the number of processes. */
  readonly processes: readonly ServerProcess[];
  readonly gaps: Gaps;
}

export async function makeFailoverSite(seed: number, gaps: Gaps): Promise<FailoverSite> {
  const cluster = await startCluster();
  const pooler = await startPgBouncer(cluster.proxyUrl, {
    prepared: false,
    serverConnections: 20,
    settings: { server_login_retry: 1 },
  });
  const folder = makeTempFolder();
  const environment = { ...environmentOf(folder, cluster.serversUrl), LOG_LEVEL: "fatal" };
  const ways = [
    { DATABASE_URL: pooler.through(cluster.proxyUrl), DATABASE_PREPARE: "off" },
    { DATABASE_URL: cluster.proxyUrl },
    { DATABASE_URL: cluster.serversUrl },
  ];
  const processes: ServerProcess[] = [];
  const used = seed % 2 === 0 ? ways : ways.toSpliced(seed % ways.length, 1);
  for (const way of used) processes.push(await startServerProcess({ ...environment, ...way }));
  const [first] = processes;
  if (first === undefined) throw new Error("no process was started");
  const made = await makeSenders(environment, first.client, { seed, connectionsEach: 6 });
  const read = () => readStored((sql) => cluster.query(sql));
  return { ...made, cluster, pooler, processes, folder, environment, gaps, readStored: read };
}

export async function endFailoverSite(site: FailoverSite): Promise<void> {
  for (const server of site.processes) {
    const end = await server.end("SIGTERM");
    if (end !== 0) site.ledger.findings.push(`SIGTERM ended a process with ${String(end)}`);
  }
  await site.pooler.remove();
  await site.cluster.remove();
}
