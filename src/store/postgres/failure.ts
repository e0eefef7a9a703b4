// What a failure of the server or of the way to it means for a caller: try again, or a fault of ours. Never repeats a URL,
// a password or the values of a statement.

import { DatabaseError } from "pg";
import { AppError } from "../../domain/error.ts";
import { StoreError } from "../store-error.ts";

/** SQLSTATEs (postgresql.org/docs/current/errcodes-appendix.html) that end by themselves, by class or in full. */
const passingClasses: ReadonlySet<string> = new Set(["08", "53", "57"]);
const passingStates: ReadonlySet<string> = new Set([
  "25006", // read_only_sql_transaction: the server became a replica
  "25P03", // idle_in_transaction_session_timeout
  "55P03", // lock_not_available
]);

/**
 * On Citus also these: the error of a connection to a worker that broke in the middle of a statement has no SQLSTATE of its
 * own (internal_error), and what follows it there is in_failed_sql_transaction.
 */
const passingStatesOnCitus: ReadonlySet<string> = new Set(["XX000", "25P02"]);

/** invalid_sql_statement_name, duplicate_prepared_statement: the connection is not the one it was a moment ago. */
const lostStatementStates: ReadonlySet<string> = new Set(["26000", "42P05"]);

/** Another transaction came first; the same one, begun again, may well succeed. */
const collisionStates: ReadonlySet<string> = new Set(["40001", "40P01"]);

/** Thrown inside a transaction to have it rolled back and begun again. */
export class Collision extends Error {
  override readonly name = "Collision";
}

/**
 * Citus has committed, and warns that a worker could not be told. What that one has prepared is safe, but nobody sees it
 * before the coordinator has told it again; so until then nothing may be said of it.
 */
export class UncertainCommit extends Error {
  override readonly name = "UncertainCommit";

  constructor() {
    super("a worker of the cluster has not been told of a commit yet");
  }
}

export function isCollision(error: unknown): boolean {
  if (error instanceof Collision) return true;
  return error instanceof DatabaseError && collisionStates.has(error.code ?? "");
}

/** True if the server answered, so that the connection may be used further. */
export function isAnswer(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.severity !== "FATAL" && error.severity !== "PANIC";
}

/** What the server said, by its SQLSTATE, without the values of rows that the driver's error carries along. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  readonly state: string;

  constructor({ code = "?", message, table, constraint }: DatabaseError) {
    const place = [code, table, constraint].filter((name) => name !== undefined).join(", ");
    super(`PostgreSQL: ${message} (${place})`);
    this.state = code;
  }
}

export function hasState(error: unknown, state: string): boolean {
  if (error instanceof ServerError) return error.state === state;
  return error instanceof DatabaseError && error.code === state;
}

/** True if the statement was not run because an earlier one of its transaction had failed. */
export function isFollowUpError(error: unknown): boolean {
  return hasState(error, "25P02");
}

/** What is thrown in place of an error of the driver. Errors that are not of the server or the network stay. */
export function describeFailure(
  error: unknown,
  { distributed }: { readonly distributed: boolean },
): unknown {
  if (error instanceof AppError || error instanceof StoreError) return error;
  if (isCollision(error) || isPassing(error, distributed)) {
    return new AppError("unavailable", { retryAfterSeconds: 1, cause: withoutValues(error) });
  }
  if (error instanceof DatabaseError && lostStatementStates.has(error.code ?? "")) {
    return new StoreError(
      "A pooler in front of the server does not keep prepared statements. Set DATABASE_PREPARE=off, or have the pooler " +
        "keep them (PgBouncer: 1.21 or newer, max_prepared_statements above 0).",
      { cause: withoutValues(error) },
    );
  }
  return withoutValues(error);
}

function isPassing(error: unknown, distributed: boolean): boolean {
  if (error instanceof DatabaseError) {
    const state = error.code ?? "";
    if (distributed && passingStatesOnCitus.has(state)) return true;
    return passingClasses.has(state.slice(0, 2)) || passingStates.has(state);
  }
  return error instanceof UncertainCommit || isLostConnection(error);
}

/** The driver has no class for its own errors; those of the system have a code, and a fault in a program a class. */
function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("syscall" in error) return true;
  return error.constructor === Error;
}

function withoutValues(error: unknown): unknown {
  return error instanceof DatabaseError ? new ServerError(error) : error;
}
