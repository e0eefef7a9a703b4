// The bounded pool of connections, and transactions on it. Reconnects by itself; knows nothing of what is in the tables.

import { Pool, type PoolClient, type PoolConfig, type QueryConfig, types } from "pg";
import type { ConnectionSettings } from "../connection-settings.ts";
import { beginStatements } from "./begin.ts";
import {
  describeFailure,
  isFollowUpError,
  isAnswer,
  isCollision,
  UncertainCommit,
} from "./failure.ts";
import { inSequence } from "./commit/in-sequence.ts";
import type { Scope } from "./scope.ts";
import { answerGraceMs, attemptsMax, connectTimeoutMs, unlimitedAnswerMs } from "./settings.ts";
import { Transaction } from "./transaction.ts";

/** Numbers of ours are counts and milliseconds, which a double holds exactly. */
const typeParsers = {
  getTypeParser: ((oid, format) =>
    oid === types.builtins.INT8
      ? Number
      : (types.getTypeParser(oid, format) as unknown)) as typeof types.getTypeParser,
};

type Attempt<Result> = (client: PoolClient) => Promise<Result>;

export type Work<Result> = (transaction: Transaction) => Promise<Result>;

export class Database {
  readonly #pool: Pool;
  readonly #settings: ConnectionSettings;
  /** Whether the tables are spread over a Citus cluster; known once the store is open. */
  distributed = false;
  /** Processes of the server that run something outside a transaction for this one. */
  readonly #outside = new Set<number>();

  constructor(url: string, settings: ConnectionSettings) {
    this.#settings = settings;
    this.#pool = new Pool({
      connectionString: url,
      application_name: "sluice",
      max: settings.poolMax,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: connectTimeoutMs + answerGraceMs,
      keepAlive: true,
      pipeline: true,
      types: typeParsers,
    } satisfies PoolConfig);
    // A connection that breaks leaves the pool by itself, and what was under way on it fails. Without a listener the
    // break would end the process.
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => client.on("error", () => undefined));
  }

  /**
   * Runs `work` in a transaction and commits; begins again when it met another one, so `work` must be able to. Rejects
   * with AppError unavailable when the server can't be reached or doesn't answer. That may be during the commit: then
   * it is not known whether the transaction took effect.
   */
  transaction<Result>(scope: Scope, work: Work<Result>): Promise<Result> {
    return this.#repeat((client) =>
      this.#attempt(client, scope, async (transaction) => {
        await this.#begin(client, scope);
        const result = await work(transaction);
        await commit(client);
        return result;
      }),
    );
  }

  /**
   * The same with one trip to the server: `work` sends all its statements at once, and the commit goes with them. Where
   * they may not be committed, one of them has to fail. Outside a transaction they must do no harm: should BEGIN fail,
   * each would be on its own.
   */
  inOneGo<Result>(scope: Scope, work: Work<Result>): Promise<Result> {
    return this.#repeat((client) =>
      this.#attempt(client, scope, async (transaction) => {
        const [, result] = await inSequence([
          this.#begin(client, scope),
          work(transaction),
          commit(client),
        ] as const);
        return result;
      }),
    );
  }

  /** For the few statements that PostgreSQL runs in no transaction, such as VACUUM. They take as long as they need. */
  async outsideTransaction(text: string): Promise<void> {
    await this.#repeat(async (client) => {
      const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
      const pid = rows[0]?.pid ?? 0;
      this.#outside.add(pid);
      try {
        await client.query({ text, query_timeout: unlimitedAnswerMs } as QueryConfig);
      } finally {
        this.#outside.delete(pid);
      }
    });
  }

  /** So that a stop does not wait for them. */
  async cancelOutside(): Promise<void> {
    for (const pid of this.#outside) {
      await this.#repeat((client) => client.query("SELECT pg_cancel_backend($1)", [pid]));
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #repeat<Result>(attempt: Attempt<Result>): Promise<Result> {
    for (let count = 1; ; count += 1) {
      try {
        return await this.#withClient(attempt);
      } catch (error) {
        if (isCollision(error) && count < attemptsMax) continue;
        throw describeFailure(error, this);
      }
    }
  }

  async #withClient<Result>(attempt: Attempt<Result>): Promise<Result> {
    const client = await this.#pool.connect();
    let broken = false;
    try {
      return await attempt(client);
    } catch (error) {
      broken = !(await rollBack(client));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** Statements that were sent after the one that failed only say that the transaction has failed. */
  async #attempt<Result>(client: PoolClient, scope: Scope, run: Work<Result>): Promise<Result> {
    const transaction = this.#transaction(client, scope);
    try {
      return await run(transaction);
    } catch (error) {
      throw isFollowUpError(error) ? (transaction.firstFailure ?? error) : error;
    }
  }

  #transaction(client: PoolClient, { unlimitedTime = false }: Scope): Transaction {
    const { prepare, statementTimeoutMs } = this.#settings;
    const answerMs = unlimitedTime ? unlimitedAnswerMs : statementTimeoutMs + answerGraceMs;
    return new Transaction(client, { prepare, distributed: this.distributed, answerMs });
  }

  async #begin(client: PoolClient, scope: Scope): Promise<void> {
    const { distributed } = this;
    const statements = beginStatements(scope, { settings: this.#settings, distributed });
    await inSequence(statements.map((statement) => client.query(statement)));
  }
}

/** A transaction in which a statement failed is rolled back by COMMIT, which then says so instead of failing. */
async function commit(client: PoolClient): Promise<void> {
  let warned = false;
  const notice = ({ severity }: { severity?: string | undefined }) => {
    if (severity === "WARNING") warned = true;
  };
  client.on("notice", notice);
  const { command } = await client.query("COMMIT").finally(() => client.off("notice", notice));
  if (command !== "COMMIT") throw new TypeError("a transaction was committed after a failure");
  if (warned) throw new UncertainCommit();
}

/** False if the connection is of no more use. */
async function rollBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query("ROLLBACK");
    return true;
  } catch (error) {
    return isAnswer(error);
  }
}
