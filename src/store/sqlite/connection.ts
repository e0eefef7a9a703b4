// One connection to the database file, with every statement prepared once. Opens the file and runs statements; knows
// nothing about the tables.

import { DatabaseSync, type StatementSync } from "node:sqlite";
import { runSync } from "../sql/statement/run.ts";
import type { Request, Statements } from "../sql/statement/statements.ts";
import type { StoreParts } from "../sql/store-parts.ts";
import { StoreError } from "../interface/store-error.ts";
import { describeFailure, isBusy } from "./failure.ts";
import { makePrivateFile } from "./file/private-file.ts";
import { canCorruptWal, sqliteVersion } from "./sqlite-version.ts";
import { sqliteText, toSqlite } from "./statement-text.ts";

/** The user version in the header says whether the store was closed (file/store-file.ts). */
export const openMark = 1;

export function isMarkedOpen(connection: Connection): boolean {
  return connection.get<{ user_version: number }>("PRAGMA user_version")?.user_version === openMark;
}

export type Value = null | number | string | Uint8Array;

/** Up to this, a page number begins with a byte of 0 or 1 (free-space.ts). This limits a file to 128 GiB. */
const pagesMax = 0x1ff_ffff;

const pragmas = `
  PRAGMA busy_timeout = 5000;
  PRAGMA synchronous = FULL;
  PRAGMA secure_delete = ON;
  PRAGMA foreign_keys = ON;
  PRAGMA trusted_schema = OFF;
  PRAGMA temp_store = MEMORY;
  PRAGMA max_page_count = ${pagesMax};
`;

/**
 * A page cache of 16 MiB: other reads are served by the system's cache, and a larger one showed no gain. The WAL is
 * checkpointed at about 80 MB, and its file keeps its size: growing it again would double the cost of a write.
 */
const writerPragmas = `
  PRAGMA cache_size = -16384;
  PRAGMA wal_autocheckpoint = 20000;
  PRAGMA journal_size_limit = 104857600;
`;

interface ConnectionOptions {
  readonly readOnly: boolean;
  readonly explain?: ((cause: unknown) => unknown) | undefined;
  /** Missing where only files and pages are read. */
  readonly parts?: StoreParts;
}

export class Connection implements Disposable {
  readonly path: string;
  readonly #readOnly: boolean;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #explain: (cause: unknown) => unknown;
  readonly #parts: StoreParts | undefined;

  /** `explain` returns the error to throw for an error of SQLite. */
  constructor(path: string, { readOnly, parts, explain = (cause) => cause }: ConnectionOptions) {
    this.path = path;
    this.#parts = parts;
    this.#readOnly = readOnly;
    this.#explain = explain;
    requireSafeVersion(path);
    this.#database = new DatabaseSync(path, { readOnly, timeout: 5_000, defensive: true });
    this.exec(pragmas);
    if (!readOnly) this.exec(writerPragmas);
  }

