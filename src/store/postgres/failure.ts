// Translates errors of the server and the connection for callers: a transient failure to retry, or an internal error.
// Never repeats a URL, a password or the values of a statement.

import { DatabaseError } from "pg";
import { AppError, unavailable, type UnavailableReason, EarlierState } from "../../domain/error.ts";
import { Collision } from "../sql/statement/statements.ts";
import { StoreError } from "../interface/store-error.ts";
import { ReadOnlyServer } from "./servers.ts";

/** read_only_sql_transaction */
export const readOnlyState = "25006";

export const insufficientPrivilege = "42501";

/** A statement has waited for a lock for as long as it may. */
export const lockNotAvailable = "55P03";

/** What the driver says if all connections of the pool are in use; to connect to the server fails with other words. */
const poolExhausted = "timeout exceeded when trying to connect";

/** Transient SQLSTATEs (postgresql.org/docs/current/errcodes-appendix.html), by class or in full. */
const transientClasses: ReadonlySet<string> = new Set([
  "08", // connection exception
  "28", // invalid authorization: a password was changed, or the role may not log in
  "3D", // the database was dropped or renamed
  "53", // insufficient resources
  "57", // operator intervention
  "58", // system error
]);
const transientStates: ReadonlySet<string> = new Set([
  readOnlyState,
  "55000", // the database accepts no connections
  "25P03", // idle_in_transaction_session_timeout
  "25P04", // transaction_timeout
  lockNotAvailable,
]);

/** On Citus also these, for a connection to a worker that breaks during a statement, and statements after it. */
const transientStatesOnCitus: ReadonlySet<string> = new Set(["XX000", "25P02"]);

/** invalid_sql_statement_name, duplicate_prepared_statement: a pooler has replaced the server connection. */
const lostStatementStates: ReadonlySet<string> = new Set(["26000", "42P05"]);

/** Another transaction came first; a retry will probably succeed. */
const collisionStates: ReadonlySet<string> = new Set(["40001", "40P01"]);

/**
 * The server has committed, but a failure may still undo it or hide it: a worker of Citus has not been notified, so its
 * changes are invisible until the coordinator commits them again; or a synchronous standby does not have it.
 */
export class UncertainCommit extends Error {
  override readonly name = "UncertainCommit";

  /** `warning`: what the server said. */
  constructor(warning = "a worker of the cluster has not been notified of a commit yet") {
    super(warning);
  }
}

export function isCollision(error: unknown): boolean {
  if (error instanceof Collision) return true;
  return error instanceof DatabaseError && collisionStates.has(error.code ?? "");
}

/** True if the server answered, so the connection can still be used. */
export function isAnswer(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.severity !== "FATAL" && error.severity !== "PANIC";
}

/** An error of the server, with its SQLSTATE, without the row values that the driver's error contains. */
export class ServerError extends Error {
  override readonly name = "ServerError";
  readonly state: string;

  constructor({ code = "?", message, table, constraint }: DatabaseError) {
    const place = [code, table, constraint].filter((name) => name !== undefined).join(", ");
    super(`PostgreSQL: ${message} (${place})`);
    this.state = code;
  }
}

/** Includes errors that an error of the server caused. */
export function hasState(error: unknown, state: string): boolean {
  if (error instanceof ServerError) return error.state === state;
  if (error instanceof DatabaseError) return error.code === state;
  return error instanceof Error && hasState(error.cause, state);
}

/** The function of the server that enforces row-level security: a refusal by it is an error of this program. */
const rowSecurityRoutine = "ExecWithCheckOptions";

/** True if the role lacks a right. */
export function isForbidden(error: unknown): boolean {
  if (!(error instanceof DatabaseError) || error.routine === rowSecurityRoutine) return false;
  return error.code === insufficientPrivilege;
}

/** The message names the necessary rights instead of the right that was missing first. */
export function withLackingRights(described: unknown, lacking: StoreError | undefined): unknown {
  if (lacking === undefined || !(described instanceof AppError)) return described;
  const cause = new StoreError(lacking.message, { cause: described.cause });
  return unavailable("database_forbids", { retryAfterSeconds: 1, cause });
}

/** True if the server has become a replica. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof ReadOnlyServer || hasState(error, readOnlyState);
}

/** True if the statement was not run because an earlier one of its transaction had failed. */
export function isFollowUpError(error: unknown): boolean {
  return hasState(error, "25P02");
}

/** Returns the error to throw for an error of the driver. Other errors are returned unchanged. */
export function describeFailure(
  error: unknown,
  { distributed }: { readonly distributed: boolean },
): unknown {
  if (error instanceof AppError || error instanceof StoreError) return error;
  if (isCollision(error) || isTransient(error, distributed)) {
    return unavailable(reasonOf(error), { retryAfterSeconds: 1, cause: withoutValues(error) });
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

/** The keys are SQLSTATEs or their classes. */
const reasons: Readonly<Record<string, UnavailableReason>> = {
  "53100": "database_full",
  [readOnlyState]: "database_read_only",
  [insufficientPrivilege]: "database_forbids",
  "28": "database_forbids",
  "55000": "database_away",
  "53": "database_busy",
  "40": "database_busy",
  "55": "database_busy",
  "57014": "database_busy", // statement_timeout
};

function reasonOf(error: unknown): UnavailableReason {
  if (error instanceof Collision) return "database_busy";
  if (error instanceof Error && error.message === poolExhausted) return "database_busy";
  if (error instanceof ReadOnlyServer) return "database_read_only";
  const state = error instanceof DatabaseError ? (error.code ?? "") : "";
  return reasons[state] ?? reasons[state.slice(0, 2)] ?? "database_away";
}

function isTransient(error: unknown, distributed: boolean): boolean {
  if (error instanceof DatabaseError) {
    const state = error.code ?? "";
    if (distributed && transientStatesOnCitus.has(state)) return true;
    if (isForbidden(error) || transientStates.has(state)) return true;
    return transientClasses.has(state.slice(0, 2));
  }
  if (error instanceof UncertainCommit || error instanceof EarlierState) return true;
  return isReadOnly(error) || isLostConnection(error);
}

/** The driver's own errors are plain Errors; errors of the system have a syscall, and programming errors a class. */
function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("syscall" in error) return true;
  return error.constructor === Error;
}

function withoutValues(error: unknown): unknown {
  return error instanceof DatabaseError ? new ServerError(error) : error;
}
