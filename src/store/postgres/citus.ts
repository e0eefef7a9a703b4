// Distributes the tables over a Citus cluster, and prepares transactions for it. Does nothing on a server without the
// extension.

import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../interface/store-error.ts";
import { UncertainCommit } from "./failure.ts";
import type { StoreParts } from "../sql/store-parts.ts";
import type { Transaction } from "./transaction.ts";

/**
 * The column that each table is distributed by. All are co-located: a record, its changes, the relations that lead to
 * it and its targets in plans are on one node. Other tables stay on the coordinator; they are small, or written once
 * for a deletion, a token or an operator's act.
 */
export const distributedTables = (parts: StoreParts): Readonly<Record<string, string>> => ({
  record: "resource_id",
  change: "resource_id",
  relation: "to_id",
  deletion_target: "resource_id",
  ...parts.distributed,
});

const findExtension = `SELECT 1 FROM pg_extension WHERE extname = 'citus'`;

/** Distributes the first table; the others are co-located with it. */
const distributeFirst = `SELECT create_distributed_table($1::regclass, $2)`;
const distributeBeside = `
  SELECT create_distributed_table($1::regclass, $2, colocate_with => $3)`;

/** A worker has any group id except 0. */
const findGroup = `SELECT groupid FROM pg_dist_local_group WHERE groupid <> 0`;

const readDistributed = `
  SELECT relname FROM pg_dist_partition JOIN pg_class ON pg_class.oid = logicalrelid
  WHERE relnamespace = quote_ident(current_schema())::regnamespace AND partmethod = 'h'`;

export async function hasCitus(transaction: Transaction): Promise<boolean> {
  return (await transaction.get(findExtension)) !== undefined;
}

/** A worker has the distributed tables, but no other tables. */
export async function refuseWorker(transaction: Transaction): Promise<void> {
  if (!(await hasCitus(transaction)) || (await transaction.get(findGroup)) === undefined) return;
  throw new StoreError(
    "The server that DATABASE_URL names is a worker of a Citus cluster. Name the coordinator.",
  );
}

export async function isDistributed(transaction: Transaction): Promise<boolean> {
  if (!(await hasCitus(transaction))) return false;
  return (await findDistributed(transaction)).has("record");
}

/** The names of the distributed tables. The extension must be installed. */
export async function findDistributed(transaction: Transaction): Promise<ReadonlySet<string>> {
  const rows = await transaction.all<{ relname: string }>(readDistributed);
  return new Set(rows.map(({ relname }) => relname));
}

/** Distributes the tables that are not distributed yet. The extension must be installed. */
export async function distribute(
  transaction: Transaction,
  distributed: ReadonlySet<string>,
): Promise<void> {
  // Without this setting, a transaction that has used one connection for each node could not create shards over
  // several.
  await transaction.exec("SET LOCAL citus.multi_shard_modify_mode TO 'sequential'");
  let first: string | undefined;
  for (const [table, column] of Object.entries(distributedTables(transaction.storeParts))) {
    if (first === undefined && !distributed.has(table)) {
      await transaction.run(distributeFirst, table, column);
    } else if (!distributed.has(table)) {
      await transaction.run(distributeBeside, table, column, first ?? table);
    }
    first ??= table;
  }
}

/** Changes nothing, on two shards that always differ, because the hashes of the two ids are below and above zero. */
const touchTwoShards = `
  UPDATE record SET first_seen = first_seen
  WHERE organization_id = '' AND resource_type = '' AND resource_id IN ('a', 'b')`;

/** Citus commits the coordinator and one shard one after the other, but two shards in two phases. */
export async function commitInTwoPhases(transaction: Transaction): Promise<void> {
  if (transaction.distributed) await transaction.run(touchTwoShards);
}

const findPrepared = `
  SELECT success, result FROM run_command_on_workers(
    'SELECT coalesce(json_agg(gid), ''[]'') FROM pg_prepared_xacts
     WHERE database = current_database() AND gid LIKE ''citus%''')`;

const pollMs = 5;
const waitMsMax = 3_000;

/**
 * If a worker fails during a commit, its prepared changes are invisible until the coordinator commits them again
 * (citus.recover_2pc_interval). Waits until all committed changes are visible. Throws UncertainCommit if that takes too
 * long; the caller may try again.
 */
export async function awaitVisibleCommits(transaction: Transaction): Promise<void> {
  if (!transaction.distributed) return;
  const until = performance.now() + waitMsMax;
  let pending = await readPrepared(transaction);
  while (pending.size > 0) {
    if (performance.now() > until) throw new UncertainCommit();
    await sleep(pollMs);
    pending = pending.intersection(await readPrepared(transaction));
  }
}

async function readPrepared(transaction: Transaction): Promise<Set<string>> {
  const answers = await transaction.all<{ success: boolean; result: string }>(findPrepared);
  if (answers.some(({ success }) => !success)) throw new UncertainCommit();
  return new Set(answers.flatMap(({ result }) => JSON.parse(result) as readonly string[]));
}
