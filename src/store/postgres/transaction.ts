// Runs statements in one transaction on one connection. Begins and ends no transaction itself.

import { hash as digest } from "node:crypto";
import type { PoolClient, QueryConfig, QueryResult } from "pg";
import { freeMemory } from "../../basics/own-memory.ts";
import type { Deletion } from "../../domain/deletion/deletion.ts";
import { keyText, type RecordKey } from "../../domain/record/record-write.ts";
import { arrayTypesOf, encodeArray } from "./array-value.ts";
import { setLocal } from "./begin.ts";
import { Pace, partsOf } from "./pace.ts";
import { runAsync } from "../sql/statement/run.ts";
import {
  type Insertion,
  type Parts,
  type Request,
  Rows,
  type Scalar,
  type Statements,
  textFor,
} from "../sql/statement/statements.ts";
import type { StoreParts } from "../sql/store-parts.ts";
import { inSequence } from "./commit/settle-all.ts";
import { send } from "./send.ts";

type Value =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | readonly (null | boolean | number | string | Uint8Array)[];

/** For statements that are sent without waiting for BEGIN: false outside a transaction, which settings end with. */
export const inTransaction = `current_setting('sluice.organizations', true) <> ''`;

/** Citus runs the rest of a line after this mark; elsewhere it is a comment. */
const onlyOnCitus = /^( *)--citus /gm;

/** A line that ends with this comment is left out on Citus. */
const onlyElsewhere = /^.* --elsewhere$/gm;

/** On Citus: whether a statement that touches several shards locks them in the order of their numbers. */
const setShardLocks = `SELECT set_config('citus.enable_deadlock_prevention', $1, true)`;

const enterOrganization = `SELECT set_config('sluice.organizations', $1, true)`;

/** Maps the text of each prepared statement to its name. There are as many as statements in this folder. */
const names = new Map<string, string>();

interface TransactionOptions {
  readonly prepare: boolean;
  readonly distributed: boolean;
  readonly storeParts: StoreParts;
  /** How long the server may take for a statement before it is abandoned, with its connection. */
  readonly answerMs: number;
  readonly lockRecords: (transaction: Transaction, keys: readonly RecordKey[]) => Promise<unknown>;
  readonly preparePlans: (
    transaction: Transaction,
    deletions: readonly Deletion[],
  ) => Promise<readonly Deletion[]>;
}

export class Transaction {
  /** True on Citus, where a few statements differ. */
  readonly distributed: boolean;
  /** What features have in the store. */
  readonly storeParts: StoreParts;
  readonly #client: PoolClient;
  readonly #options: TransactionOptions;
  readonly #pace = new Pace();
  #firstFailure: unknown;
  #stopping: AbortSignal | undefined;

  constructor(client: PoolClient, options: TransactionOptions) {
    this.#client = client;
    this.#options = options;
    this.distributed = options.distributed;
    this.storeParts = options.storeParts;
  }

  /** The first error of the transaction; undefined if there was none. */
  get firstFailure(): unknown {
    return this.#firstFailure;
  }

  /** From now on, the next pause of long work throws when the signal is aborted. */
  endAtPause(stopping: AbortSignal | undefined): void {
    this.#stopping = stopping;
  }

  /** Makes the data of these organizations visible to the rest of the transaction. Their ids contain no comma. */
  async showOrganizations(...organizationIds: readonly string[]): Promise<void> {
    const list = organizationIds.join(",");
    if (this.distributed) await this.exec(setLocal(["sluice.organizations", list]));
    else await this.run(enterOrganization, list);
  }

