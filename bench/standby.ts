// `npm run bench -- standby`: what a synchronous standby costs. Rounds with and without one alternate, on one primary;
// the standby is on the same machine, so no round trip of a network is part of it. Sets no threshold for a figure.

import { execFileSync } from "node:child_process";
import { chownSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { median } from "../test/support/median.ts";
import { findBinaries } from "../test/support/postgres/postgres-binaries.ts";
import { findFreePort, urlOf } from "../test/support/postgres/postgres-server.ts";
import { makeProgram } from "../test/support/program.ts";
import { makeTempFolder } from "../test/support/temp-folder.ts";
import { waitFor } from "../test/support/wait-for.ts";
import { startGenerator } from "./generator.ts";
import type { RoundReport } from "./load.ts";
import { startProduct } from "./subjects.ts";
import { type TemporaryStore, withTemporaryStores } from "./temporary-store.ts";

const usage = `usage: npm run bench -- standby [options]
  --rounds N    measured rounds of each kind (7)
  --seconds S   length of a round (4)
`;

const loads = [
  { operation: "add", connections: 1 },
  { operation: "add", connections: 64 },
  { operation: "batch", connections: 64 },
] as const;

async function main(): Promise<void> {
  const options = {
    rounds: { type: "string", default: "7" },
    seconds: { type: "string", default: "4" },
  } as const;
  const { values } = parseArgs({ options });
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
  if (!(rounds > 0 && seconds > 0)) throw new Error(usage);
  await withTemporaryStores("postgres", async (makeStore) => {
    const store = await makeStore();
    const { server, token } = await startProduct(store);
    const standby = await makeStandby(store);
    const generator = startGenerator();
    const common = { port: server.port, token, ids: "ordered", seconds } as const;
    process.stdout.write(
      `Medians of ${rounds} rounds of ${seconds} s.\n\n| load | standby | records/s | p50 ms | p99 ms |\n|---|---|---|---|---|\n`,
    );
    let round = 0;
    for (const load of loads) {
      const reports = { none: [] as RoundReport[], synchronous: [] as RoundReport[] };
      // The first round of each kind warms up.
      for (let count = 0; count <= rounds; count += 1) {
        for (const kind of ["none", "synchronous"] as const) {
          await (kind === "none" ? standby.end() : standby.follow());
          const report = await generator.runRound({ ...common, ...load, round: (round += 1) });
          if (count > 0) reports[kind].push(report);
        }
      }
      for (const [kind, all] of Object.entries(reports)) {
        const rate = median(all.map(({ rows, seconds: took }) => rows / took)).toFixed(0);
        const times = [all.map(({ p50Ms }) => p50Ms), all.map(({ p99Ms }) => p99Ms)];
        const cells = [kind, rate, ...times.map((some) => median(some).toFixed(2))];
        process.stdout.write(`| ${load.operation}, ${load.connections} | ${cells.join(" | ")} |\n`);
      }
    }
    generator.stop();
    await standby.end();
    await server.stop();
  });
}

interface Standby {
  /** Starts it, and from then on every commit waits for it. */
  follow(): Promise<void>;
  end(): Promise<void>;
}

async function makeStandby({ settings, query, execute }: TemporaryStore): Promise<Standby> {
  const [found] = await query("SHOW data_directory");
  const data = String(found?.["data_directory"]);
  const url = urlOf(settings.DATABASE_URL, { user: "postgres", password: "" });
  const port = await findFreePort();
  const standby = await makeServer({ data: `${data}-standby`, port });
  // The label and the end of the backup belong to the session that began it.
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("SELECT pg_backup_start('standby', true)");
  execFileSync("cp", ["-a", data, standby.data]);
  const { rows } = await client.query<{ labelfile: string }>("SELECT * FROM pg_backup_stop(false)");
  await client.end();
  rmSync(join(standby.data, "postmaster.pid"));
  standby.write("backup_label", rows[0]?.labelfile ?? "");
  standby.write("standby.signal", "");
  standby.write("postgresql.auto.conf", `primary_conninfo = '${url.split("?")[0]}'`);
  const waitForStandby = async (name: string) => {
    await execute(`ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
    await execute("SELECT pg_reload_conf()");
  };
  const caughtUp =
    "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync' AND flush_lsn = pg_current_wal_lsn()";
  return {
    follow: async () => {
      standby.program.start();
      await waitForStandby("*");
      await waitFor("the standby to follow", async () => (await query(caughtUp)).length > 0);
    },
    end: async () => {
      await waitForStandby("");
      await standby.program.kill();
    },
  };
}

async function makeServer({ data, port }: { readonly data: string; readonly port: number }) {
  const { postgres, runAs } = await findBinaries(makeTempFolder());
  const words = ["-D", data, "-p", `${port}`, "-c", "listen_addresses=127.0.0.1"];
  const own = ["-c", "unix_socket_directories=", "-c", "max_wal_size=4GB"];
  const program = makeProgram([postgres, ...words, ...own], { runAs });
  const write = (name: string, text: string): void => {
    writeFileSync(join(data, name), text);
    const { uid, gid } = runAs;
    if (uid !== undefined && gid !== undefined) chownSync(join(data, name), uid, gid);
  };
  return { data, program, write };
}

await main();
