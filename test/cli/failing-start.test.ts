// A start that fails, however late, ends: `sluice serve` says why and exits with a non-zero status.
// Whatever it had opened by then (connections, threads, timers, loops) must not keep the process
// alive, so each case waits for its end.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it, type TestContext } from "node:test";
import { readServiceRole } from "../support/guide-sql.ts";
import {
  password,
  type PostgresServer,
  startPostgres,
  urlOf,
} from "../support/postgres/postgres-server.ts";
import { testEnvironment } from "../support/service.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import { runProgram } from "./program.ts";
import { openTestStore } from "../support/test-store.ts";

type Environment = Readonly<Record<string, string>>;

function makeFolder(test: TestContext): string {
  const folder = makeTempFolder();
  test.after(() => removeFolder(folder));
  return folder;
}

/** Waits for the end of the process, for as long as the test runner allows. */
async function requireEnded(environment: Environment, words: RegExp): Promise<void> {
  const { code, out, err } = await runProgram(["serve"], environment);
  assert.equal(code, 1, err);
  assert.equal(out, "");
  assert.match(err, words);
}

async function takePort(test: TestContext): Promise<string> {
  const server = createServer();
  test.after(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return String(typeof address === "object" ? address?.port : "");
}

/** Before the ledger of deletions is opened it has no entry and no file. */
async function readStoreId(url: string): Promise<string> {
  const store = await openTestStore(url, { role: "command" });
  const { storeId } = await store.receiptHead();
  await store.close();
  return storeId;
}

type Cases = Readonly<
  Record<string, (test: TestContext, environment: Environment) => Promise<[Environment, RegExp]>>
>;

const onEachEngine: Cases = {
  "its port is taken": async (test) => [{ PORT: await takePort(test) }, /the port is in use/],
  "its ledger of deletions can't be read": async (_test, { DATABASE_URL = "", DATA_DIR = "" }) => {
    const storeId = await readStoreId(DATABASE_URL);
    mkdirSync(join(DATA_DIR, `deletion-ledger-${storeId}.ndjson`));
    return [{}, /The ledger of deletions \S+ can't be opened: it is a folder, not a file/];
  },
};

/** With the same things open as in those above. */
const onSqlite: Cases = {
  ...onEachEngine,
  "its address is no address of this machine": async () => [{ HOST: "192.0.2.1" }, /Can't listen/],
  "the key of its receipts is no key": async (_test, { DATA_DIR = "" }) => {
    writeFileSync(join(DATA_DIR, "broken.pem"), "no key", { mode: 0o600 });
    return [{ RECEIPT_KEY_FILE: join(DATA_DIR, "broken.pem") }, /broken\.pem/];
  },
};

describe("a start on SQLite ends", () => {
  for (const [why, prepare] of Object.entries(onSqlite)) {
    it(`when ${why}`, async (test) => {
      const environment = testEnvironment(makeFolder(test));
      const [more, words] = await prepare(test, environment);
      await requireEnded({ ...environment, ...more }, words);
    });
  }

  it("and leaves no store when the key of its receipts is missing", async (test) => {
    const environment = testEnvironment(makeFolder(test));
    const folder = environment["DATA_DIR"] ?? "";
    const RECEIPT_KEY_FILE = join(folder, "none.pem");
    await requireEnded({ ...environment, RECEIPT_KEY_FILE }, /none\.pem/);
    assert.equal(existsSync(join(folder, "sluice.db")), false);
  });

  for (const [table, sql] of [
    ["the chain of receipts", "DELETE FROM receipt_head"],
    ["the version of the credentials", "DELETE FROM meta WHERE name = 'credentials_version'"],
  ] as const) {
    it(`when ${table} is missing in the store`, async (test) => {
      const environment = testEnvironment(makeFolder(test));
      const url = environment["DATABASE_URL"] ?? "";
      await readStoreId(url);
      const database = new DatabaseSync(url.replace("sqlite:", ""));
      database.exec(sql);
      database.close();
      await requireEnded(environment, /^sluice: /);
    });
  }

  it("when the folder of the store disappears just after it was opened", async (test) => {
    const folder = makeFolder(test);
    const environment = testEnvironment(join(folder, "data"));
    await readStoreId(environment["DATABASE_URL"] ?? "");
    renameSync(join(folder, "data"), join(folder, "moved"));
    writeFileSync(join(folder, "data"), "a file where the folder was");
    await requireEnded(environment, /^sluice: /);
  });
});

describe("a start on PostgreSQL ends", () => {
  let server: PostgresServer;
  let owned: string;
  before(async () => {
    server = await startPostgres();
    owned = await server.makeDatabase();
    await (await openTestStore(owned, { role: "command" })).close();
  });
  after(async () => {
    await server.dropDatabase(owned);
    await server.remove();
  });

  for (const [why, prepare] of Object.entries(onEachEngine)) {
    it(`when ${why}`, async (test) => {
      const environment = { ...testEnvironment(makeFolder(test)), DATABASE_URL: owned };
      const [more, words] = await prepare(test, environment);
      await requireEnded({ ...environment, ...more }, words);
    });
  }

  it("when its role lacks a right", async (test) => {
    const role = `sluice_half_${process.pid}`;
    await server.query(readServiceRole(role, new URL(owned).pathname.slice(1)), owned);
    await server.query(`REVOKE INSERT ON receipt_key FROM ${role}`, owned);
    test.after(() => server.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`, owned));
    const environment = {
      ...testEnvironment(makeFolder(test)),
      DATABASE_URL: urlOf(owned, { user: role, password }),
    };
    await requireEnded(environment, new RegExp(`GRANT INSERT ON receipt_key TO ${role};`));
  });
});