  /** What features have in the store. */
  get parts(): StoreParts {
    if (this.#parts === undefined) throw new TypeError("the connection was opened without parts");
    return this.#parts;
  }

  // The row type of a statement is known where the statement is written.
  /** Returns the first row. `sql` must be a constant: each text is prepared once and cached. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  get<Row>(sql: string, ...values: readonly Value[]): Row | undefined {
    try {
      return this.#prepare(sql).get(...values) as Row | undefined;
    } catch (cause) {
      throw this.#explain(cause);
    }
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  all<Row>(sql: string, ...values: readonly Value[]): Row[] {
    try {
      return this.#prepare(sql).all(...values) as Row[];
    } catch (cause) {
      throw this.#explain(cause);
    }
  }

  /** Like `all`, with each row as a list of its columns; `sql` is read in no other way. */
  lists(sql: string, ...values: readonly Value[]): unknown[][] {
    try {
      const statement = this.#prepare(sql);
      statement.setReturnArrays(true);
      return statement.all(...values) as unknown as unknown[][];
    } catch (cause) {
      throw this.#explain(cause);
    }
  }

  /** Reads rows one by one; the caller may stop at any row. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  each<Row>(sql: string, ...values: readonly Value[]): Iterable<Row> {
    return this.#prepare(sql).iterate(...values) as Iterable<Row>;
  }

  /** Returns how many rows were changed. */
  run(sql: string, ...values: readonly Value[]): number {
    try {
      return Number(this.#prepare(sql).run(...values).changes);
    } catch (cause) {
      throw this.#explain(cause);
    }
  }

  /** Runs statements that are the same on every engine. */
  perform<Args extends readonly unknown[], Result>(
    work: (...args: Args) => Statements<Result>,
    ...args: Args
  ): Result {
    return runSync(work(...args), this.#answer);
  }

  readonly #answer = (request: Request): unknown => {
    if (request.method === "parts") return this.parts;
    if (request.method === "together") return request.statements.map(this.#answer);
    // Only one transaction writes at a time, and nobody is served before it ends: nothing to lock, and no pause.
    if (!("sql" in request)) return false;
    const { method, sql, values } = request;
    const { text, places } = sqliteText(sql);
    return this[method](text, ...toSqlite(values, places));
  };

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** SQLite removes the WAL with the last connection that could write; a file that is marked as open needs its WAL. */
  close(): void {
    this.#statements.clear();
    using reader = this.#keepsWal() ? new DatabaseSync(this.path, { readOnly: true }) : undefined;
    reader?.prepare("PRAGMA user_version").get();
    this.#database.close();
  }

  #keepsWal(): boolean {
    try {
      return !this.#readOnly && isMarkedOpen(this);
    } catch {
      return false;
    }
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** Runs before the database is opened, which can already recover and checkpoint its WAL. */
function requireSafeVersion(path: string): void {
  const version = sqliteVersion();
  if (!canCorruptWal(version)) return;
  throw new StoreError(
    `The store ${path} can't be opened: this Node (${process.version}) has SQLite ${version}, which can corrupt a ` +
      "database that several processes use (https://sqlite.org/wal.html#walresetbug). Use Node 24.15 or later, or 25.9 " +
      "or later, which have SQLite 3.51.3 or later.",
  );
}

/** Creates the file and its folder if needed, readable only by their owner. Throws StoreError. */
export function openWriter(
  path: string,
  options: Required<Pick<ConnectionOptions, "parts">> & Pick<ConnectionOptions, "explain">,
): Connection {
  let connection: Connection | undefined;
  try {
    // SQLite gives the WAL and its index the mode of the database file.
    makePrivateFile(path);
    connection = new Connection(path, { readOnly: false, ...options });
    // Runs before anything is changed, even the journal mode: the database may belong to another program.
    hasTables(connection);
    useWriteAheadLog(connection);
    return connection;
  } catch (cause) {
    connection?.close();
    throw describeFailure(path, cause);
  }
}

/** False for an empty database. Throws StoreError for the tables of another program. */
export function hasTables(connection: Connection): boolean {
  const tables = connection.all<{ name: string }>(
    `SELECT name FROM sqlite_schema WHERE type = 'table'`,
  );
  if (tables.length === 0) return false;
  if (tables.some(({ name }) => name === "meta")) return true;
  throw new StoreError(
    `The database ${connection.path} contains tables of another program. Name another file in DATABASE_URL.`,
  );
}

export function openReader(
  path: string,
  options: Omit<ConnectionOptions, "readOnly"> = {},
): Connection {
  return new Connection(path, { readOnly: true, ...options });
}

/** Runs `work` in a transaction that holds the write lock from its start; an exception rolls all of it back. */
export function transaction<Result>(connection: Connection, work: () => Result): Result {
  connection.run("BEGIN IMMEDIATE");
  try {
    const result = work();
    connection.run("COMMIT");
    return result;
  } catch (error) {
    rollBack(connection);
    throw error;
  }
}

/** SQLite itself ends a transaction on a full disk or a failed commit, so there may be nothing to roll back. */
export function rollBack(connection: Connection): void {
  if (connection.inTransaction) connection.run("ROLLBACK");
}

/** Runs `work` so that an exception rolls back its changes, and nothing else of the enclosing transaction. */
export function savepoint<Result>(connection: Connection, work: () => Result): Result {
  connection.run("SAVEPOINT part");
  try {
    const result = work();
    connection.run("RELEASE part");
    return result;
  } catch (error) {
    if (connection.inTransaction) {
      connection.run("ROLLBACK TO part");
      connection.run("RELEASE part");
    }
    throw error;
  }
}

/** Two processes that create the same file at once collide here, where SQLite does not wait by itself. */
function useWriteAheadLog(connection: Connection): void {
  const deadline = performance.now() + 5_000;
  for (;;) {
    try {
      connection.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}
