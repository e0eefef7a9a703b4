// Statements that are the same on every engine, as generator functions: they yield statements, receive the answers, and
// return a result. SQLite runs them synchronously, PostgreSQL asynchronously (run.ts). Nothing here depends on a
// driver.
//
// A generator runs once, and PostgreSQL repeats transactions. So an engine is given the function and its arguments,
// `perform(findKey, keyId)`, never a generator. Within this folder a function is called with `yield*`; a call without
// it does nothing, and test/repository/yields.test.ts reports it.

export type Value = null | boolean | number | string | Uint8Array | readonly string[];

export interface Statement {
  readonly method: "get" | "all" | "run";
  /**
   * A constant: each text is prepared once and cached. Values are `$1`, `$2`…; see `textFor` for lines of one engine.
   */
  readonly sql: string;
  readonly values: readonly Value[];
}

/** Statements that do not depend on each other's answers; PostgreSQL receives them in one round trip. */
export interface Together {
  readonly method: "together";
  readonly statements: readonly Statement[];
}

export type Statements<Result> = Generator<Statement | Together, Result, unknown>;

/** Thrown in a transaction to have it rolled back and begun again: another process has changed what it depends on. */
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

/** How many rows were changed. */
export function* run(sql: string, ...values: readonly Value[]): Statements<number> {
  return (yield* ask({ method: "run", sql, values })) as number;
}

/** Runs them in this order. */
export function* runTogether(
  ...statements: readonly (readonly [sql: string, ...values: readonly Value[]])[]
): Statements<void> {
  yield* ask({
    method: "together",
    statements: statements.map(([sql, ...values]) => ({ method: "run", sql, values })),
  });
}

function* ask(statement: Statement | Together): Statements<unknown> {
  try {
    return yield statement;
  } catch (error) {
    throw withCallers(error);
  }
}

/** The stack of a failed statement ends in the engine; this adds the functions of this folder that yielded it. */
function withCallers(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const callers = (new Error("callers").stack ?? "")
    .split("\n")
    .filter((line) => line.includes("/store/sql/") && !line.includes("/statements."));
  if (callers.length > 0) error.stack = `${error.stack}\n  running\n${callers.join("\n")}`;
  return error;
}

export type EngineName = "sqlite" | "postgres";

/** The rest of such a line is only for that engine. */
const onlyOnEngine = /^( *)--(sqlite|postgres) (.*)$/gm;

export function textFor(engine: EngineName, sql: string): string {
  return sql.replaceAll(onlyOnEngine, (_, indent: string, name: string, line: string) =>
    name === engine ? indent + line : "",
  );
}
