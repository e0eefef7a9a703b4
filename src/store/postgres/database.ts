// The bounded connection pool, and transactions on it. Reconnects by itself; knows nothing about the tables.

import type { RecordKey } from "../../domain/record/record-write.ts";
import { type ClientBase, Pool, type PoolClient, type PoolConfig, types } from "pg";
import type { ConnectionSettings } from "../interface/connection-settings.ts";
import { beginStatements, removeLimits } from "./begin.ts";
import {
  describeFailure,
  isFollowUpError,
  isAnswer,
  isCollision,
  isForbidden,
  isReadOnly,
  UncertainCommit,
  withLackingRights,
} from "./failure.ts";
import { inSequence } from "./commit/settle-all.ts";
import { findRecords, lockRecords } from "./commit/record.ts";
import { preparePlans } from "./erase/enter.ts";
import { allOrganizations, type Visibility } from "../sql/statement/visibility.ts";
import { StoreError } from "../interface/store-error.ts";
import { answerGraceMs, attemptsMax, connectTimeoutMs, unlimitedAnswerMs } from "./settings.ts";
import { send } from "./send.ts";
import type { StoreParts } from "../sql/store-parts.ts";
import { Servers } from "./servers.ts";
import { Transaction } from "./transaction.ts";
import { randomUUID } from "node:crypto";

/** Our numbers are counts and milliseconds, which a double represents exactly. */
const typeParsers = {
  getTypeParser: ((oid, format) =>
    oid === types.builtins.INT8
      ? Number
      : (types.getTypeParser(oid, format) as unknown)) as typeof types.getTypeParser,
};

const cancelStatement = `
  SELECT pg_cancel_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND usename = current_user AND state = 'active' AND query = $1`;

type Attempt<Result> = (client: PoolClient) => Promise<Result>;

export type Work<Result> = (transaction: Transaction) => Promise<Result>;

export interface DatabaseOptions extends ConnectionSettings {
  /** What features have in the store. */
  readonly parts: StoreParts;
}

export class Database {
  readonly parts: StoreParts;
  readonly #pool: Pool;
  readonly #servers: Servers;
  readonly #settings: ConnectionSettings;
  /** Whether the tables are distributed over a Citus cluster; set when the store is opened. */
  distributed = false;
  /** Whether row-level security applies to this role, so that messages name no key; set on opening. */
  secured = false;
  /** The number in server_version_num; set when the store is opened. */
  serverVersion = 0;
  /** The schema that has the tables; set when the store is opened. */
  schema: string | undefined;
  /** Throws StoreError if the role lacks rights; set when the store is opened. */
  requireRights: Work<void> | undefined;
  /**
   * Throws ReadOnlyServer or EarlierState if the database is not what this process has served. Each new connection is
   * checked with it before it is used: it may be to another server than the last one. Set when the store is opened.
   */
  requireContinued: Work<void> | undefined;
  /** The connections that may be used. */
  #usable = new WeakSet<object>();
  /** The running check, shared by all statements that fail at the same time. */
  #lacking: Promise<StoreError | undefined> | undefined;
  /** The statements of this process that run outside a transaction. */
  readonly #outside = new Set<string>();

