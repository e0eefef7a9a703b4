// Keeps ids and content of records out of the planner's statistics (pg_statistic), where samples of them would outlive
// an erasure. Every routine statement finds its rows by a key, so no plan needs them.

import { StoreError } from "../../interface/store-error.ts";
import type { StoreParts } from "../../sql/store-parts.ts";
import { distributedTables } from "../citus.ts";
import type { Transaction } from "../transaction.ts";

/** They contain neither ids of records nor their content. Others about records are sampled only when listed here. */
const sampledNames: ReadonlySet<string> = new Set(
  `organization_id resource_type from_type to_type kind action status
  deletion_request_id receipt_no entry_no position done held single
  requested_at due_at started_at completed_at created_at placed_at at
  next_attempt_at lease_until attempts redacted`.split(/\s+/),
);

const findColumns = `
  SELECT relname AS table, attname AS column, attstattarget IS DISTINCT FROM 0 AS sampled
  FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
  WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relkind = 'r'
    AND attnum > 0 AND NOT attisdropped
  ORDER BY relname, attnum`;

interface ColumnRow {
  readonly table: string;
  readonly column: string;
  readonly sampled: boolean;
}

/** Undefined for a column of another program. */
export function mayBeSampled(
  parts: StoreParts,
  { table, column }: Pick<ColumnRow, "table" | "column">,
): boolean | undefined {
  const aboutRecords = parts.isAboutRecords(table, column);
  return aboutRecords === true ? sampledNames.has(column) : aboutRecords === false || undefined;
}

/** Permanently, for columns that must not be sampled, except in these tables, which are distributed. */
export async function keepOutOfStatistics(
  transaction: Transaction,
  distributed: ReadonlySet<string>,
): Promise<void> {
  for (const column of await findSampled(transaction)) {
    if (distributed.has(column.table)) continue;
    await transaction.exec(turnOff(column));
  }
}

const onShards = `SELECT success, result FROM run_command_on_shards($1::regclass, $2)`;

/**
 * Does the same for tables that are distributed over a cluster. Citus does not propagate SET STATISTICS, so this runs
 * it on each shard, on separate connections: call it before the transaction has changed any of these tables.
 */
export async function keepShardsOutOfStatistics(transaction: Transaction): Promise<void> {
  const distributed = distributedTables(transaction.storeParts);
  for (const column of await findSampled(transaction)) {
    const { table } = column;
    if (!(table in distributed)) continue;
    // A shard that is moved or created later takes the setting from the table.
    await transaction.exec("SET LOCAL citus.enable_ddl_propagation TO off");
    await transaction.exec(turnOff(column));
    await transaction.exec("SET LOCAL citus.enable_ddl_propagation TO on");
    const sql = turnOff({ ...column, table: "%s" });
    const answers = await transaction.all<ShardAnswer>(onShards, table, sql);
    const failed = answers.find(({ success }) => !success);
    if (failed !== undefined) throw new StoreError(`A shard of ${table}: ${failed.result}.`);
  }
}

interface ShardAnswer {
  readonly success: boolean;
  readonly result: string;
}

async function findSampled(transaction: Transaction): Promise<readonly ColumnRow[]> {
  const columns = await transaction.all<ColumnRow>(findColumns);
  return columns.filter(
    (column) => column.sampled && mayBeSampled(transaction.storeParts, column) === false,
  );
}

/** The names are those of this program's tables and columns, so they need no quoting. */
function turnOff({ table, column }: Pick<ColumnRow, "table" | "column">): string {
  return `ALTER TABLE ${table} ALTER COLUMN ${column} SET STATISTICS 0`;
}
