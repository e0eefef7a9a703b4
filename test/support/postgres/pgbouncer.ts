// PgBouncer in transaction mode in front of a PostgreSQL server, in a temporary folder on a free port.
// SLUICE_TEST_PGBOUNCER names a program that is not on the path.

import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeTempFolder, removeFolder } from "../temp-folder.ts";
import { waitFor } from "../wait-for.ts";
import { findFreePort, ownerName, password, queryAs } from "./postgres-server.ts";
import { makeProgram } from "../program.ts";
import { runAsOther } from "./postgres-binaries.ts";

const program = process.env["SLUICE_TEST_PGBOUNCER"] ?? "pgbouncer";

export interface PgBouncer {
  /** The same database, role and password through the pooler. */
  through(url: string): string;
  start(): Promise<void>;
  kill(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  remove(): Promise<void>;
}

/** Why a test with it is skipped; false if it can run. */
export function lacksPgBouncer(need: { readonly prepared: boolean }): string | false {
  const version = findVersion();
  if (version === undefined) return "pgbouncer is not installed";
  return need.prepared && !canKeepPrepared(version)
    ? `pgbouncer ${version.join(".")} does not keep prepared statements`
    : false;
}

function canKeepPrepared([major = 0, minor = 0]: readonly number[]): boolean {
  return major > 1 || minor >= 21;
}

function findVersion(): readonly number[] | undefined {
  try {
    const said = execFileSync(program, ["--version"], { encoding: "utf8" });
    return /PgBouncer (\d+)\.(\d+)/.exec(said)?.slice(1).map(Number);
  } catch {
    return undefined;
  }
}

/** `serverConnections` for each database: fewer than clients have, so that these take turns. */
export async function startPgBouncer(
  adminUrl: string,
  options: {
    readonly prepared: boolean;
    readonly serverConnections: number;
    /** More lines of its file. */
    readonly settings?: Readonly<Record<string, number>>;
  },
): Promise<PgBouncer> {
  const folder = makeTempFolder();
  const port = await findFreePort();
  const { hostname, port: serverPort } = new URL(adminUrl);
  const settings = {
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    pool_mode: "transaction",
    server_round_robin: 1,
    default_pool_size: options.serverConnections,
    max_client_conn: 1_000,
    auth_type: "plain",
    auth_file: join(folder, "users"),
    admin_users: "postgres",
    ...(canKeepPrepared(findVersion() ?? [])
      ? { max_prepared_statements: options.prepared ? 200 : 0 }
      : {}),
    ...options.settings,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const file = join(folder, "pgbouncer.ini");
  const databases = `[databases]\n* = host=${hostname} port=${serverPort}\n`;
  writeFileSync(file, `${databases}[pgbouncer]\n${lines.join("\n")}\n`);
  writeFileSync(join(folder, "users"), `"${ownerName}" "${password}"\n"postgres" ""\n`);
  chmodSync(folder, 0o755);
  const running = makeProgram([program, file], { runAs: runAsOther() });
  const pooled = (url: string): string => {
    const changed = new URL(url);
    changed.host = `127.0.0.1:${port}`;
    return changed.href;
  };
  const start = async (): Promise<void> => {
    running.start();
    await waitFor("PgBouncer to answer", async () => {
      const own = `postgres://${ownerName}:${password}@127.0.0.1:${port}/postgres`;
      return (await queryAs(own, "SELECT 1").catch(() => undefined)) && true;
    }).catch((error: unknown) => {
      throw new Error(`PgBouncer did not start:\n${running.said()}`, { cause: error });
    });
  };
  await start();
  return {
    through: pooled,
    start,
    kill: () => running.kill(),
    signal: (signal) => running.signal(signal),
    remove: async () => {
      await running.kill();
      removeFolder(folder);
    },
  };
}