  constructor(url: string, { parts, ...settings }: DatabaseOptions) {
    this.parts = parts;
    this.#servers = new Servers(url);
    this.#settings = settings;
    this.#pool = new Pool({
      Client: this.#servers.clients(),
      ...this.#admission(),
      application_name: "sluice",
      max: settings.poolMax,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      pipeline: true,
      types: typeParsers,
    } satisfies PoolConfig);
    // A broken connection leaves the pool by itself, and its statements fail. Without a listener the error would end
    // the process.
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => client.on("error", () => undefined));
  }

  /** Repeats `work` after a conflict. Throws AppError unavailable: during the commit, its effect is unknown. */
  transaction<Result>(visibility: Visibility, work: Work<Result>): Promise<Result> {
    return this.#repeat((client) => this.#runOnce(client, visibility, work));
  }

  #runOnce<Result>(
    client: PoolClient,
    visibility: Visibility,
    work: Work<Result>,
  ): Promise<Result> {
    return this.#attempt(client, visibility, async (transaction) => {
      await this.#begin(client, visibility);
      const result = await work(transaction);
      await commit(client);
      return result;
    });
  }

  /**
   * Does the same in one round trip: `work` sends all its statements at once, and the commit is sent with them. A
   * statement that finds that they must not be committed has to fail. The statements must be harmless outside a
   * transaction: if BEGIN fails, each runs on its own.
   */
  inOneGo<Result>(visibility: Visibility, work: Work<Result>): Promise<Result> {
    return this.#repeat((client) =>
      this.#attempt(client, visibility, async (transaction) => {
        const [, result] = await inSequence([
          this.#begin(client, visibility),
          work(transaction),
          commit(client),
        ] as const);
        return result;
      }),
    );
  }

  /** Runs a statement that PostgreSQL does not run in a transaction, such as VACUUM, without a time limit. */
  async outsideTransaction(statement: string): Promise<void> {
    // The comment distinguishes it from the same statement of another process.
    const text = `${statement} /* ${randomUUID()} */`;
    this.#outside.add(text);
    try {
      await this.#repeat(async (client) => {
        await send(client, removeLimits(this.serverVersion));
        await send(client, text, unlimitedAnswerMs);
      });
    } finally {
      this.#outside.delete(text);
    }
  }

  /** So that stopping does not wait for them. By their texts: behind a pooler, the backend process may be another. */
  async cancelOutside(): Promise<void> {
    for (const text of this.#outside) {
      await this.#repeat((client) => send(client, { text: cancelStatement, values: [text] }));
    }
  }

  /** Throws StoreError if a pooler shares connections between clients but does not keep prepared statements. */
  async requirePrepared(): Promise<void> {
    const { prepare, poolMax } = this.#settings;
    if (!prepare || poolMax < 2) return;
    const probe = { name: "sluice_probe", text: "SELECT 1" };
    await this.#repeat(async (first) => {
      await send(first, probe);
      const second = await this.#connect();
      try {
        await send(second, "BEGIN");
        await send(second, probe);
        await send(first, probe);
        await send(second, "COMMIT");
      } finally {
        // An idle connection would look to a move like one of another process.
        second.release(true);
      }
    });
  }

  /** How many the pool has at most. */
  get connections(): number {
    return this.#settings.poolMax;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  /** From now on only connections are used that are made, and checked, after this. */
  renewConnections(): void {
    this.#usable = new WeakSet();
  }

  /** The pool waits for it before it hands out a new connection, though its type does not say so. */
  #admission() {
    const onConnect = async (client: ClientBase): Promise<void> => {
      const { requireContinued } = this;
      if (this.#servers.mustWrite) await this.#servers.requireWritable(client);
      if (requireContinued) {
        await this.#runOnce(client as PoolClient, allOrganizations, requireContinued);
      }
      this.#usable.add(client);
    };
    return { onConnect };
  }

  async #repeat<Result>(attempt: Attempt<Result>): Promise<Result> {
    for (let count = 1; ; count += 1) {
      try {
        return await this.#withClient(attempt);
      } catch (error) {
        if (isCollision(error) && count < attemptsMax) continue;
        const described = describeFailure(error, this);
        throw isForbidden(error)
          ? withLackingRights(described, await this.#findLackingRights())
          : described;
      }
    }
  }

  /** Undefined if the role may not even find out. */
  #findLackingRights(): Promise<StoreError | undefined> {
    const { requireRights } = this;
    if (requireRights === undefined) return Promise.resolve(undefined);
    this.#lacking ??= this.#withClient((client) => this.#runOnce(client, {}, requireRights))
      .then(
        () => undefined,
        (error: unknown) => (error instanceof StoreError ? error : undefined),
      )
      .finally(() => (this.#lacking = undefined));
    return this.#lacking;
  }

  /** Tries each server once. */
  async #connect(): Promise<PoolClient> {
    for (let count = 1; ; count += 1) {
      const { current } = this.#servers;
      try {
        return await this.#connectUsable();
      } catch (error) {
        if (count >= this.#servers.count || this.#servers.current === current) throw error;
      }
    }
  }

  async #connectUsable(): Promise<PoolClient> {
    for (;;) {
      const client = await this.#pool.connect();
      if (this.#usable.has(client)) return client;
      client.release(true);
    }
  }

  /** A connection to a server that has become a replica is not used again: the next one finds the new primary. */
  async #withClient<Result>(attempt: Attempt<Result>): Promise<Result> {
    const client = await this.#connect();
    let broken = false;
    try {
      return await attempt(client);
    } catch (error) {
      broken = isReadOnly(error) || !(await rollBack(client));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** Statements sent after the one that failed only report that the transaction has failed. */
  async #attempt<Result>(
    client: PoolClient,
    visibility: Visibility,
    run: Work<Result>,
  ): Promise<Result> {
    const transaction = this.#transaction(client, visibility);
    try {
      return await run(transaction);
    } catch (error) {
      throw isFollowUpError(error) ? (transaction.firstFailure ?? error) : error;
    }
  }

  #transaction(client: PoolClient, { unlimitedTime = false }: Visibility): Transaction {
    const { prepare, statementTimeoutMs } = this.#settings;
    const answerMs = unlimitedTime ? unlimitedAnswerMs : statementTimeoutMs + answerGraceMs;
    const { distributed, parts: storeParts } = this;
    const own = { lockRecords: lockOrFind, preparePlans };
    return new Transaction(client, { prepare, distributed, storeParts, answerMs, ...own });
  }

  async #begin(client: PoolClient, visibility: Visibility): Promise<void> {
    const { distributed, serverVersion, schema } = this;
    const beginning = { settings: this.#settings, distributed, serverVersion, schema };
    const statements = beginStatements(visibility, beginning);
    await inSequence(statements.map((statement) => send(client, statement)));
  }
}

interface Notice {
  readonly severity?: string | undefined;
  readonly message?: string | undefined;
}

/** COMMIT rolls back a transaction in which a statement failed, and reports that instead of failing. */
async function commit(client: PoolClient): Promise<void> {
  let warning: string | undefined;
  const notice = ({ severity, message }: Notice) => {
    if (severity === "WARNING") warning = message;
  };
  client.on("notice", notice);
  const { command } = await send(client, "COMMIT").finally(() => client.off("notice", notice));
  if (command !== "COMMIT") throw new TypeError("a transaction was committed after a failure");
  if (warning !== undefined) throw new UncertainCommit(`PostgreSQL, at a commit: ${warning}`);
}

/** False if the connection can't be used any more. */
async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await send(client, "ROLLBACK");
    return true;
  } catch (error) {
    return isAnswer(error);
  }
}

/** Sends a statement even if there is nothing to lock. */
function lockOrFind(transaction: Transaction, keys: readonly RecordKey[]): Promise<unknown> {
  return keys.length === 0 ? findRecords(transaction, keys) : lockRecords(transaction, keys);
}
