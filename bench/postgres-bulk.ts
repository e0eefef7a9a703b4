// `npm run bench -- postgres-bulk`: lists of 100 over 64 connections, and a stream, into PostgreSQL, each beside a
// floor: one connection with `unnest` INSERTs of the same rows into one table. Floor and product take turns, on one
// durable server, each round on new databases. Sets no threshold for a figure; fails only if a request fails or a count
// is wrong.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { childPids } from "../test/support/child-pids.ts";
import { median } from "../test/support/median.ts";
import { readMemory } from "../test/support/process-memory.ts";
import { openConnection } from "./connection.ts";
import { writeInput } from "./import-input.ts";
import { sendStream } from "./import-run.ts";
import { cpuSecondsOf, reapedSeconds } from "./processor.ts";
import { startProduct, type Subject } from "./subjects.ts";
import { type MakeStore, type TemporaryStore, withTemporaryStores } from "./temporary-store.ts";

const listRows = 100;
const connections = 64;

interface Input {
  readonly file: string;
  readonly rows: number;
  /** How many rows one statement of the floor inserts. */
  readonly floorRows: number;
}

interface Target extends Pick<Subject, "server" | "token"> {
  readonly input: Input;
}

/** Resolves when all rows of the file are acknowledged. */
type Load = (target: Target) => Promise<void>;

const loads: Readonly<Record<string, Load>> = { lists: sendLists, stream: sendAll };

interface Figures {
  readonly rowsPerSecond: number;
  readonly programMicroseconds: number;
  readonly postgresMicroseconds: number;
  readonly walBytes: number;
  readonly statements: number;
  /** The memory of the server; NaN for the floor. */
  readonly peakMegabytes: number;
}

async function sendLists({ server, token, input }: Target): Promise<void> {
  const lines = readFileSync(input.file, "utf8").trim().split("\n");
  const head =
    `POST /v2/transactions/batch HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n` +
    "Content-Type: application/json\r\nContent-Length: ";
  let sent = 0;
  const run = async (): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const next = (): void => {
      if (sent >= lines.length) return resolve();
      const body = `[${lines.slice(sent, (sent += listRows)).join(",")}]`;
      connection.send(`${head}${body.length}\r\n\r\n${body}`);
    };
    const onFailure = (why: string) => reject(new Error(why));
    const connection = await openConnection(server.port, { onReply: next, onFailure });
    next();
    await promise.finally(() => connection.close());
  };
  await Promise.all(Array.from({ length: connections }, run));
}

async function sendAll({ server, token, input }: Target): Promise<void> {
  const summary = await sendStream(input.file, { port: server.port, token: token ?? "" });
  if (summary["write_count"] !== input.rows) throw new Error(JSON.stringify(summary));
}

/** `work` returns its seconds. */
async function measure(
  { store, input: { rows } }: Scene,
  { work, programSeconds }: { work: () => Promise<number>; programSeconds: () => number },
): Promise<Figures> {
  await store.execute("CHECKPOINT");
  const before = { program: programSeconds(), ...(await stateOf(store)) };
  const seconds = await work();
  const after = { program: programSeconds(), ...(await stateOf(store)) };
  const perRow = (name: keyof typeof before) => (after[name] - before[name]) / rows;
  return {
    rowsPerSecond: rows / seconds,
    programMicroseconds: perRow("program") * 1e6,
    postgresMicroseconds: perRow("postgres") * 1e6,
    walBytes: perRow("wal"),
    statements: perRow("statements"),
    peakMegabytes: Number.NaN,
  };
}

/** The processor time of the database is that of all its processes, also of those that have ended. */
async function stateOf(store: TemporaryStore) {
  const [row] = await store.query(`
    SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1) AS pid,
      pg_current_wal_insert_lsn() - '0/0' AS wal`);
  const pid = Number(row?.["pid"]);
  const running = [pid, ...childPids(pid)].map((one) => cpuSecondsOf(one) || 0);
  return {
    postgres: running.reduce((sum, seconds) => sum + seconds, reapedSeconds(pid)),
    wal: Number(row?.["wal"]),
    statements: (await store.use()).statements,
  };
}

