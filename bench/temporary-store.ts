// Empty stores in a temporary folder, on either engine, for benchmarks: the settings of a server on each of them, and
// what its database says about itself.

import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type PostgresServer, startPostgres } from "../test/support/postgres/postgres-server.ts";
import { cpuSecondsOf } from "./processor.ts";

export type Settings = Readonly<Record<string, string>>;
type Rows = readonly Readonly<Record<string, unknown>>[];

export interface TemporaryStore {
  readonly settings: Settings & Readonly<Record<"DATABASE_URL", string>>;
  /** Reads rows with a statement of its own connection. */
  readonly query: (sql: string) => Promise<Rows>;
  /** Executes statements that return nothing. */
  readonly execute: (sql: string) => Promise<void>;
  /**
   * The processor time that the processes of the database have used for this store so far. On SQLite there are none.
   */
  readonly use: () => Promise<DatabaseUse>;
  /** A number that changes while a checkpoint writes to the database. */
  readonly checkpointMark: () => Promise<number>;
}

export interface DatabaseUse {
  readonly cpuSeconds: number;
  readonly statements: number;
  /** Pages that its statements have read, from memory or not. */
  readonly pages: number;
}

export type MakeStore = () => Promise<TemporaryStore>;

/** `engine`: sqlite or postgres, with settings of the latter. Removes everything at the end. */
export async function withTemporaryStores<Result>(
  engine: string,
  measure: (makeStore: MakeStore) => Promise<Result>,
  more: Settings = {},
): Promise<Result> {
  if (!["sqlite", "postgres"].includes(engine)) throw new Error("--engine is sqlite or postgres");
  await using opened = new AsyncDisposableStack();
  const parent = mkdtempSync(join(tmpdir(), "sluice-bench-"));
  opened.defer(() => rmSync(parent, { recursive: true, force: true }));
  let made = 0;
  const makeFolder = () => {
    made += 1;
    const folder = join(parent, `store-${made}`);
    mkdirSync(folder);
    return folder;
  };
  if (engine === "sqlite") return await measure(() => Promise.resolve(onSqlite(makeFolder())));
  const settings = { shared_preload_libraries: "pg_stat_statements", max_wal_size: "4GB", ...more };
  const server = await startPostgres({ own: true, durable: true, settings });
  opened.defer(() => server.remove());
  await server.query("CREATE EXTENSION pg_stat_statements");
  return await measure(() => onPostgres(server, makeFolder()));
}

/** The same for a benchmark that needs one store and only its settings. */
export function onTemporaryStore(
  engine: string,
  measure: (settings: Settings) => Promise<void>,
): Promise<void> {
  return withTemporaryStores(engine, async (makeStore) => measure((await makeStore()).settings));
}

function onSqlite(folder: string): TemporaryStore {
  const file = join(folder, "sluice.db");
  function open<Result>(work: (database: DatabaseSync) => Result): Promise<Result> {
    const database = new DatabaseSync(file);
    try {
      return Promise.resolve(work(database));
    } finally {
      database.close();
    }
  }
  return {
    settings: settingsOf(`sqlite:${file}`, folder),
    query: (sql) => open((database) => database.prepare(sql).all()),
    execute: (sql) => open((database) => database.exec(sql)),
    use: () => Promise.resolve({ cpuSeconds: 0, statements: 0, pages: 0 }),
    // With a WAL, nothing else writes to the file.
    checkpointMark: () => Promise.resolve(statSync(file).mtimeMs),
  };
}

async function onPostgres(server: PostgresServer, folder: string): Promise<TemporaryStore> {
  const url = await server.makeDatabase();
  const name = new URL(url).pathname.slice(1);
  const processes = `SELECT pid FROM pg_stat_activity WHERE datname = '${name}'`;
  const statements = `SELECT coalesce(sum(calls), 0)::float8 AS calls,
      coalesce(sum(shared_blks_hit + shared_blks_read), 0)::float8 AS pages FROM pg_stat_statements
    JOIN pg_database ON pg_database.oid = dbid WHERE datname = '${name}'`;
  return {
    settings: settingsOf(url, folder),
    query: (sql) => server.query(sql, url),
    execute: async (sql) => void (await server.query(sql, url)),
    checkpointMark: async () => {
      const [row] = await server.query("SELECT buffers_written FROM pg_stat_checkpointer");
      return Number(row?.["buffers_written"]);
    },
    use: async () => {
      const [calls] = await server.query(statements);
      const pids = (await server.query(processes)).map(({ pid }) => cpuSecondsOf(Number(pid)));
      const cpuSeconds = pids.reduce((sum, seconds) => sum + seconds, 0);
      return { cpuSeconds, statements: Number(calls?.["calls"]), pages: Number(calls?.["pages"]) };
    },
  };
}

export function settingsOf(databaseUrl: string, folder: string): TemporaryStore["settings"] {
  return {
    HOST: "127.0.0.1",
    PORT: "0",
    DATABASE_URL: databaseUrl,
    DATA_DIR: folder,
    NODE_ENV: "production",
    LOG_LEVEL: "info",
    // Rate limits apply and are reported in every reply, but are high enough to refuse nothing.
    RATE_LIMIT_PER_SECOND: "10000000",
  };
}
