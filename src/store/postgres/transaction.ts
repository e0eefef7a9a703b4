// One transaction on one connection, as the statements' files see it. Begins and ends nothing itself.

import { hash as digest } from "node:crypto";
import type { PoolClient, QueryConfig, QueryResult } from "pg";
import { setLocal } from "./begin.ts";
import { runAsync } from "../sql/run.ts";
import { type Statement, type Statements, textFor, type Together } from "../sql/statements.ts";
import { inSequence } from "./commit/in-sequence.ts";
import { makeInsertion, type RowInsertion } from "./commit/row-insertion.ts";

export type Value =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | readonly (null | boolean | number | string | Uint8Array)[];

/**
 * A condition of what is sent without waiting for BEGIN (Database.inOneGo): false outside a transaction, whose settings
 * end with it.
 */
export const inTransaction = `current_setting('sluice.organizations', true) <> ''`;

/** The rest of such a line is for Citus alone; to the others it is a comment. */
const onlyOnCitus = /^( *)--citus /gm;

/** On Citus: whether a statement that touches several shards locks them, in the order of their numbers. */
const setShardLocks = `SELECT set_config('citus.enable_deadlock_prevention', $1, true)`;

const enterOrganization = `SELECT set_config('sluice.organizations', $1, true)`;

/** By the text of a statement: the name under which it is prepared. There are as many as statements in this folder. */
const names = new Map<string, string>();

export interface TransactionOptions {
  readonly prepare: boolean;
  readonly distributed: boolean;
  /** How long a statement may go without an answer before it is given up, with its connection. */
  readonly answerMs: number;
}

export class Transaction {
  /** True on Citus, for which a few statements are put otherwise. */
  readonly distributed: boolean;
  readonly #client: PoolClient;
  readonly #options: TransactionOptions;
  #firstFailure: unknown;

  constructor(client: PoolClient, options: TransactionOptions) {
    this.#client = client;
    this.#options = options;
    this.distributed = options.distributed;
  }

  /** Why the transaction has failed: what the server answered first. Undefined as long as it has not. */
  get firstFailure(): unknown {
    return this.#firstFailure;
  }

  /** From here on the transaction sees the data of this organization too. */
  async enter(organizationId: string): Promise<void> {
    if (this.distributed) await this.exec(setLocal(["sluice.organizations", organizationId]));
    else await this.run(enterOrganization, organizationId);
  }

  // The row type of a statement is known where the statement is written.
  /** `sql` must be a constant of the caller's: each text is prepared once a connection, and kept. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  async all<Row>(sql: string, ...values: readonly Value[]): Promise<Row[]> {
    const { rows } = await this.#query(this.#statement(sql, values));
    return rows as Row[];
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  async get<Row>(sql: string, ...values: readonly Value[]): Promise<Row | undefined> {
    return (await this.all<Row>(sql, ...values))[0];
  }

  /** How many rows were changed. */
  async run(sql: string, ...values: readonly Value[]): Promise<number> {
    const { rowCount } = await this.#query(this.#statement(sql, values));
    return rowCount ?? 0;
  }

  /**
   * Runs statements that are the same on every engine. The first is sent before this returns, so those with a single one
   * fit into one round trip (Database.inOneGo).
   */
  perform<Args extends readonly unknown[], Result>(
    work: (...args: Args) => Statements<Result>,
    ...args: Args
  ): Promise<Result> {
    return runAsync(work(...args), this.#answer);
  }

  readonly #answer = async (statement: Statement | Together): Promise<unknown> => {
    if (statement.method === "together") return inSequence(statement.statements.map(this.#answer));
    const { method, sql, values } = statement;
    return this[method](postgresText(sql), ...values);
  };

  /** On Citus, which takes no rows from arrays into shards. How many rows were inserted. Columns are of equal length. */
  async insertEach(
    insertion: RowInsertion,
    columns: readonly (readonly Value[])[],
  ): Promise<number> {
    const sent = makeInsertion(insertion, columns).map((config) =>
      this.#query(this.#withAnswerTimeout(config)),
    );
    const results = await inSequence(sent);
    return results.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0);
  }

  /**
   * Runs one statement that locks rows of several shards. On Citus transactions that do so on the same shards come one
   * after another: each worker locks its rows at once, so two of them could otherwise wait for each other. To be called
   * once in a transaction, before it has locked any row of a shard.
   */
  async inShardOrder<Result>(statement: () => Promise<Result>): Promise<Result> {
    if (!this.distributed) return statement();
    const [, result] = await inSequence([
      this.run(setShardLocks, "on"),
      statement(),
      this.run(setShardLocks, "off"),
    ] as const);
    return result;
  }

  /** Several statements without values, for migrations. */
  async exec(sql: string): Promise<void> {
    await this.#query(this.#withAnswerTimeout({ text: sql }));
  }

  /** Answers arrive in the order of the statements. */
  async #query(config: QueryConfig): Promise<QueryResult> {
    try {
      return await this.#client.query(config);
    } catch (error) {
      this.#firstFailure ??= error;
      throw error;
    }
  }

  #statement(sql: string, values: readonly Value[]): QueryConfig {
    const text = this.distributed ? sql.replaceAll(onlyOnCitus, "$1") : sql;
    const config = this.#withAnswerTimeout({ text, values: [...values] });
    return this.#options.prepare ? { ...config, name: nameOf(sql) } : config;
  }

  #withAnswerTimeout(config: QueryConfig): QueryConfig & { query_timeout: number } {
    return { ...config, query_timeout: this.#options.answerMs };
  }
}

/** By the shared text of a statement: its text here. */
const texts = new Map<string, string>();

function postgresText(sql: string): string {
  let text = texts.get(sql);
  if (text === undefined) texts.set(sql, (text = textFor("postgres", sql)));
  return text;
}

function nameOf(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = `sluice_${digest("sha256", sql).slice(0, 16)}`;
    names.set(sql, name);
  }
  return name;
}
