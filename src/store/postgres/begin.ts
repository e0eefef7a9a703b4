// What a transaction begins with: its settings, which end with it, so that they hold behind a pooler too. Sends nothing.

import { escapeLiteral } from "pg";
import type { ConnectionSettings } from "../connection-settings.ts";
import { listOrganizations, type Scope } from "./scope.ts";
import { idleInTransactionTimeoutMs } from "./settings.ts";

/** Every statement of daily work finds its rows by a key, so plans that would read all of a table are not considered. */
const keyedPlans: Readonly<Record<string, string>> = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
};

/**
 * A plan that was made while a table was small must not go on to read all of it when it has grown; so the plan is made
 * once, for any values. Citus needs the values to find the shards.
 */
const planOnce: Readonly<Record<string, string>> = { plan_cache_mode: "force_generic_plan" };

/**
 * The statements are short, and compiling one takes longer than running it a hundred times. Plans that the settings above
 * make costly on paper would be compiled each time.
 */
const uncompiled: Readonly<Record<string, string>> = { jit: "off" };

/** SET LOCAL is passed on to the workers, where the row-level security of shards and the locks of rows are. */
const onCluster: Readonly<Record<string, string>> = { "citus.propagate_set_commands": "local" };

/** To each worker: a transaction that is spread over more has to be prepared and committed on each of them. */
const oneConnection: Readonly<Record<string, string>> = {
  "citus.max_adaptive_executor_pool_size": "1",
};

/**
 * Statements that touch several shards don't lock those shards against each other (Transaction.inShardOrder does, where
 * it is needed): the locks last to the end of a transaction, and statement by statement they are taken in any order.
 */
const withoutShardLocks: Readonly<Record<string, string>> = {
  "citus.enable_deadlock_prevention": "off",
};

const unlimited = { statementTimeoutMs: 0, lockTimeoutMs: 0 };

export interface Beginning {
  readonly settings: ConnectionSettings;
  readonly distributed: boolean;
}

/** To be sent in this order, without waiting in between. */
export function beginStatements(
  scope: Scope,
  { settings, distributed }: Beginning,
): readonly string[] {
  const unlimitedTime = scope.unlimitedTime === true;
  const { statementTimeoutMs, lockTimeoutMs } = unlimitedTime ? unlimited : settings;
  const passedOn: Readonly<Record<string, string>> = {
    "sluice.organizations": listOrganizations(scope),
    "sluice.view": scope.view ?? "",
    lock_timeout: `${lockTimeoutMs}`,
  };
  const values: Readonly<Record<string, string>> = {
    ...(distributed ? onCluster : passedOn),
    ...(distributed && !unlimitedTime ? oneConnection : {}),
    ...(distributed ? withoutShardLocks : {}),
    statement_timeout: `${statementTimeoutMs}`,
    idle_in_transaction_session_timeout: `${idleInTransactionTimeoutMs}`,
    ...uncompiled,
    ...(scope.view === "all" ? {} : keyedPlans),
    ...(scope.view === "all" || distributed ? {} : planOnce),
  };
  const set = Object.entries(values).map(
    ([name, value]) => `set_config('${name}', ${escapeLiteral(value)}, true)`,
  );
  const mode = scope.snapshot === true ? " ISOLATION LEVEL REPEATABLE READ READ ONLY" : "";
  const begin = `BEGIN${mode}; SELECT ${set.join(", ")}`;
  return distributed ? [begin, ...Object.entries(passedOn).map(setLocal)] : [begin];
}

/** A statement of its own: Citus passes on the whole text of the message that it came in. */
export function setLocal([name, value]: readonly [string, string]): string {
  return `SET LOCAL ${name} = ${escapeLiteral(value)}`;
}