  // The row type of a statement is known where the statement is written.
  /** `sql` must be a constant: each text is prepared once on each connection, and cached. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  async all<Row>(sql: string, ...values: readonly Value[]): Promise<Row[]> {
    const { rows } = await this.#execute(sql, values);
    return rows as Row[];
  }

  /** Like `all`, with each row as a list of its columns. */
  async lists(sql: string, ...values: readonly Value[]): Promise<unknown[][]> {
    const { rows } = await this.#execute(sql, values, { rowMode: "array" });
    return rows as unknown[][];
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  async get<Row>(sql: string, ...values: readonly Value[]): Promise<Row | undefined> {
    return (await this.all<Row>(sql, ...values))[0];
  }

  /** Returns how many rows were changed. */
  async run(sql: string, ...values: readonly Value[]): Promise<number> {
    const { rowCount } = await this.#execute(sql, values);
    return rowCount ?? 0;
  }

  /** The first statement is sent before this returns, so a function with a single one takes one round trip. */
  perform<Args extends readonly unknown[], Result>(
    work: (...args: Args) => Statements<Result>,
    ...args: Args
  ): Promise<Result> {
    return runAsync(work(...args), this.#answer);
  }

  readonly #answer = (request: Request): unknown =>
    request.method === "parts" ? this.storeParts : this.#send(request);

  readonly #send = async (request: Exclude<Request, Parts>): Promise<unknown> => {
    if (request.method === "together") return inSequence(request.statements.map(this.#send));
    if (request.method === "pause") {
      this.#stopping?.throwIfAborted();
      return this.#pace.pause();
    }
    if (request.method === "lock") return this.#lock(request.keys);
    if (request.method === "preparePlans")
      return this.#options.preparePlans(this, request.deletions);
    const { method, sql, insertion } = request;
    const columns = request.values.flatMap((value) => (value instanceof Rows ? value.columns : []));
    if (insertion !== undefined && this.distributed) {
      // Columns that only SQLite has come last.
      return this.#insertEach(insertion, columns.slice(0, insertion.row.split("?").length - 1));
    }
    const values = request.values.flatMap((value): readonly Value[] =>
      value instanceof Rows ? value.columns : [value],
    );
    return this[method](textFor("postgres", sql), ...values);
  };

  /** Locks records. On Citus, a single statement does this, which locks the shards in their order. */
  async #lock(keys: readonly RecordKey[]): Promise<true> {
    const sorted = keys.toSorted((one, other) => (keyText(one) < keyText(other) ? -1 : 1));
    // Even without keys, as many statements are sent as for a confidential record, because the time must not disclose
    // it.
    if (keys.length === 0) await this.#options.lockRecords(this, keys);
    for (const part of this.distributed ? [sorted] : partsOf(sorted)) {
      await this.#options.lockRecords(this, part);
      if (sorted.length > part.length) await this.#pace.pause();
    }
    return true;
  }

  /** Inserts from an array for each column, all of the same length. Returns how many. */
  async insert(
    sql: string,
    insertion: Insertion,
    columns: readonly (readonly Scalar[] | readonly (Uint8Array | null)[])[],
  ): Promise<number> {
    if (columns[0]?.length === 0) return 0;
    return this.distributed ? this.#insertEach(insertion, columns) : this.run(sql, ...columns);
  }

  /** For Citus, which can't insert from arrays into shards. */
  async #insertEach(insertion: Insertion, columns: readonly (readonly Value[])[]): Promise<number> {
    const sent = makeInsertion(insertion, columns).map((config) => this.#query(config));
    const results = await inSequence(sent);
    return results.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0);
  }

  /**
   * Runs one statement that locks rows of several shards. On Citus, this serializes transactions that lock rows of the
   * same shards: the workers lock their rows concurrently, so two transactions could deadlock. Call it once in a
   * transaction, before it has locked any row of a shard.
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

  /** Runs several statements without values, for migrations. */
  async exec(sql: string): Promise<void> {
    await this.#query({ text: sql });
  }

  /** Frees the arrays afterwards: many of them would make V8 collect the whole heap, and the message has a copy. */
  async #execute(sql: string, values: readonly Value[], form?: object): Promise<QueryResult> {
    const config = { ...this.#statement(sql, values), ...form };
    const result = await this.#query(config);
    config.values?.forEach((value: unknown, place) => {
      if (Array.isArray(values[place]) && value instanceof Buffer) freeMemory(value);
    });
    return result;
  }

  /** Answers arrive in the order of the statements. */
  async #query(config: QueryConfig): Promise<QueryResult> {
    try {
      return await send(this.#client, config, this.#options.answerMs);
    } catch (error) {
      this.#firstFailure ??= error;
      throw error;
    }
  }

  #statement(sql: string, values: readonly Value[]): QueryConfig {
    const text = this.distributed
      ? sql.replaceAll(onlyElsewhere, "").replaceAll(onlyOnCitus, "$1")
      : sql;
    // Citus reads the values to find the shards.
    const encoded = this.distributed ? [...values] : withArrays(sql, values);
    const config = { text, values: encoded };
    return this.#options.prepare ? { ...config, name: nameOf(sql) } : config;
  }
}

/** Maps the text of each statement to the types of its arrays. */
const arrayTypes = new Map<string, ReadonlyMap<number, string>>();

function withArrays(sql: string, values: readonly Value[]): unknown[] {
  let types = arrayTypes.get(sql);
  if (types === undefined) arrayTypes.set(sql, (types = arrayTypesOf(sql)));
  return values.map((value, place) =>
    isList(value) ? (encodeArray(value, types.get(place)) ?? value) : value,
  );
}

function isList(value: Value): value is Exclude<Value, Scalar | Uint8Array> {
  return Array.isArray(value);
}

function nameOf(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = `sluice_${digest("sha256", sql).slice(0, 16)}`;
    names.set(sql, name);
  }
  return name;
}

/** Longer statements gain nothing: Citus plans each row separately. */
const rowsAtOnce = 500;

/** The statement is not prepared: each number of rows has its own text, and Citus plans each time anyway. */
export function makeInsertion(
  { into, row, end }: Insertion,
  columns: readonly (readonly unknown[])[],
): readonly QueryConfig[] {
  const rows = columns[0]?.length ?? 0;
  const statements: QueryConfig[] = [];
  for (let from = 0; from < rows; from += rowsAtOnce) {
    const count = Math.min(rowsAtOnce, rows - from);
    let place = 0;
    const places = `${row}, `.repeat(count).slice(0, -2);
    const text = `${into} ${places.replaceAll("?", () => `$${(place += 1)}`)} ${end}`;
    const values = Array.from({ length: count }, (_, index) =>
      columns.map((column) => column[from + index]),
    ).flat();
    statements.push({ text, values });
  }
  return statements;
}
