// Errors that an operator can cause, on the command line, in a file or in the store. Messages say what exists and what
// to do. Errors of the API are AppErrors.

export type OperatorErrorName =
  // Errors of the command line and of files.
  | "usage"
  | "file"
  | "input"
  | "output"
  | "mapping"
  | "state"
  | "key"
  | "keys"
  // Errors of what a command does.
  | "backup"
  | "restore"
  | "replay"
  | "ledger"
  | "move"
  | "serve"
  | "server"
  | "stopped"
  | "store"
  | "broken_promise"
  // Errors of an action.
  | "invalid"
  | "no_such_organization"
  | "organization_exists"
  | "organization_closed"
  | "being_closed"
  | "no_such_key"
  | "key_ended"
  | "no_such_type"
  | "no_such_record"
  | "no_such_deletion"
  | "no_receipt"
  | "not_pending"
  | "approved_before"
  | "approval_not_needed"
  | "being_erased"
  | "no_such_hold"
  | "several_holds"
  | "too_many_holds"
  | "no_such_restricted_set"
  | "confidential_type"
  | "floor_above_ceiling"
  | "no_such_operator"
  | "operator_exists"
  | "operator_disabled"
  | "not_permitted"
  | "sign_in"
  | "no_such_session"
  | "no_such_passkey"
  | "not_confirmed"
  | "no_such_upload"
  | "upload"
  | "ledger_ahead"
  | "replay_unread"
  | "other_store";

export class OperatorError extends Error {
  /** For scripts; the command line prints it with --json. */
  readonly errorName: OperatorErrorName;

  constructor(errorName: OperatorErrorName, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "OperatorError";
    this.errorName = errorName;
  }

  /** The message of any error, under a name for scripts. */
  static from(errorName: OperatorErrorName, cause: unknown): OperatorError {
    return new OperatorError(errorName, reasonOf(cause), { cause });
  }
}

/** The message of anything that was thrown. */
export function reasonOf(thrown: unknown): string {
  const cause = firstError(thrown);
  return cause instanceof Error ? cause.message : String(cause);
}

/** Returns the first error if closing something after it failed too. */
export function firstError(thrown: unknown): unknown {
  return thrown instanceof SuppressedError ? firstError(thrown.suppressed) : thrown;
}

/** The command line is wrong; the process exits with 2. */
export class UsageError extends OperatorError {
  constructor(message: string) {
    super("usage", message);
    this.name = "UsageError";
  }
}

/** Names that exist, for error messages: `demo, acme and 3 more`. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, 10);
  const more = names.length - shown.length;
  return more === 0 ? shown.join(", ") : `${shown.join(", ")} and ${more} more`;
}
