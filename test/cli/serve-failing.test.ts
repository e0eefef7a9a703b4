// A start of a server that fails, however late: it says why, and leaves nothing open of what it had opened by then
// (connections, threads, timers, loops). Many are made in one process, which has to end.

import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { DatabaseSync } from "node:sqlite";
import { testEnvironment } from "../support/service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import type { Outcome } from "./command-line.ts";
import { startProcess } from "./program.ts";
import { readServiceRole } from "../support/guide-sql.ts";
import {
  password,
  type PostgresServer,
  startPostgres,
  urlOf,
} from "../support/postgres/postgres-server.ts";
import { openTestStore } from "../support/test-store.ts";

type Environment = Readonly<Record<string, string>>;

/** Before the ledger of deletions is opened it has no entry and no file. */
async function readStoreId(url: string): Promise<string> {
  const store = await openTestStore(url, { role: "command" });
  const { storeId } = await store.receiptHead();
  await store.close();
  return storeId;
}

/** Makes what prevents the start; returns what the environment has in addition, and what `serve` says. */
type Prepare = (environment: Environment) => Promise<readonly [Environment, RegExp]>;

async function removeFromStore(environment: Environment, sql: string) {
  const url = environment["DATABASE_URL"] ?? "";
  await readStoreId(url);
  const database = new DatabaseSync(url.replace("sqlite:", ""));
  database.exec(sql);
  database.close();
  return [{}, /^sluice: /] as const;
}

const listening = createServer();
const role = `sluice_half_${process.pid}`;

type Cases = Readonly<Record<string, Prepare>>;

const onEachEngine: Cases = {
  "its port is taken": async () => {
    const address = listening.address();
    const port = String(typeof address === "object" ? address?.port : "");
    return [{ PORT: port }, /the port is in use/];
  },
  "its ledger of deletions can't be read": async ({ DATABASE_URL = "", DATA_DIR = "" }) => {
    mkdirSync(join(DATA_DIR, `deletion-ledger-${await readStoreId(DATABASE_URL)}.ndjson`));
    return [{}, /The ledger of deletions \S+ can't be opened: it is a folder, not a file/];
  },
};

const withoutStore: Cases = {
  "the key of its receipts is missing": async () => [
    { RECEIPT_KEY_FILE: "/none.pem" },
    /none\.pem/,
  ],
  "its address is no address of this machine": async () => [{ HOST: "192.0.2.1" }, /Can't listen/],
};

const onSqlite: Cases = {
  ...onEachEngine,
  ...withoutStore,
  "the key of its receipts is no key": async ({ DATA_DIR = "" }) => {
    writeFileSync(join(DATA_DIR, "broken.pem"), "no key", { mode: 0o600 });
    return [{ RECEIPT_KEY_FILE: join(DATA_DIR, "broken.pem") }, /broken\.pem/];
  },
  "the chain of receipts is missing in the store": (environment) =>
    removeFromStore(environment, "DELETE FROM receipt_head"),
  "the version of the credentials is missing in the store": (environment) =>
    removeFromStore(environment, "DELETE FROM meta WHERE name = 'credentials_version'"),
  "the folder of the store disappears just after it was opened": async ({ DATA_DIR = "" }) => {
    const data = join(DATA_DIR, "data");
    const more = { DATA_DIR: data, DATABASE_URL: `sqlite:${data}/sluice.db` };
    await readStoreId(more.DATABASE_URL);
    renameSync(data, join(DATA_DIR, "moved"));
    writeFileSync(data, "a file where the folder was");
    return [more, /^sluice: /];
  },
};

const onPostgres = (postgres: () => PostgresServer): Cases => ({
  ...onEachEngine,
  "its role lacks a right": async ({ DATABASE_URL: owned = "" }) => {
    const server = postgres();
    await server.query(readServiceRole(role, new URL(owned).pathname.slice(1)), owned);
    await server.query(`REVOKE INSERT ON receipt_key FROM ${role}`, owned);
    const more = { DATABASE_URL: urlOf(owned, { user: role, password }) };
    return [more, new RegExp(`GRANT INSERT ON receipt_key TO ${role};`)];
  },
});

interface Start {
  readonly environment: Environment;
  readonly words: RegExp;
}

/** One after another, in one process, which has to end. */
async function startAll(starts: readonly Start[]): Promise<readonly Outcome[]> {
  const environments = JSON.stringify(starts.map(({ environment }) => environment));
  const program = join(import.meta.dirname, "serve-failing.ts");
  const { code, out, err } = await startProcess([process.execPath, program, environments], {})
    .ended;
  assert.equal(code, 0, err);
  return JSON.parse(out) as readonly Outcome[];
}

describe("a start that fails leaves nothing open", () => {
  let postgres: PostgresServer;
  let owned: string;
  const groups = { SQLite: onSqlite, PostgreSQL: onPostgres(() => postgres) };
  const names = Object.entries(groups).flatMap(([engine, cases]) =>
    Object.entries(cases).map(([why, prepare]) => ({ engine, why, prepare })),
  );
  const starts: Start[] = [];
  let outcomes: readonly Outcome[];

  before(async () => {
    listening.listen(0, "127.0.0.1");
    await once(listening, "listening");
    postgres = await startPostgres();
    owned = await postgres.makeDatabase();
    await readStoreId(owned);
    for (const { engine, prepare } of names) {
      const own = engine === "PostgreSQL" ? { DATABASE_URL: owned } : {};
      const environment = testEnvironment(makeTempFolder(), own);
      const [more, words] = await prepare(environment);
      starts.push({ words, environment: { ...environment, ...more } });
    }
    outcomes = await startAll(starts);
  });

  after(async () => {
    listening.close();
    await postgres.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`, owned);
    await postgres.dropDatabase(owned);
    await postgres.remove();
  });

  for (const [index, { engine, why }] of names.entries()) {
    it(`when ${why}, on ${engine}`, () => {
      const { environment, words } = starts[index] ?? assert.fail();
      const { code, out, err } = outcomes[index] ?? assert.fail();
      assert.deepEqual([code, out], [1, ""], err);
      assert.match(err, words);
      if (why in withoutStore)
        assert.equal(existsSync(join(environment["DATA_DIR"] ?? "", "sluice.db")), false);
    });
  }
});
