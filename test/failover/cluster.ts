// Three PostgreSQL servers under Patroni with synchronous replication, each in its own network namespace, with etcd and
// HAProxy on the machine itself. HAProxy passes connections to the server that Patroni calls the primary.

import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runAsOther } from "../support/postgres/postgres-binaries.ts";
import { findFreePort, ownerName, password, queryAs } from "../support/postgres/postgres-server.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeNetwork, type Network } from "./network.ts";
import { makeProgram, type Program } from "../support/program.ts";

export const serverCount = 3;
/** The installed server that Patroni starts; it needs pg_basebackup and pg_rewind beside it. */
export const clusterBinaries =
  process.env["SLUICE_TEST_PATRONI_POSTGRES"] ?? "/usr/lib/postgresql/15/bin";
const databasePort = 5432;
const restPort = 8008;
const settleMs = 240_000;

export interface Cluster {
  readonly network: Network;
  /** Patroni and PostgreSQL of server n, counted from 1. */
  server(number: number): Program;
  /** The PostgreSQL of server n alone. */
  postgresOf(number: number): Program;
  readonly proxy: Program;
  /** The database by way of the proxy, and with the servers themselves as its hosts. */
  readonly proxyUrl: string;
  readonly serversUrl: string;
  /** The server that Patroni calls the primary now; undefined while there is none. */
  primary(): Promise<number | undefined>;
  /** Waits until there is a primary and every other server follows it. */
  settled(): Promise<void>;
  switchOver(from: number): Promise<void>;
  query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  remove(): Promise<void>;
}

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

export async function startCluster(): Promise<Cluster> {
  const folder = makeTempFolder();
  chmodSync(folder, 0o755);
  const network = makeNetwork(serverCount);
  const numbers = Array.from({ length: serverCount }, (_, index) => index + 1);
  const etcdPort = await findFreePort();
  const etcd = makeEtcd(folder, { address: network.own, port: etcdPort });
  etcd.start();
  const servers = numbers.map((number) => makeServer(folder, { network, etcdPort, number }));
  const proxyPort = await findFreePort();
  const proxy = makeProxy(folder, { network, port: proxyPort, numbers });
  const database = "sluice";
  const urlWith = (hosts: string) => `postgres://${ownerName}:${password}@${hosts}/${database}`;
  const hosts = numbers.map((number) => `${network.addressOf(number)}:${databasePort}`);
  const members = () => readMembers(numbers.map((number) => network.addressOf(number)));
  const primary = async () => {
    const found = (await members()).find(
      ({ role, state }) => role === "leader" && state === "running",
    );
    return found === undefined ? undefined : Number(found.name.slice(1));
  };
  const adminUrl = (number: number, name = database) =>
    `postgres://postgres:${password}@${network.addressOf(number)}:${databasePort}/${name}`;
  const remove = async () => {
    await Promise.all([proxy, ...servers, etcd].map((program) => program.kill()));
    network.remove();
    removeFolder(folder);
  };
  const cluster: Cluster = {
    network,
    server: (number) => at(servers, number),
    // Patroni starts PostgreSQL so that it is nobody's child.
    postgresOf: (number) => makeProgram([], { others: () => postmasterOf(folder, number) }),
    proxy,
    proxyUrl: urlWith(`127.0.0.1:${proxyPort}`),
    serversUrl: urlWith(hosts.join(",")),
    primary,
    settled: () => awaitSettled(members),
    switchOver: (from) => switchOver(network.addressOf(from), `n${from}`),
    query: async (sql) => queryAs(adminUrl((await primary()) ?? 1), sql),
    remove,
  };
  try {
    for (const server of servers) server.start();
    proxy.start();
    await cluster.settled();
    const first = (await primary()) ?? 1;
    await queryAs(
      adminUrl(first, "postgres"),
      `CREATE ROLE ${ownerName} LOGIN PASSWORD '${password}'`,
    );
    await queryAs(adminUrl(first, "postgres"), `CREATE DATABASE ${database} OWNER ${ownerName}`);
    return cluster;
  } catch (error) {
    const said = servers.map((server) => server.said().slice(-2_000)).join("\n");
    await remove();
    throw new Error(`the cluster did not start:\n${etcd.said().slice(-1_000)}\n${said}`, {
      cause: error,
    });
  }
}

function makeEtcd(
  folder: string,
  { address, port }: { readonly address: string; readonly port: number },
): Program {
  const url = `http://${address}:${port}`;
  const options = {
    "data-dir": join(folder, "etcd"),
    "listen-client-urls": url,
    "advertise-client-urls": url,
    "listen-peer-urls": "http://127.0.0.1:0",
    // The disk may be slow, and leases must not end because of it.
    "heartbeat-interval": "500",
    "election-timeout": "5000",
  };
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  return makeProgram(["etcd", ...words, "--unsafe-no-fsync"]);
}

interface ServerPlace {
  readonly network: Network;
  readonly etcdPort: number;
  readonly number: number;
}