interface Scene {
  readonly store: TemporaryStore;
  readonly load: Load;
  readonly input: Input;
}

function runFloor(scene: Scene): Promise<Figures> {
  const { store, input } = scene;
  const program = join(import.meta.dirname, "postgres-bulk-floor.ts");
  const words = [program, store.settings.DATABASE_URL, input.file, String(input.floorRows)];
  const work = async (): Promise<number> => {
    const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
    const [out] = await Promise.all([text(child.stdout), once(child, "close")]);
    const { rows, seconds } = JSON.parse(out) as { rows: number; seconds: number };
    if (rows !== input.rows) throw new Error(`the floor has inserted ${rows}`);
    return seconds;
  };
  return measure(scene, { work, programSeconds: reapedSeconds });
}

async function runProduct(scene: Scene): Promise<Figures> {
  const { store, load, input } = scene;
  const { server, token } = await startProduct(store);
  const work = async (): Promise<number> => {
    const startedAt = performance.now();
    await load({ server, token, input });
    return (performance.now() - startedAt) / 1_000;
  };
  try {
    const figures = await measure(scene, { work, programSeconds: () => server.cpuSeconds() });
    const [row] = await store.query("SELECT count(*)::int AS rows FROM change");
    if (row?.["rows"] !== input.rows) throw new Error(`the product has ${String(row?.["rows"])}`);
    const { peakBytes = Number.NaN } = readMemory(server.pid);
    return { ...figures, peakMegabytes: peakBytes / 1e6 };
  } finally {
    await server.stop();
  }
}

function render(name: string, figures: readonly Figures[]): string {
  const of = (pick: (one: Figures) => number, digits: number) =>
    median(figures.map(pick)).toFixed(digits).padStart(9);
  return [
    name.padEnd(16),
    of((one) => one.rowsPerSecond, 0),
    of((one) => one.programMicroseconds, 1),
    of((one) => one.postgresMicroseconds, 1),
    of((one) => one.walBytes, 0),
    of((one) => one.statements, 4),
    of((one) => one.peakMegabytes, 0),
  ].join(" | ");
}

interface Options {
  readonly input: Input;
  readonly rounds: number;
  readonly names: readonly string[];
}

async function compare(makeStore: MakeStore, { input, rounds, names }: Options): Promise<void> {
  for (const name of names) {
    const load = loads[name];
    if (load === undefined) throw new Error(`--loads must be of ${Object.keys(loads).join(", ")}`);
    const floor: Figures[] = [];
    const product: Figures[] = [];
    for (let round = 0; round < rounds; round += 1) {
      floor.push(await runFloor({ store: await makeStore(), load, input }));
      product.push(await runProduct({ store: await makeStore(), load, input }));
    }
    const ratios = product.map((one, at) => one.rowsPerSecond / (floor[at]?.rowsPerSecond ?? 0));
    process.stdout.write(`${render(`${name}, floor`, floor)}\n${render(name, product)}\n`);
    process.stdout.write(`${name}, to the floor: ${median(ratios).toFixed(2)}\n`);
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      rows: { type: "string", default: "200000" },
      rounds: { type: "string", default: "3" },
      "floor-rows": { type: "string", default: String(listRows) },
      loads: { type: "string", default: Object.keys(loads).join(",") },
    },
  });
  const folder = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  try {
    const [rows, floorRows] = [values.rows, values["floor-rows"]].map(Number) as [number, number];
    const input = { file: join(folder, "rows.ndjson"), rows, floorRows };
    const files = { csv: join(folder, "rows.csv"), ndjson: input.file };
    writeInput(files, { rows, seed: 1 });
    process.stdout.write(
      `${rows} rows, the floor inserts ${floorRows} at once, medians of ${values.rounds} rounds, ${availableParallelism()} cores that all processes share\n` +
        "what             |    rows/s | server µs | PostgreSQL µs | WAL bytes | statements, each for a row | peak MB\n",
    );
    const options = { input, rounds: Number(values.rounds), names: values.loads.split(",") };
    await withTemporaryStores("postgres", (makeStore) => compare(makeStore, options));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
