// Canaries on PostgreSQL: when the deletions are completed, no statement finds one in what was
// erased; after the steps that docs/reference/what-we-erase.md tells the operator to take, no file
// of the tables and no WAL contains one.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { erasedTables } from "../../src/store/postgres/erase/vacuum.ts";
import { endOffset } from "../support/end-offset.ts";
import { readOverwriting } from "../support/guide-sql.ts";
import { databaseFolder, readDataFiles, walFolder } from "../support/postgres/data-files.ts";
import { startPostgres } from "../support/postgres/postgres-server.ts";
import { startServer } from "../support/server.ts";
import { findWord, goes, stays } from "./canary.ts";
import { purgeAll, samples } from "../feature/samples.ts";
import { playCanaries, requireKept } from "./canary-scene.ts";
import { storeParts } from "../../src/feature/parts.ts";

// With the default settings of PostgreSQL.
const postgres = await startPostgres({ own: true, durable: true });
// Until an operator cleans up, so that each state before can be checked.
await setAutovacuum("off");
const url = await postgres.makeDatabase();
const server = await startServer({ environment: { DATABASE_URL: url } });
const scene = await playCanaries(server, 12, { recipient: "copies" });
// When the last deletion was completed, and then when the recipient had acknowledged it.
const toldBySql = await findBySql(goes);
const isTold = samples.some((one) => one.isTold === true);
if (isTold) await acknowledgeAll();
const foundBySql = await findBySql(goes);
await scene.stopWriting();
after(async () => {
  await server.stop();
  await postgres.remove();
});

/** What the recipient has acknowledged then ends as it does within a minute. */
async function acknowledgeAll(): Promise<void> {
  const { token } = scene.customer;
  const offset = await server.operate((app) => endOffset(app, scene.customer));
  const body = { name: "copies", offset };
  const path = "/v2/recipient_acknowledgement";
  const { status } = await server.client.send({ method: "POST", path, token, body });
  assert.equal(status, 200);
  await server.operate(purgeAll);
}

async function setAutovacuum(value: "off" | "DEFAULT"): Promise<void> {
  await postgres.query(`ALTER SYSTEM SET autovacuum = ${value}`);
  await postgres.query("SELECT pg_reload_conf()");
}

/**
 * Where a statement finds the word: in any column of any table, as text, and in the planner's
 * statistics.
 */
async function findBySql(word: string): Promise<Readonly<Record<string, number>>> {
  const tables = await postgres.query(
    "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'",
    url,
  );
  assert.ok(tables.length > 10);
  const names = [...tables.map(({ relname }) => String(relname)), "pg_stats"];
  const found: Record<string, number> = {};
  for (const name of names) {
    const [row] = await postgres.query(
      `SELECT count(*)::int AS rows FROM ${name} AS one WHERE one::text LIKE '%${word}%'`,
      url,
    );
    if (row?.["rows"] !== 0) found[name] = Number(row?.["rows"]);
  }
  return found;
}

/** In the bytes of all files of the database, or of the WAL. */
async function findInFiles(folder: string, word: string): Promise<readonly string[]> {
  const files = [...(await readDataFiles(postgres, folder))];
  assert.ok(files.length > 0);
  return files.flatMap(([name, bytes]) => {
    const forms = Object.keys(findWord(bytes, word));
    return forms.length === 0 ? [] : [`${name}: ${forms.join()}`];
  });
}

describe("canaries in erased records, on PostgreSQL", () => {
  it(
    "are found only in what recipients are told, until these have acknowledged it",
    { skip: !isTold },
    () => assert.deepEqual(Object.keys(toldBySql), ["erasure_notice"]),
  );

  it("are found by no statement when the deletions are completed", () => {
    assert.deepEqual(foundBySql, {});
  });

  it("are still in pages and in the WAL then", async () => {
    await postgres.query("CHECKPOINT", url);
    assert.ok((await findInFiles(await databaseFolder(postgres, url), goes)).length > 0);
    assert.ok((await findInFiles(walFolder, goes)).length > 0);
  });

  it("are still there in unused bytes once they are vacuumed", async () => {
    await postgres.query(`VACUUM ${erasedTables(storeParts).join(", ")}`, url);
    await postgres.query("CHECKPOINT", url);
    assert.ok((await findInFiles(await databaseFolder(postgres, url), goes)).length > 0);
  });

  it("are in no file after the operator's clean-up, nor in the WAL", async () => {
    await setAutovacuum("DEFAULT");
    const statements = readOverwriting();
    assert.match(
      statements[0] ?? "",
      new RegExp(`^VACUUM FULL ${erasedTables(storeParts).join(", ")}$`),
    );
    for (const statement of statements) await postgres.query(statement, url);
    assert.deepEqual(await findInFiles(await databaseFolder(postgres, url), goes), []);
    assert.deepEqual(await findInFiles(walFolder, goes), []);
  });

  it("are all unchanged in the records that stay", async () => {
    await server.operate(({ store }) => requireKept(store, scene));
    assert.ok(((await findBySql(stays))["change"] ?? 0) > scene.kept.length);
  });
});
