// Statements that are the same on every engine, as generator functions: they yield statements, receive the answers, and
// return a result. SQLite runs them synchronously, PostgreSQL asynchronously (run.ts). Nothing here depends on a
// driver.
//
// A generator runs once, and PostgreSQL repeats transactions. So an engine is given the function and its arguments,
// `perform(findKey, keyId)`, never a generator. Within this folder a function is called with `yield*`; a call without
// it does nothing, and test/repository/yields.test.ts reports it.

import type { Deletion } from "../../../domain/deletion/deletion.ts";
import type { RecordKey } from "../../../domain/record/record-write.ts";

export type Value = Scalar | Uint8Array | readonly string[] | Rows;

export type Scalar = null | boolean | number | string;

/**
 * Rows that a statement joins or inserts. They count as one value for each column: PostgreSQL receives an array for
 * each column; on SQLite the first value is JSON with all rows and the others are empty.
 */
export class Rows {
  readonly rows: readonly (readonly Scalar[])[];
  readonly width: number;

  constructor(rows: readonly (readonly Scalar[])[], width: number) {
    this.rows = rows;
    this.width = width;
  }

  get columns(): readonly (readonly Scalar[])[] {
    return Array.from({ length: this.width }, (_, at) => this.rows.map((row) => row[at] ?? null));
  }
}

export interface Statement {
  /** `lists`: all rows, each as a list of its columns. */
  readonly method: "get" | "all" | "lists" | "run";
  /** The statement to use instead of `sql` where tables are distributed and rows can't be inserted from arrays. */
  readonly insertion?: Insertion;
  /** A constant: each text is prepared once. Values are `$1`, `$2`…; `textFor` explains lines for one engine. */
  readonly sql: string;
  readonly values: readonly Value[];
}

/** Texts of which the middle one is repeated for each row; it has a question mark for each value. */
export interface Insertion {
  readonly into: string;
  readonly row: string;
  readonly end: string;
}

/** Statements that do not depend on each other's answers; PostgreSQL receives them in one round trip. */
export interface Together {
  readonly method: "together";
  readonly statements: readonly Statement[];
}

/** Until the end of the transaction, in the order of their keys. False where only one transaction writes at a time. */
export interface Lock {
  readonly method: "lock";
  readonly keys: readonly RecordKey[];
}

/**
 * Makes their organizations visible, and locks the plans of those that nobody else has locked: another process may plan
 * for long, or be suspended. Nothing where one transaction at a time writes.
 */
export interface PreparePlans {
  readonly method: "preparePlans";
  readonly deletions: readonly Deletion[];
}

/** A pause between two parts of long work, in which others can be served in the middle of a transaction. */
export interface Pause {
  readonly method: "pause";
}

/** What the store was opened with (store-parts.ts). Nothing is sent to the engine. */
export interface Parts {
  readonly method: "parts";
}

export type Request = Statement | Together | Lock | PreparePlans | Pause | Parts;

export type Statements<Result> = Generator<Request, Result, unknown>;

/** Rolls a transaction back and begins it again: another process has changed something that it depends on. */
export class Collision extends Error {
  override readonly name = "Collision";
}

// The row type of a statement is known where the statement is written.
/** The first row. */
export function* get<Row>(sql: string, ...values: readonly Value[]): Statements<Row | undefined> {
  return (yield* ask({ method: "get", sql, values })) as Row | undefined;
}

export function* all<Row>(sql: string, ...values: readonly Value[]): Statements<readonly Row[]> {
  return (yield* ask({ method: "all", sql, values })) as readonly Row[];
}

/** The first row, converted by `read`. */
export function* find<Found>(
  read: (row: never) => Found,
  sql: string,
  ...values: readonly Value[]
): Statements<Found | undefined> {
  const row = yield* get(sql, ...values);
  return row === undefined ? undefined : read(row as never);
}

/** All rows, converted by `read`. */
export function* list<Found>(
  read: (row: never) => Found,
  sql: string,
  ...values: readonly Value[]
): Statements<readonly Found[]> {
  return (yield* all(sql, ...values)).map((row) => read(row as never));
}