function makeServer(folder: string, place: ServerPlace): Program {
  const { network, number } = place;
  const { uid = 0, gid = 0 } = runAsOther();
  const own = join(folder, `n${number}`);
  mkdirSync(own);
  chownSync(own, uid, gid);
  const file = join(own, "patroni.json");
  writeFileSync(file, JSON.stringify(describeServer(own, place)));
  const as = ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
  const words = [...network.inside(number), ...as, "patroni", file];
  return makeProgram(words, { others: () => postmasterOf(folder, number) });
}

function postmasterOf(folder: string, number: number): readonly number[] {
  const file = join(folder, `n${number}`, "data", "postmaster.pid");
  if (!existsSync(file)) return [];
  const pid = Number(readFileSync(file, "utf8").split("\n")[0]);
  // The file may be left from a server that was killed.
  return existsSync(`/proc/${pid}/cwd`) && isPostgres(pid) ? [pid] : [];
}

function isPostgres(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("postgres");
  } catch {
    return false;
  }
}

/** Patroni reads JSON too, which is YAML. */
function describeServer(own: string, { network, etcdPort, number }: ServerPlace): object {
  const address = network.addressOf(number);
  const replication = { username: "replicator", password };
  return {
    scope: "sluice",
    name: `n${number}`,
    restapi: { listen: `${address}:${restPort}`, connect_address: `${address}:${restPort}` },
    etcd3: { hosts: [`${network.own}:${etcdPort}`] },
    bootstrap: {
      dcs: {
        ttl: 20,
        loop_wait: 1,
        retry_timeout: 3,
        maximum_lag_on_failover: 1_048_576,
        master_start_timeout: 0,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        postgresql: {
          use_pg_rewind: true,
          use_slots: true,
          parameters: { max_connections: 100, wal_keep_size: "512MB", wal_log_hints: "on" },
        },
      },
      initdb: [{ encoding: "UTF8" }, { locale: "C" }, "data-checksums", "no-sync"],
    },
    postgresql: {
      listen: `${address}:${databasePort}`,
      connect_address: `${address}:${databasePort}`,
      data_dir: join(own, "data"),
      bin_dir: clusterBinaries,
      pgpass: join(own, "pgpass"),
      authentication: { superuser: { username: "postgres", password }, replication },
      parameters: { unix_socket_directories: "" },
      pg_hba: ["host all all 0.0.0.0/0 trust", "host replication all 0.0.0.0/0 trust"],
    },
  };
}

function makeProxy(
  folder: string,
  place: { readonly network: Network; readonly port: number; readonly numbers: readonly number[] },
): Program {
  const servers = place.numbers.map((number) => {
    const address = place.network.addressOf(number);
    return `  server n${number} ${address}:${databasePort} check port ${restPort}`;
  });
  const file = join(folder, "haproxy.cfg");
  const lines = [
    "defaults",
    "  mode tcp",
    "  timeout connect 2s",
    "  timeout check 2s",
    "  timeout client 1h",
    "  timeout server 1h",
    "listen primary",
    `  bind 127.0.0.1:${place.port}`,
    "  option httpchk OPTIONS /primary",
    "  http-check expect status 200",
    "  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions",
    ...servers,
  ];
  writeFileSync(file, `${lines.join("\n")}\n`);
  return makeProgram(["haproxy", "-db", "-f", file]);
}

/** As the first server that answers sees it. */
async function readMembers(addresses: readonly string[]): Promise<readonly Member[]> {
  for (const address of addresses) {
    try {
      const signal = AbortSignal.timeout(2_000);
      const reply = await fetch(`http://${address}:${restPort}/cluster`, { signal });
      const { members } = (await reply.json()) as { readonly members: readonly Member[] };
      return members;
    } catch {
      // It is down, or frozen, or cut off.
    }
  }
  return [];
}

async function awaitSettled(members: () => Promise<readonly Member[]>): Promise<void> {
  let seen: readonly Member[] = [];
  const isSettled = async () => {
    seen = await members();
    const follows = seen.filter(({ state }) => state === "running" || state === "streaming");
    const has = (role: string) => follows.some((member) => member.role === role);
    return follows.length === serverCount && has("leader") && has("sync_standby");
  };
  const waiting = { timeoutMs: settleMs, intervalMs: 200 };
  await waitFor("the cluster to settle", isSettled, waiting).catch((error: unknown) => {
    throw new Error(JSON.stringify(seen), { cause: error });
  });
}

async function switchOver(address: string, leader: string): Promise<void> {
  const reply = await fetch(`http://${address}:${restPort}/switchover`, {
    method: "POST",
    body: JSON.stringify({ leader }),
  });
  if (!reply.ok) throw new Error(`the switchover failed: ${await reply.text()}`);
}

function at<Value>(values: readonly Value[], number: number): Value {
  const value = values[number - 1];
  if (value === undefined) throw new RangeError(`there is no server ${number}`);
  return value;
}
