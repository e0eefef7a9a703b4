// A PostgreSQL server on a free port in a temporary folder: of a test file's own, or the one that all files of a run
// share; or the one that SLUICE_TEST_DATABASE_URL names. A Citus cluster where one is requested, or where that is one.
// Stores are opened as an ordinary role: row-level security does not apply to superusers.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after } from "node:test";
import { promisify } from "node:util";
import { Client } from "pg";
import { childPids } from "../child-pids.ts";
import { asNode, findWorkers, joinCluster, wantedWorkers } from "./citus-cluster.ts";
import { type Binaries, findBinaries } from "./postgres-binaries.ts";
import { fillDisk, onSmallDisk } from "../small-disk.ts";
import { makeTempFolder, removeFolder } from "../temp-folder.ts";
import { waitFor } from "../wait-for.ts";

const run = promisify(execFile);

/** The variable that names the shared server to the files of a run. */
const sharedServer = "SLUICE_TEST_SHARED_SERVER";
/** The variable that names a copy of the files of initdb, from which other servers of the run begin. */
const initialFiles = "SLUICE_TEST_INITIAL_FILES";
export const ownerName = "sluice_owner";
export const password = "not-to-be-shown";

export interface PostgresServer {
  /** The URL of a superuser, in the database `postgres`. */
  readonly adminUrl: string;
  /** An empty database that an ordinary role owns; returns the URL for that role. */
  makeDatabase(options?: { template?: string }): Promise<string>;
  dropDatabase(url: string): Promise<void>;
  /** Runs statements as the superuser, in the database of the URL. */
  query(sql: string, url?: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** 1, or how many servers a cluster of the test's own has. */
  readonly nodes: number;
  /**
   * Ends the server, or kills it with everything that it started. Only for a server of the test's
   * own. Of a cluster, all nodes or the one; 0 is the coordinator.
   */
  stop(how?: "fast" | "kill", node?: number): Promise<void>;
  /** Starts what is not running. */
  start(): Promise<void>;
  /**
   * Starts it as a hot standby without a primary: it answers, but accepts no writes until it is
   * promoted.
   */
  startAsReplica(): Promise<void>;
  promote(): Promise<void>;
  /** Fills the server's own disk; returns a function that frees space. */
  fillDisk(): () => void;
  /** Stops it and removes its folder. */
  remove(): Promise<void>;
}

export interface ServerOptions {
  /**
   * A server of the test's own even where another is named: it will be stopped, or needs settings.
   */
  readonly own?: boolean;
  /** As in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Whether commits are synced to the disk; tests without a power loss don't need this. */
  readonly durable?: boolean;
  /** A separate disk of this size, where the system supports it (small-disk.ts); only as root. */
  readonly diskMebibytes?: number;
  /** A folder with the programs of another version. */
  readonly programs?: string | undefined;
  /** Where to keep a copy of the files of initdb. */
  readonly keepInitialFiles?: string;
}

/** Starts a server, or uses the one that is named or shared; the caller removes it. */
export async function startPostgres(options: ServerOptions = {}): Promise<PostgresServer> {
  const given = options.own === true ? undefined : givenServer(options);
  const servers = given === undefined ? await startOwn(options) : [];
  const adminUrl = servers[0]?.adminUrl ?? given ?? "";
  const workers = await findWorkers(queryAs, adminUrl);
  const query: PostgresServer["query"] = (sql, url) => queryAs(withDatabase(adminUrl, url), sql);
  await query(`DO $$ BEGIN
    CREATE ROLE ${ownerName} LOGIN PASSWORD '${password}';
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`);
  let made = 0;
  const databases = new Set<string>();
  const drop = async (url: string): Promise<void> => {
    databases.delete(url);
    const name = new URL(url).pathname.slice(1);
    for (const place of [adminUrl, ...(workers ?? [])])
      await queryAs(place, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  };
  return {
    adminUrl,
    query,
    async makeDatabase({ template = "template0" } = {}) {
      made += 1;
      const name = `sluice_test_${process.pid}_${Date.now().toString(36)}_${made}`;
      const create = `CREATE DATABASE ${name} OWNER ${ownerName} TEMPLATE ${template}`;
      for (const url of [adminUrl, ...(workers ?? [])]) await queryAs(url, create);
      if (workers !== undefined) {
        const places = workers.map((url) => urlOf(url, { database: name }));
        await joinCluster(queryAs, urlOf(adminUrl, { database: name }), places);
      }
      const url = urlOf(adminUrl, { user: ownerName, password, database: name });
      databases.add(url);
      return url;
    },
    dropDatabase: drop,
    nodes: Math.max(1, servers.length),
    stop: async (how, node) => void (await Promise.all(own(servers, node).map((s) => s.stop(how)))),
    start: async () => void (await Promise.all(own(servers).map((server) => server.start()))),
    startAsReplica: async () => own(servers)[0]?.startAsReplica(),
    fillDisk: () => own(servers)[0]?.fillDisk() ?? (() => undefined),
    promote: async () => void (await query("SELECT pg_promote()")),
    remove: async () => {
      if (servers.length === 0) for (const url of databases) await drop(url);
      await Promise.all(servers.map((server) => server.remove()));
    },
  };
}

/** For all tests of a file, at its top: removed after them. */
export async function usePostgres(options: ServerOptions = {}): Promise<PostgresServer> {
  const server = await startPostgres(options);
  after(() => server.remove());
  return server;
}

/** Only tests that need no settings use the shared one. */
function givenServer({ settings, durable, diskMebibytes }: ServerOptions): string | undefined {
  const { SLUICE_TEST_DATABASE_URL: named, [sharedServer]: shared } = process.env;
  const isUsual = settings === undefined && durable !== true && diskMebibytes === undefined;
  return named ?? (isUsual ? shared : undefined);
}

/** Starts one for all files of a run, unless a server is named or a cluster is requested. The caller removes it. */
export async function sharePostgres(): Promise<PostgresServer | undefined> {
  const isGiven = process.env["SLUICE_TEST_DATABASE_URL"] !== undefined;
  if (isGiven || wantedWorkers() !== undefined) return undefined;
  const files = join(makeTempFolder(), "data");
  const settings = { max_connections: "500" };
  const server = await startPostgres({ own: true, settings, keepInitialFiles: files });
  process.env[sharedServer] = server.adminUrl;
  process.env[initialFiles] = files;
  return server;
}

/** One server, or the nodes of a cluster, the coordinator first. */
async function startOwn(options: ServerOptions): Promise<readonly OwnServer[]> {
  const workersWanted = wantedWorkers();
  if (workersWanted === undefined) return [await OwnServer.make(options)];
  const settings = asNode(options.settings);
  const servers: OwnServer[] = [];
  for (let node = 0; node <= workersWanted; node += 1) {
    servers.push(await OwnServer.make({ ...options, settings }));
  }
  const [coordinator = "", ...workers] = servers.map(({ adminUrl }) => adminUrl);
  await joinCluster(queryAs, coordinator, workers);
  return servers;
}

function own(servers: readonly OwnServer[], node?: number): readonly OwnServer[] {
  if (servers.length === 0) throw new Error("this server is not the test's to stop");
  return node === undefined ? servers : servers.slice(node, node + 1);
}

class OwnServer {
  readonly adminUrl: string;
  readonly #folder: string;
  readonly #binaries: Binaries;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #diskMebibytes: number | undefined;
  #child: ChildProcess | undefined;

  static async make({
    settings = {},
    durable = false,
    diskMebibytes,
    programs,
    keepInitialFiles,
  }: ServerOptions): Promise<OwnServer> {
    const folder = makeTempFolder();
    const binaries = await findBinaries(folder, programs);
    const port = await findFreePort();
    const { uid, gid } = binaries.runAs;
    chmodSync(folder, 0o711);
    mkdirSync(join(folder, "data"), { mode: 0o700 });
    if (uid !== undefined && gid !== undefined) chownSync(join(folder, "data"), uid, gid);
    const settingsOfOwn = {
      port: `${port}`,
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      fsync: durable ? "on" : "off",
      ...settings,
    };
    const server = new OwnServer(folder, { binaries, settings: settingsOfOwn, diskMebibytes });
    await server.#initialise(programs === undefined ? process.env[initialFiles] : undefined);
    if (keepInitialFiles !== undefined) await copyFiles(join(folder, "data"), keepInitialFiles);
    await server.start();
    return server;
  }

  private constructor(
    folder: string,
    parts: {
      readonly binaries: Binaries;
      readonly settings: Readonly<Record<string, string>>;
      readonly diskMebibytes: number | undefined;
    },
  ) {
    const { binaries, settings, diskMebibytes } = parts;
    this.#folder = folder;
    this.#binaries = binaries;
    this.#settings = settings;
    this.#diskMebibytes = diskMebibytes;
    this.adminUrl = `postgres://postgres@127.0.0.1:${settings["port"] ?? ""}/postgres`;
    process.on("exit", this.#killAll);
  }

  /** `initial`: a copy of the files of initdb, of the same version. */
  async #initialise(initial: string | undefined): Promise<void> {
    const { initdb, runAs } = this.#binaries;
    const data = join(this.#folder, "data");
    if (initial !== undefined) return await copyFiles(`${initial}/.`, data);
    const options = ["--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"];
    await run(initdb, ["-D", data, "-U", "postgres", ...options], { ...runAs, cwd: "/" });
  }

  async start(): Promise<void> {
    if (this.#isRunning()) return;
    const { postgres, runAs } = this.#binaries;
    const settings = Object.entries(this.#settings).flatMap(([name, value]) => [
      "-c",
      `${name}=${value}`,
    ]);
    const words = [postgres, "-D", join(this.#folder, "data"), ...settings];
    const isOnOwnDisk = this.#diskMebibytes !== undefined;
    const [program = "", ...rest] = isOnOwnDisk ? this.#onOwnDisk(words) : words;
    const child = spawn(program, rest, {
      ...(isOnOwnDisk ? {} : runAs),
      cwd: "/",
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child = child;
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-5_000)));
    await waitFor("PostgreSQL to answer", async () => {
      if (child.exitCode !== null) {
        // The processes of a server that was killed take a moment to end.
        if (said.includes("is still in use")) return (await this.start(), true);
        throw new Error(`PostgreSQL did not start:\n${said}`);
      }
      return (await queryAs(this.adminUrl, "SELECT 1").catch(() => undefined)) && true;
    });
  }

  /** The files of initdb are copied to the disk, which exists as long as the server runs. */
  #onOwnDisk(words: readonly string[]): readonly string[] {
    const { uid, gid } = this.#binaries.runAs;
    const [disk, data] = [join(this.#folder, "disk"), join(this.#folder, "data")];
    mkdirSync(disk, { recursive: true });
    const copy = `cp -a "$0/." "$1" && mount --bind "$1" "$0" && shift && exec "$@"`;
    const as = ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
    const onDisk = onSmallDisk(disk, { mebibytes: this.#diskMebibytes ?? 0 });
    return [...onDisk, "sh", "-c", copy, data, disk, ...as, ...words];
  }

  fillDisk(): () => void {
    return fillDisk(this.#child?.pid, join(this.#folder, "disk"));
  }

  async startAsReplica(): Promise<void> {
    writeFileSync(join(this.#folder, "data", "standby.signal"), "", { mode: 0o644 });
    await this.start();
  }

  async stop(how: "fast" | "kill" = "fast"): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.#isRunning()) return;
    const ended = once(child, "exit");
    if (how === "fast") child.kill("SIGINT");
    else this.#killAll();
    await ended;
  }

  async remove(): Promise<void> {
    await this.stop("kill");
    process.off("exit", this.#killAll);
    removeFolder(this.#folder);
  }

  #isRunning(): boolean {
    const { exitCode = 0, signalCode = null } = this.#child ?? {};
    return exitCode === null && signalCode === null;
  }

  /**
   * The server first, so that it restarts none of them. Each process that it started is in its own
   * process group.
   */
  readonly #killAll = (): void => {
    const { pid, exitCode = null, signalCode = null } = this.#child ?? {};
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const children = childPids(pid);
    for (const one of [pid, ...children]) {
      try {
        process.kill(one, "SIGKILL");
      } catch {
        // It ended without being stopped.
      }
    }
  };
}

/** With their owner, which is another user where this one is root. */
async function copyFiles(from: string, to: string): Promise<void> {
  await run("cp", ["-a", from, to]);
}

export async function queryAs(url: string, sql: string): ReturnType<PostgresServer["query"]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

export function urlOf(
  url: string,
  parts: { readonly user?: string; readonly password?: string; readonly database?: string },
): string {
  const changed = new URL(url);
  if (parts.user !== undefined) changed.username = parts.user;
  if (parts.password !== undefined) changed.password = parts.password;
  if (parts.database !== undefined) changed.pathname = `/${parts.database}`;
  return changed.href;
}

/** The URL of a superuser in the database of another URL. */
export function withDatabase(adminUrl: string, url: string | undefined): string {
  return url === undefined
    ? adminUrl
    : urlOf(adminUrl, { database: new URL(url).pathname.slice(1) });
}

/**
 * Not one of those that the system assigns to outgoing connections: while the server is away,
 * another connection could get the server's port, or a client could even be connected to itself.
 */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(10_000, 32_000);
    if (await isFree(port)) return port;
  }
  throw new Error("no port is free");
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
