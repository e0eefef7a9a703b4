// The statements that begin a transaction. Its settings end with it, so they also work through a connection pooler.
// Sends nothing.

import { escapeIdentifier, escapeLiteral } from "pg";
import type { ConnectionSettings } from "../interface/connection-settings.ts";
import type { Visibility } from "../sql/statement/visibility.ts";
import { idleInTransactionTimeoutMs } from "./settings.ts";

/**
 * Every routine statement finds its rows by a key, so plans that would read whole tables are disabled. So are bitmaps,
 * which read all rows of a key and lose their order: the first of a hundred thousand would be found by sorting them;
 * and reading an index without its table, which could be the whole index.
 */
const keyedPlans: Readonly<Record<string, string>> = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_bitmapscan: "off",
  enable_indexonlyscan: "off",
};

/**
 * A plan that was made while a table was small must not read all of it when it has grown; so the plan is made once, for
 * any values. Citus needs the values to find the shards.
 */
const planOnce: Readonly<Record<string, string>> = { plan_cache_mode: "force_generic_plan" };

/** JIT compilation takes longer than running a statement a hundred times; the costs above would bring it on. */
const uncompiled: Readonly<Record<string, string>> = { jit: "off" };

/**
 * What statements rely on, whatever somebody has set for the role, the database or the server: that a backslash in a
 * literal is one, that NULL in an array is NULL, that row-level security hides rows instead of refusing to read, and
 * that a commit is on stable storage. A stricter `synchronous_commit` than `on` stays.
 */
const assumed: Readonly<Record<string, string>> = {
  standard_conforming_strings: "on",
  array_nulls: "on",
  transform_null_equals: "off",
  row_security: "on",
};
const durable = `set_config('synchronous_commit', CASE current_setting('synchronous_commit')
  WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, true)`;

/** Propagates SET LOCAL to the workers, where the row-level security of shards and the row locks are. */
const onCluster: Readonly<Record<string, string>> = { "citus.propagate_set_commands": "local" };

/** One to each worker: a transaction over several would have to be prepared and committed on each. */
const oneConnection: Readonly<Record<string, string>> = {
  "citus.max_adaptive_executor_pool_size": "1",
};

/**
 * Statements that touch several shards don't lock those shards against each other (Transaction.inShardOrder does where
 * necessary): the locks last until the end of the transaction, and statements would take them in different orders.
 */
const withoutShardLocks: Readonly<Record<string, string>> = {
  "citus.enable_deadlock_prevention": "off",
};

const unlimited = { statementTimeoutMs: 0, lockTimeoutMs: 0 };

/** Statements have their own limits. */
const noTransactionTimeout: Readonly<Record<string, string>> = { transaction_timeout: "0" };
const transactionTimeoutSince = 170_000;

/** Before a long statement outside a transaction; nothing resets the session. */
export function removeLimits(serverVersion: number): string {
  const values = { statement_timeout: "0", lock_timeout: "0", ...limitsOf(serverVersion) };
  return `SELECT ${setAll(values, { local: false })}`;
}

/** Further limits on a transaction that this server may have. */
function limitsOf(serverVersion: number): Readonly<Record<string, string>> {
  return serverVersion < transactionTimeoutSince ? {} : noTransactionTimeout;
}

function setAll(
  values: Readonly<Record<string, string>>,
  { local }: { readonly local: boolean },
): string {
  return Object.entries(values)
    .map(([name, value]) => `set_config('${name}', ${escapeLiteral(value)}, ${local})`)
    .join(", ");
}

export interface Beginning {
  readonly settings: ConnectionSettings;
  readonly distributed: boolean;
  /** The number in server_version_num. */
  readonly serverVersion?: number;
  /** Once it is known: a search path set for the role or the database must not lead to other tables. */
  readonly schema?: string | undefined;
}

/** The statements are sent in this order, without waiting for answers. */
export function beginStatements(
  visibility: Visibility,
  { settings, distributed, serverVersion = 0, schema }: Beginning,
): readonly string[] {
  const unlimitedTime = visibility.unlimitedTime === true;
  const { statementTimeoutMs, lockTimeoutMs } = unlimitedTime ? unlimited : settings;
  const passedOn: Readonly<Record<string, string>> = {
    "sluice.organizations": listOrganizations(visibility),
    "sluice.view": visibility.view ?? "",
    lock_timeout: `${lockTimeoutMs}`,
  };
  const isKeyed = visibility.view !== "all" || visibility.keyed === true;
  const values: Readonly<Record<string, string>> = {
    ...(distributed ? onCluster : passedOn),
    ...(distributed && !unlimitedTime ? oneConnection : {}),
    ...(distributed ? withoutShardLocks : {}),
    statement_timeout: `${statementTimeoutMs}`,
    idle_in_transaction_session_timeout: `${idleInTransactionTimeoutMs}`,
    ...limitsOf(serverVersion),
    ...(schema === undefined ? {} : { search_path: escapeIdentifier(schema) }),
    ...assumed,
    ...uncompiled,
    ...(isKeyed ? keyedPlans : {}),
    ...(isKeyed && !distributed ? planOnce : {}),
  };
  const mode = visibility.snapshot === true ? "REPEATABLE READ READ ONLY" : "READ COMMITTED";
  const begin = `BEGIN ISOLATION LEVEL ${mode}; SELECT ${durable}, ${setAll(values, { local: true })}`;
  return distributed ? [begin, ...Object.entries(passedOn).map(setLocal)] : [begin];
}

/** The value of the setting `sluice.organizations`. An id contains no comma (actions/access/create-organization.ts). */
function listOrganizations({ organizations = [] }: Visibility): string {
  const ids = [...new Set(organizations)];
  return ids.filter((id) => !id.includes(",")).join(",");
}

/** Sent separately: Citus propagates the whole text of the message that contains it. */
export function setLocal([name, value]: readonly [string, string]): string {
  return `SET LOCAL ${name} = ${escapeLiteral(value)}`;
}
