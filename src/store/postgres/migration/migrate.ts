// Makes the tables of a new store from schema.sql, and migrates the schema of an existing one to this version, one
// numbered migration after another, all in one transaction. Never touches a newer store, or a database that is not a
// store.

import { setTimeout as sleep } from "node:timers/promises";
import {
  type ConnectionSettings,
  defaultConnections,
} from "../../interface/connection-settings.ts";
import { StoreError } from "../../interface/store-error.ts";
import { baselineVersion, refuseSchema, versionIn } from "../../shared/schema-version.ts";
import { published, readVersion } from "../../sql/migrations.ts";
import { schemaText, statementsOf } from "../../sql/schema-text.ts";
import { rebuilding } from "../../sql/statement/visibility.ts";
import { setLocal } from "../begin.ts";
import { distribute, findDistributed, hasCitus, isDistributed } from "../citus.ts";
import type { Database } from "../database.ts";
import { hasState, insufficientPrivilege, lockNotAvailable } from "../failure.ts";
import type { Transaction } from "../transaction.ts";
import { requireCreation } from "./find-schema.ts";
import { secureTables } from "./row-security.ts";
import { keepOutOfStatistics, keepShardsOutOfStatistics } from "./statistics.ts";
import { sluice } from "../../../basics/program-name.ts";

/** An arbitrary number that no other program is likely to use. */
const lockKey = 7_518_242_301;

const tryLock = `SELECT pg_try_advisory_xact_lock($1) AS locked`;
const lock = `SELECT pg_advisory_xact_lock($1)`;

/** One statement: between two, another process might create our tables, which would be taken for another program's. */
const findTables = `
  SELECT to_regclass('meta') IS NOT NULL AS ours, EXISTS (
    SELECT 1 FROM pg_class
    WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relkind IN ('r', 'p')
      AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
  ) AS used`;

const writeVersion = `
  INSERT INTO meta (name, value) VALUES ('schema_version', $1)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

/**
 * While a statement waits for a lock on a table, all later statements of others wait behind it; after this time it lets
 * them pass. Longer than the default of deadlock_timeout, after which an automatic vacuum gives way.
 */
const lockTimeoutMs = 2_000;
const pauseMs = 2_000;

const findNames = `
  SELECT relname AS name FROM pg_class
  WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relkind IN ('r', 'p')
  ORDER BY relname`;

interface Options {
  /** An empty database is refused. */
  readonly existing?: boolean;
  readonly migrations?: readonly string[];
  readonly onNotice?: ((text: string) => void) | undefined;
  readonly connections?: Pick<ConnectionSettings, "startTimeoutMs"> | undefined;
}

/** If several processes start at once, one migrates and the others find it done. */
export async function migrate(
  database: Database,
  {
    existing = false,
    migrations = published,
    onNotice,
    connections: { startTimeoutMs } = defaultConnections,
  }: Options = {},
): Promise<void> {
  const newest = baselineVersion + migrations.length;
  if (database.schema === undefined && !existing) {
    await database.transaction({}, requireCreation);
  }
  const version = await database.transaction({}, versionOf);
  if (version === newest) return;
  if (version === 0 && existing) {
    throw new StoreError(
      `There is no store in the database that DATABASE_URL names. Check DATABASE_URL; \`${sluice} migrate\` creates one.`,
    );
  }
  refuseSchema(version, { newest, store: "The database" });
  const work = () =>
    database.transaction(rebuilding, (transaction) =>
      bringUp(transaction, { migrations, onNotice }),
    );
  try {
    await whenFree(work, { timeoutMs: startTimeoutMs, onNotice });
  } catch (error) {
    throw hasState(error, insufficientPrivilege) ? forbidden(error) : error;
  }
}

/** Does `work` again while others use the tables, who are served in between. Throws StoreError after this time. */
async function whenFree(
  work: () => Promise<void>,
  { timeoutMs, onNotice }: { readonly timeoutMs: number } & Pick<Options, "onNotice">,
): Promise<void> {
  const until = performance.now() + timeoutMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!hasState(error, lockNotAvailable)) throw error;
      if (performance.now() + pauseMs > until) throw inUse(error);
      if (attempt === 1) {
        onNotice?.(
          `Waiting up to ${timeoutMs} ms to migrate the schema of the database: another session uses its tables.`,
        );
      }
      await sleep(pauseMs);
    }
  }
}

async function bringUp(
  transaction: Transaction,
  { migrations, onNotice }: Required<Pick<Options, "migrations">> & Pick<Options, "onNotice">,
): Promise<void> {
  const newest = baselineVersion + migrations.length;
  const first = await transaction.get<{ locked: boolean }>(tryLock, lockKey);
  if (first?.locked !== true) {
    onNotice?.("Another process is migrating the schema of the database; waiting for it.");
    await transaction.run(lock, lockKey);
  }
  const version = await versionOf(transaction);
  refuseSchema(version, { newest, store: "The database" });
  if (version === newest) return;
  const isNew = version === 0;
  const citus = isNew ? await hasCitus(transaction) : await isDistributed(transaction);
  const distributed = citus && !isNew;
  await transaction.exec(setLocal(["lock_timeout", String(lockTimeoutMs)]));
  if (distributed) await keepShardsOutOfStatistics(transaction);
  if (isNew) await transaction.exec(transaction.storeParts.schemaFor("postgres"));
  const missing = isNew ? [] : migrations.slice(version - baselineVersion);
  if (!distributed) await lockNamed(transaction, missing);
  for (const sql of missing.map((text) => schemaText("postgres", text))) {
    // Citus propagates a change of a distributed table with the whole text of the message that contains it.
    for (const part of distributed ? statementsOf(sql) : [sql]) await transaction.exec(part);
  }
  await secureTables(transaction, { citus });
  const shared = citus ? await findDistributed(transaction) : new Set<string>();
  await keepOutOfStatistics(transaction, shared);
  if (citus) await distribute(transaction, shared);
  await transaction.run(writeVersion, newest);
}

/** Before the work begins, or an index that takes minutes would be made in vain before a later lock is not granted. */
async function lockNamed(transaction: Transaction, migrations: readonly string[]): Promise<void> {
  const words = new Set(migrations.join(" ").match(/\w+/g));
  const tables = await transaction.all<{ name: string }>(findNames);
  const named = tables.flatMap(({ name }) => (words.has(name) ? name : []));
  if (named.length > 0) await transaction.exec(`LOCK TABLE ${named.join(", ")}`);
}

async function versionOf(transaction: Transaction): Promise<number> {
  const tables = await transaction.get<{ ours: boolean; used: boolean }>(findTables);
  if (tables?.ours === true) {
    return versionIn(await transaction.get<{ value: number }>(readVersion), "The database");
  }
  if (tables?.used !== true) return 0;
  throw new StoreError(
    "The database that DATABASE_URL names contains tables of another program. Give Sluice a database of its own.",
  );
}

function forbidden(cause: unknown): StoreError {
  return new StoreError(
    "The schema of the database must be migrated to this version, and the role in DATABASE_URL may not do that. " +
      `Run \`${sluice} migrate\` once with a role that owns the tables or, for a new store, the database.`,
    { cause },
  );
}

function inUse(cause: unknown): StoreError {
  return new StoreError(
    "The schema of the database must be migrated to this version, and another session uses its tables, such as a backup " +
      "or an open transaction: see xact_start in the view pg_stat_activity. Try again when it has ended, or set " +
      "DATABASE_START_TIMEOUT_MS to how long to wait.",
    { isTemporary: true, cause },
  );
}
