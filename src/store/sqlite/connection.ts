// One connection to the database file, with every statement prepared once. Knows how to open and how to run, never
// what is in the tables.

import { DatabaseSync, type StatementSync } from "node:sqlite";
import { AppError } from "../../domain/error.ts";
import { FileError } from "../../files/file-error.ts";
import { findCreationObstacle, findObstacle } from "../../files/path-obstacle.ts";
import { runSync } from "../sql/run.ts";
import type { Statement, Statements, Together } from "../sql/statements.ts";
import { StoreError } from "../store-error.ts";
import { makePrivateFile } from "./file/private-file.ts";
import { sqliteText, toSqlite } from "./statement-text.ts";

/** The Retry-After while the disk is full or can not be written. */
export const noRoomRetrySeconds = 10;

export type Value = null | number | string | Uint8Array;

/** Primary result codes of SQLite (sqlite.org/rescode.html). */
const busyCode = 5;
/** READONLY, IOERR, FULL, CANTOPEN: the disk is full, or can't be written. */
const unwritableCodes: ReadonlySet<number | undefined> = new Set([8, 10, 13, 14]);
const notADatabaseCode = 26;

/**
 * A page number below this has a zero or one as its first byte, by which free-space.ts tells content pages from
 * pages of a tree. So one file holds at most 128 GiB.
 */
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
 * Pages in memory up to 16 MiB: what else is read comes from the system's cache, and more showed no gain. The WAL is
 * copied back into the database at about 80 MB, and its file keeps its space: growing it costs twice.
 */
const writerPragmas = `
  PRAGMA cache_size = -16384;
  PRAGMA wal_autocheckpoint = 20000;
  PRAGMA journal_size_limit = 104857600;
`;

export class Connection {
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string, { readOnly }: { readonly readOnly: boolean }) {
    this.path = path;
    this.#database = new DatabaseSync(path, { readOnly, timeout: 5_000, defensive: true });
    this.exec(pragmas);
    if (!readOnly) this.exec(writerPragmas);
  }

  // The row type of a statement is known where the statement is written.
  /** The first row. `sql` must be a constant of the caller's: each text is prepared once and kept. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  get<Row>(sql: string, ...values: readonly Value[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined;
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  all<Row>(sql: string, ...values: readonly Value[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[];
  }

  /** One row after another, for as long as the caller likes to go on. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  each<Row>(sql: string, ...values: readonly Value[]): Iterable<Row> {
    return this.#prepare(sql).iterate(...values) as Iterable<Row>;
  }

  /** How many rows were changed. */
  run(sql: string, ...values: readonly Value[]): number {
    return Number(this.#prepare(sql).run(...values).changes);
  }

  /** Runs statements that are the same on every engine. */
  perform<Args extends readonly unknown[], Result>(
    work: (...args: Args) => Statements<Result>,
    ...args: Args
  ): Result {
    return runSync(work(...args), this.#answer);
  }

  readonly #answer = (statement: Statement | Together): unknown => {
    if (statement.method === "together") return statement.statements.map(this.#answer);
    const { method, sql, values } = statement;
    return this[method](sqliteText(sql), ...values.map(toSqlite));
  };

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
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

/** Opens the connection that writes; makes the file and its folder, readable by their owner alone. Throws StoreError. */
export function openWriter(path: string): Connection {
  let connection: Connection | undefined;
  try {
    // SQLite gives the WAL and its index the mode of the database file.
    makePrivateFile(path);
    connection = new Connection(path, { readOnly: false });
    // Before anything is changed, even the journal mode: the database may be another program's.
    hasTables(connection);
    letGivePagesBack(connection);
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
    `The database ${connection.path} holds tables of another program. Name another file in DATABASE_URL.`,
  );
}

export function openReader(path: string): Connection {
  return new Connection(path, { readOnly: true });
}

/** Runs `work` in a transaction that has the right to write from its start; a throw undoes all of it. */
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

/** A full disk or a failed commit ends a transaction by itself, so there may be nothing left to roll back. */
export function rollBack(connection: Connection): void {
  if (connection.inTransaction) connection.run("ROLLBACK");
}

/** Runs `work` so that a throw undoes it, and nothing else of the transaction around it. */
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

/** True if another connection held a lock for longer than the busy timeout. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === busyCode;
}

/** What is thrown in place of an error of SQLite: AppError unavailable for what passes by itself or by an operator's act. */
export function describeWriteFailure(cause: unknown): unknown {
  if (isBusy(cause)) return new AppError("unavailable", { retryAfterSeconds: 1, cause });
  if (!unwritableCodes.has(resultCode(cause))) return cause;
  return new AppError("unavailable", { retryAfterSeconds: noRoomRetrySeconds, cause });
}

function resultCode(error: unknown): number | undefined {
  const extended = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof extended === "number" ? extended & 0xff : undefined;
}

/** Can be chosen only while a file is empty (sqlite.org/pragma.html#pragma_auto_vacuum). */
function letGivePagesBack(connection: Connection): void {
  const { page_count: pages } = connection.get<{ page_count: number }>("PRAGMA page_count") ?? {};
  if (pages === 0) connection.exec("PRAGMA auto_vacuum = INCREMENTAL");
}

/** Two processes that make the same file at once meet here, where SQLite does not wait by itself. */
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

/** SQLite names neither the file nor the folder that it may not use. */
function findStoreObstacle(path: string): string | undefined {
  const files = [path, `${path}-wal`, `${path}-shm`];
  const found = files.map((file) => findObstacle(file, "write")).find((text) => text !== undefined);
  return found ?? findCreationObstacle(`${path}-wal`);
}

export function describeFailure(path: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  // It names the folder or file that stands in the way.
  if (cause instanceof FileError) return new StoreError(cause.message, { cause });
  const reason = cause instanceof Error ? cause.message : String(cause);
  const why =
    resultCode(cause) === notADatabaseCode
      ? "it is not an SQLite database. Name another file in DATABASE_URL, or move this one away."
      : (findStoreObstacle(path) ?? `${reason}.`);
  return new StoreError(`The store ${path} can't be opened: ${why}`, { cause });
}
