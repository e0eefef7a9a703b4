// How the tables are spread over a Citus cluster. Does nothing on a server without the extension.

import type { Transaction } from "./transaction.ts";

/**
 * By the column that each is distributed by. All are co-located: a record, its changes, the relations that lead to it and
 * its place in a plan are on one node. The tables that are not named stay on the coordinator; they are small, or written
 * once a deletion, a token or an operator's act.
 */
export const distributedTables: Readonly<Record<string, string>> = {
  record: "resource_id",
  change: "resource_id",
  relation: "to_id",
  deletion_target: "resource_id",
};

const findExtension = `SELECT 1 FROM pg_extension WHERE extname = 'citus'`;

/** Before anything is distributed, the first one: the others are put beside it. */
const distributeFirst = `SELECT create_distributed_table($1::regclass, $2)`;
const distributeBeside = `
  SELECT create_distributed_table($1::regclass, $2, colocate_with => $3)`;

const findDistributed = `
  SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass('record') AND partmethod = 'h'`;

export async function hasCitus(transaction: Transaction): Promise<boolean> {
  return (await transaction.get(findExtension)) !== undefined;
}

export async function isDistributed(transaction: Transaction): Promise<boolean> {
  if (!(await hasCitus(transaction))) return false;
  return (await transaction.get(findDistributed)) !== undefined;
}

/** The caller has seen the extension. */
export async function distribute(transaction: Transaction): Promise<void> {
  // Without it, a transaction that has used one connection a node could not create what needs several.
  await transaction.exec("SET LOCAL citus.multi_shard_modify_mode TO 'sequential'");
  let first: string | undefined;
  for (const [table, column] of Object.entries(distributedTables)) {
    if (first === undefined) await transaction.run(distributeFirst, table, column);
    else await transaction.run(distributeBeside, table, column, first);
    first ??= table;
  }
}
