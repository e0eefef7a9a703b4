// Brings the schema up to this version, one numbered migration after another, all in one transaction. Never touches a
// store that is newer, or a database that is not a store.

import { StoreError } from "../../store-error.ts";
import { distribute, hasCitus, isDistributed } from "../citus.ts";
import type { Database } from "../database.ts";
import { hasState } from "../failure.ts";
import { firstTables } from "./0001-first-tables.ts";
import { receipts } from "./0002-receipts.ts";
import { noSamples } from "./0003-no-samples.ts";
import { move } from "./0004-move.ts";
import { restoresAndHolds } from "./0005-restores-and-holds.ts";
import { indexAndProbe } from "./0006-index-and-probe.ts";
import { addDigest, fillDigests } from "./0007-digests.ts";
import { retentionFloors } from "./0008-retention-floors.ts";
import { closedOrganizations } from "./0009-closed-organizations.ts";
import { countRedactedByType, receiptCounts } from "./0010-receipt-counts.ts";
import { restrictedStore } from "./0011-restricted-store.ts";
import { pseudonyms } from "./0012-pseudonyms.ts";
import { operators } from "./0013-operators.ts";
import {
  floorSecurity,
  importSecurity,
  pseudonymSecurity,
  receiptSecurity,
  replaySecurity,
  restrictedSecurity,
  rowSecurity,
  type Securing,
} from "./row-security.ts";
import { rebuilding } from "../../sql/visibility.ts";
import { keepOutOfStatistics, keepShardsOutOfStatistics } from "./statistics.ts";
import type { Transaction } from "../transaction.ts";

type Statements = (options: Securing) => string;

/** `then` runs after the statements if rows have to be computed. */
type Migration = readonly [
  version: number,
  statements: Statements,
  then?: (transaction: Transaction) => Promise<void>,
];

/** In order, each with its number. The schema version is the last one that was applied. */
const migrations: readonly Migration[] = [
  [1, (options) => firstTables + rowSecurity(options)],
  [2, (options) => receipts + receiptSecurity(options)],
  [3, () => noSamples],
  [4, () => move],
  [5, (options) => restoresAndHolds + replaySecurity(options)],
  [6, () => indexAndProbe],
  [7, () => addDigest, fillDigests],
  [8, (options) => retentionFloors + floorSecurity(options)],
  [9, () => closedOrganizations],
  [10, () => receiptCounts, countRedactedByType],
  [11, (options) => restrictedStore + restrictedSecurity(options)],
  [12, (options) => pseudonyms + pseudonymSecurity(options)],
  [13, (options) => operators + importSecurity(options)],
];

export const schemaVersion = Math.max(...migrations.map(([version]) => version));

/** Earlier versions let the planner sample columns that may contain ids, and did not remove the samples. */
const samplesForgottenSince = 6;

/** An arbitrary number that no other program is likely to use. */
const lockKey = 7_518_242_301;

const lock = `SELECT pg_advisory_xact_lock($1)`;

const readVersion = `SELECT value FROM meta WHERE name = 'schema_version'`;

/**
 * Views and tables of extensions are not data. One statement: between two, another process might create our tables, and
 * they would be mistaken for another program's.
 */
const findTables = `
  SELECT to_regclass('meta') IS NOT NULL AS ours, EXISTS (
    SELECT 1 FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
      AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
  ) AS used`;

const createMeta = `
  CREATE TABLE IF NOT EXISTS meta (
    name text COLLATE "C" NOT NULL PRIMARY KEY,
    value bigint NOT NULL
  );`;

const writeVersion = `
  INSERT INTO meta (name, value) VALUES ('schema_version', $1)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

const insufficientPrivilege = "42501";

/**
 * Does nothing if the schema is current. If several processes start at once, one migrates and the others find it done.
 * With `existing`, an empty database is refused.
 */
export async function migrate(
  database: Database,
  { existing = false }: { readonly existing?: boolean } = {},
): Promise<void> {
  const version = await database.transaction({}, versionOf);
  if (version === schemaVersion) return;
  if (version === 0 && existing) {
    throw new StoreError(
      "There is no store in the database that DATABASE_URL names. Check DATABASE_URL; `sluice serve` and `sluice migrate` " +
        "create one.",
    );
  }
  refuseNewer(version);
  try {
    await database.transaction(rebuilding, bringUp);
  } catch (error) {
    throw hasState(error, insufficientPrivilege) ? forbidden(error) : error;
  }
}

async function bringUp(transaction: Transaction): Promise<void> {
  await transaction.run(lock, lockKey);
  const version = await versionOf(transaction);
  refuseNewer(version);
  if (version === schemaVersion) return;
  const citus = version === 0 ? await hasCitus(transaction) : await isDistributed(transaction);
  const distributed = citus && version > 0;
  const forgetAll = version > 0 && version < samplesForgottenSince;
  if (distributed) await keepShardsOutOfStatistics(transaction, { forgetAll });
  await transaction.exec(createMeta);
  for (const [number, statements, then] of migrations) {
    if (number <= version) continue;
    const sql = statements({ citus });
    // Citus propagates a change of a distributed table with the whole text of the message that contains it.
    for (const part of distributed ? splitStatements(sql) : [sql]) {
      await transaction.exec(part);
    }
    await then?.(transaction);
  }
  await keepOutOfStatistics(transaction, { forgetAll, distributed });
  if (citus && version === 0) await distribute(transaction);
  await transaction.run(writeVersion, schemaVersion);
}

/** The statements of a migration, in which semicolons that end no statement occur only in comments. */
export function splitStatements(sql: string): readonly string[] {
  const statements = sql.replaceAll(/--[^\n]*/g, "").split(";");
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== "");
}

async function versionOf(transaction: Transaction): Promise<number> {
  const found = await transaction.get<{ ours: boolean; used: boolean }>(findTables);
  if (found?.ours === true) {
    return (await transaction.get<{ value: number }>(readVersion))?.value ?? 0;
  }
  if (found?.used !== true) return 0;
  throw new StoreError(
    "The database that DATABASE_URL names contains tables of another program. Give Sluice a database of its own.",
  );
}

function refuseNewer(version: number): void {
  if (version <= schemaVersion) return;
  throw new StoreError(
    `The database has schema version ${version}, and this version of Sluice knows ${schemaVersion} at most. ` +
      "Use the version of Sluice that wrote it, or a newer one.",
  );
}

function forbidden(cause: unknown): StoreError {
  return new StoreError(
    "The schema of the database must be migrated to this version, and the role in DATABASE_URL may not do that. " +
      "Run `sluice migrate` once with a role that owns the tables.",
    { cause },
  );
}