/** The first column of the first row. */
export function* scalar<Found>(
  sql: string,
  ...values: readonly Value[]
): Statements<Found | undefined> {
  const row = yield* get<Readonly<Record<string, Found>>>(sql, ...values);
  return row && Object.values(row)[0];
}

/** The first column of each row. */
export function* column<Found>(
  sql: string,
  ...values: readonly Value[]
): Statements<readonly Found[]> {
  const rows = yield* all<Readonly<Record<string, Found>>>(sql, ...values);
  return rows.flatMap((row) => Object.values(row).slice(0, 1));
}

/** How many rows were changed. */
export function* run(sql: string, ...values: readonly Value[]): Statements<number> {
  return (yield* ask({ method: "run", sql, values })) as number;
}

/** Inserts rows; `sql` has no other value. */
export function* insert(sql: string, rows: Rows, insertion: Insertion): Statements<void> {
  if (rows.rows.length === 0) return;
  yield* ask({ method: "run", sql, values: [rows], insertion });
}

type Texted = readonly [sql: string, ...values: readonly Value[]];

/** The rows of each query. */
export function* allTogether<Rows extends readonly (readonly unknown[])[]>(
  ...statements: readonly Texted[]
): Statements<Rows> {
  return (yield* askTogether("all", statements)) as Rows;
}

/** Like `allTogether`, with each row as a list of its columns: thousands of rows are read in half the time. */
export function* listsTogether<Rows extends readonly (readonly (readonly unknown[])[])[]>(
  ...statements: readonly Texted[]
): Statements<Rows> {
  return (yield* askTogether("lists", statements)) as Rows;
}

/** Runs them in this order. */
export function* runTogether(statements: readonly Texted[]): Statements<void> {
  yield* askTogether("run", statements);
}

function askTogether(
  method: Statement["method"],
  statements: readonly Texted[],
): Statements<unknown> {
  const batch = statements.map(([sql, ...values]) => ({ method, sql, values }));
  return ask({ method: "together", statements: batch });
}

/** Whether the records had to be locked. */
export function* lock(keys: readonly RecordKey[]): Statements<boolean> {
  return (yield* ask({ method: "lock", keys })) as boolean;
}

/** Returns which of them can be planned. */
export function* preparePlans(deletions: readonly Deletion[]): Statements<readonly Deletion[]> {
  const locked = (yield* ask({ method: "preparePlans", deletions })) as readonly Deletion[] | false;
  return locked || deletions;
}

export function* pause(): Statements<void> {
  yield* ask({ method: "pause" });
}

export function* askParts(): Statements<unknown> {
  return yield* ask({ method: "parts" });
}

function* ask(statement: Request): Statements<unknown> {
  try {
    return yield statement;
  } catch (error) {
    throw withCallers(error);
  }
}

/** The stack of a failed statement ends in the engine; this adds the functions that yielded the statement. */
function withCallers(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const callers = (new Error("callers").stack ?? "")
    .split("\n")
    .filter((line) => line.includes("/store/sql/") && !line.includes("/statements."));
  if (callers.length > 0) error.stack = `${error.stack}\n  running\n${callers.join("\n")}`;
  return error;
}

export type EngineName = "sqlite" | "postgres";

/** For one engine. A line for Citus remains a comment until the transaction knows whether it runs there. */
const onlyOnEngine = /^( *)--(sqlite|postgres|citus) (.*)$/gm;

/** The texts for each engine, by the shared text: as many as there are statements. */
const texts = { sqlite: new Map<string, string>(), postgres: new Map<string, string>() };

export function textFor(engine: EngineName, sql: string): string {
  let text = texts[engine].get(sql);
  if (text === undefined) texts[engine].set(sql, (text = withLinesFor(engine, sql)));
  return text;
}

function withLinesFor(engine: EngineName, sql: string): string {
  return sql.replaceAll(onlyOnEngine, (whole, indent: string, name: string, line: string) => {
    if (name === engine) return indent + line;
    return name === "citus" && engine === "postgres" ? whole : "";
  });
}
