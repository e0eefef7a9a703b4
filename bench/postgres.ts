// `npm run bench -- postgres`: the cost of the write path on PostgreSQL. Sends single adds over 64 connections in
// turn to the product and to bare Fastify with one INSERT per request, on one durable server, and counts the
// statements per record. Sets no threshold for a figure; fails only if a request fails or a count is wrong.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type PostgresServer, startPostgres } from "../test/support/postgres/postgres-server.ts";
import { startServer } from "./child.ts";
import { type RoundOrder, type RoundReport, runRound } from "./load.ts";
import { cpuSecondsOf } from "./processor.ts";
import { startProductOn, type Subject } from "./subjects.ts";

type Contender = Pick<Subject, "server" | "token"> & {
  readonly name: string;
  readonly url: string;
  readonly countRows: string;
};

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
  },
});
const [rounds, seconds, connections] = [values.rounds, values.seconds, values.connections].map(
  Number,
) as [number, number, number];

const resetCounts = "SELECT pg_stat_statements_reset()";
const countStatements = `
  SELECT sum(calls)::float8 AS calls FROM pg_stat_statements
  JOIN pg_database ON pg_database.oid = dbid WHERE datname = `;

interface Measured extends RoundReport {
  readonly statements: number;
  readonly serverSeconds: number;
  readonly postgresSeconds: number;
}

interface Figures {
  readonly perSecond: number;
  readonly statementsPerRecord: number;
  /** Processor time of the server and of the processes of its connections. */
  readonly serverMicroseconds: number;
  readonly postgresMicroseconds: number;
  readonly p99Ms: number;
}

async function main(): Promise<void> {
  const postgres = await startPostgres({
    own: true,
    durable: true,
    settings: { shared_preload_libraries: "pg_stat_statements", max_wal_size: "4GB" },
  });
  const folder = await mkdtemp(join(tmpdir(), "sluice-bench-"));
  const contenders: Contender[] = [];
  try {
    await postgres.query("CREATE EXTENSION pg_stat_statements");
    contenders.push(await startFloor(postgres), await startProduct(postgres, folder));
    const [floor, product] = await measureInTurn(postgres, contenders);
    if (floor === undefined || product === undefined) throw new Error("nothing was measured");
    print([["floor", floor] as const, ["product", product] as const]);
    process.stdout.write(`product / floor: ${(product.perSecond / floor.perSecond).toFixed(2)}\n`);
  } finally {
    for (const { server } of contenders) await server.stop();
    await postgres.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

async function startFloor(postgres: PostgresServer): Promise<Contender> {
  const url = await postgres.makeDatabase();
  const server = await startServer([join(import.meta.dirname, "postgres-floor.ts"), url], {});
  const countRows = "SELECT count(*)::int AS rows FROM transaction";
  return { name: "floor", server, token: undefined, url, countRows };
}

async function startProduct(postgres: PostgresServer, folder: string): Promise<Contender> {
  const url = await postgres.makeDatabase();
  const { server, token } = await startProductOn(url, folder);
  const countRows = "SELECT count(*)::int AS rows FROM change";
  return { name: "product", server, token, url, countRows };
}

/** Round 0 warms up. The one that goes first changes from round to round. */
async function measureInTurn(
  postgres: PostgresServer,
  contenders: readonly Contender[],
): Promise<readonly Figures[]> {
  const measured = contenders.map(() => [] as Measured[]);
  const acknowledged = contenders.map(() => 0);
  for (let round = 0; round <= rounds; round += 1) {
    const order = [...contenders.entries()];
    if (round % 2 === 1) order.reverse();
    for (const [index, contender] of order) {
      await postgres.query(resetCounts);
      const before = [contender.server.cpuSeconds(), await backendSeconds(postgres, contender.url)];
      const report = await runRound(orderOf(contender, round));
      const after = [contender.server.cpuSeconds(), await backendSeconds(postgres, contender.url)];
      const [serverSeconds = 0, postgresSeconds = 0] = after.map((at, n) => at - (before[n] ?? 0));
      const statements = await statementsOf(postgres, contender.url);
      acknowledged[index] = (acknowledged[index] ?? 0) + report.rows;
      if (round > 0)
        measured[index]?.push({ ...report, statements, serverSeconds, postgresSeconds });
    }
  }
  for (const [index, { name, countRows, url }] of contenders.entries()) {
    const rows = (await postgres.query(countRows, url))[0]?.["rows"];
    if (rows !== acknowledged[index]) {
      throw new Error(
        `${name} acknowledged ${acknowledged[index]} records, and has ${String(rows)}`,
      );
    }
  }
  return measured.map(summarise);
}

async function backendSeconds(postgres: PostgresServer, url: string): Promise<number> {
  const name = new URL(url).pathname.slice(1);
  const rows = await postgres.query(`SELECT pid FROM pg_stat_activity WHERE datname = '${name}'`);
  return rows.reduce((sum, { pid }) => sum + cpuSecondsOf(Number(pid)), 0);
}

function orderOf({ server, token }: Contender, round: number): RoundOrder {
  const load = { operation: "add", ids: "ordered", connections, seconds } as const;
  return { ...load, port: server.port, token, round };
}

async function statementsOf(postgres: PostgresServer, url: string): Promise<number> {
  const name = new URL(url).pathname.slice(1);
  return Number((await postgres.query(`${countStatements}'${name}'`))[0]?.["calls"]);
}

/** The median of the rounds. */
function summarise(reports: readonly Measured[]): Figures {
  const median = (pick: (report: (typeof reports)[number]) => number) =>
    reports.map(pick).sort((one, other) => one - other)[Math.floor(reports.length / 2)] ??
    Number.NaN;
  return {
    perSecond: median((report) => report.rows / report.seconds),
    statementsPerRecord: median((report) => report.statements / report.rows),
    serverMicroseconds: median((report) => (report.serverSeconds * 1e6) / report.rows),
    postgresMicroseconds: median((report) => (report.postgresSeconds * 1e6) / report.rows),
    p99Ms: median((report) => report.p99Ms),
  };
}

function print(rows: readonly (readonly [string, Figures])[]): void {
  for (const [name, figures] of rows) {
    const { perSecond, statementsPerRecord, p99Ms } = figures;
    process.stdout.write(
      `${name.padEnd(8)} ${perSecond.toFixed(0).padStart(8)} records/s  ` +
        `${statementsPerRecord.toFixed(3)} statements/record  p99 ${p99Ms.toFixed(1)} ms  ` +
        `CPU of server ${figures.serverMicroseconds.toFixed(0)} µs/record, ` +
        `of PostgreSQL ${figures.postgresMicroseconds.toFixed(0)} µs/record\n`,
    );
  }
}

await main();
