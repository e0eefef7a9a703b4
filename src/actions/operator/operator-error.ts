// The catalogue of the errors that an operator can cause, on the command line, in the console, in a file or in the
// store, and their class. Messages say what exists and what to do, but name no command: the command line adds that
// (cli/output/error-view.ts). Errors of the API are AppErrors.

import type { FeatureName, Named } from "../../basics/name-rows.ts";
import { systemReasonOf } from "../../basics/system-reason.ts";
import { limits } from "../../domain/limits.ts";

/** The status of the console's reply, and the exit code of the program; the meaning is for docs/reference/cli.md. */
export function operatorError(status: number, meaning: string, exitCode = 1): OperatorErrorRow {
  return { status, exitCode, meaning };
}

export interface OperatorErrorRow {
  readonly status: number;
  readonly exitCode: number;
  readonly meaning: string;
  /** What a feature advises on the command line. */
  readonly advice?: (context: ErrorContext) => string | undefined;
}

const row = operatorError;

export const operatorErrors = {
  // Errors of the command line and of files.
  usage: row(400, "The command line is wrong, and nothing was done.", 2),
  file: row(400, "A file can't be read, or is not what it should be."),
  input: row(400, "The rows of a file can't be read."),
  output: row(409, "A file can't be written."),
  keys: row(409, "The public keys of receipts can't be read."),
  // Errors of what a command does.
  backup: row(409, "The backup failed."),
  restore: row(409, "The restore failed."),
  replay: row(409, "The replay of deletions failed."),
  ledger: row(409, "A ledger can't be read."),
  serve: row(409, "The server can't start."),
  server: row(409, "The server can't be reached, or refused a request."),
  stopped: row(409, "Somebody stopped it; what was done remains."),
  store: row(409, "The store can't be opened."),
  broken_promise: row(409, "The demonstration got a reply that it did not expect."),
  // Errors of an action.
  invalid: row(400, "A value is not valid."),
  no_such_organization: row(404, "There is no such organization."),
  organization_exists: row(409, "An organization has this id already."),
  organization_closed: row(409, "The organization is closed."),
  being_closed: row(409, "Another command is closing the organization."),
  export_wanted: row(409, "The closing of the organization was to export its records first."),
  no_such_key: row(404, "There is no such API key."),
  key_ended: row(409, "The API key has expired or was revoked."),
  no_such_type: row(404, "There is no such record type."),
  no_such_record: row(404, "There is no such record."),
  no_such_deletion: row(404, "There is no such deletion request."),
  deletion_open: row(409, "A deletion of the record is open already."),
  no_receipt: row(409, "The deletion has no receipt."),
  not_pending: row(409, "The deletion is no longer pending."),
  approved_before: row(409, "The deletion was approved already."),
  approval_not_needed: row(409, "The deletion needs no approval."),
  proposed: row(
    409,
    "The act needs a second person: it was proposed, and nothing else was changed.",
  ),
  no_such_proposal: row(404, "There is no such proposal."),
  proposal_decided: row(409, "The proposal was approved or declined already."),
  proposal_expired: row(409, "The proposal has expired."),
  proposal_outdated: row(
    409,
    "What the proposal would change has changed since, or its author is no longer an operator.",
  ),
  too_many_proposals: row(409, "The organization has as many open proposals as it can have."),
  being_erased: row(409, "The record is being erased."),
  no_such_hold: row(404, "There is no such legal hold."),
  several_holds: row(409, "The record has several legal holds, so one has to be named."),
  too_many_holds: row(409, "The record has as many legal holds as it can have."),
  no_such_restricted_set: row(404, "There is no such restricted set."),
  confidential_type: row(409, "Records of a confidential type were not asked for."),
  floor_above_ceiling: row(409, "A retention floor would be longer than the retention ceiling."),
  rule_changed: row(409, "Somebody has changed the retention rule meanwhile."),
  no_such_operator: row(404, "There is no such operator."),
  operator_confirmed: row(409, "The operator needs no confirmation."),
  operator_exists: row(409, "An operator has, or had, this name."),
  operator_disabled: row(403, "The operator is disabled."),
  not_permitted: row(403, "The roles of the operator do not permit it."),
  sign_in: row(403, "The sign-in failed."),
  no_such_session: row(404, "There is no such session."),
  no_such_passkey: row(404, "There is no such passkey."),
  not_confirmed: row(409, "The confirmation is missing or wrong."),
  upload: row(409, "The upload can't be received or continued."),
  ledger_short: row(400, "A ledger was cut off, or is an older copy."),
  ledger_ahead: row(409, "The store lacks what its ledger knows."),
  store_replayed: row(409, "The store was replayed while a process served it."),
  replay_unread: row(409, "A ledger is missing that a replay had begun to read."),
  other_store: row(409, "The ledger is of another store."),
} as const satisfies Readonly<Record<string, OperatorErrorRow>>;

export type OperatorErrorName = keyof typeof operatorErrors;
export type OperatorErrorKind = OperatorErrorName | Named<OperatorErrorRow>;

/** What advice to run a command needs to know. */
export interface ErrorContext {
  readonly organizationId?: string;
  readonly deletionRequestId?: string;
  readonly proposalId?: string;
  readonly ledgers?: readonly string[];
  /** Nothing of this kind exists yet. */
  readonly isFirst?: boolean;
  /** A record was named where only a person or a company can be. */
  readonly isRecord?: boolean;
  /** Another one exists than is needed. */
  readonly isOther?: boolean;
  /** No person was named who acts. */
  readonly isUnnamed?: boolean;
  readonly field?: string;
  /** What the command line calls the choice that has to be made, such as an encoding. */
  readonly option?: string;
}

export class OperatorError extends Error {
  /** For scripts; the command line prints it with --json. */
  readonly errorName: OperatorErrorName | FeatureName;
  readonly kind: OperatorErrorKind;
  readonly row: OperatorErrorRow;
  readonly context: ErrorContext;

  constructor(
    kind: OperatorErrorKind,
    message: string,
    options: ErrorOptions & { readonly context?: ErrorContext } = {},
  ) {
    super(message, options);
    this.name = "OperatorError";
    this.kind = kind;
    this.errorName = typeof kind === "string" ? kind : kind.name;
    this.row = typeof kind === "string" ? operatorErrors[kind] : kind;
    this.context = options.context ?? {};
  }

  static from(kind: OperatorErrorKind, cause: unknown): OperatorError {
    return new OperatorError(kind, reasonOf(cause), { cause });
  }
}

export function reasonOf(thrown: unknown): string {
  const cause = firstError(thrown);
  return cause instanceof Error ? cause.message : String(cause);
}

/** The same for a message that has named the file already. */
export function fileReasonOf(thrown: unknown): string {
  return systemReasonOf(firstError(thrown)) ?? reasonOf(thrown);
}

/** Returns the first error if closing something after it failed too. */
export function firstError(thrown: unknown): unknown {
  return thrown instanceof SuppressedError ? firstError(thrown.suppressed) : thrown;
}

export class UsageError extends OperatorError {
  constructor(message: string) {
    super("usage", message);
    this.name = "UsageError";
  }
}

/** `what` says that the name does not exist; the error adds the existing names. */
export function unknownName(
  kind: OperatorErrorKind,
  what: string,
  names: readonly string[],
): OperatorError {
  const isFirst = names.length === 0;
  const known = isFirst ? "There is none yet." : `There are: ${listNames(names)}.`;
  return new OperatorError(kind, `${what} ${known}`, { context: { isFirst } });
}

/** Existing names for error messages: `demo, acme and 3 more`. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, 10);
  const more = names.length - shown.length;
  return more === 0 ? shown.join(", ") : `${shown.join(", ")} and ${more} more`;
}

// eslint-disable-next-line no-control-regex
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

/** Throws OperatorError invalid unless `text` is a line of 1 to `charactersMax` characters. */
export function requireLine(what: string, text: string, charactersMax: number): void {
  const fits = text.trim() !== "" && text.length <= charactersMax;
  if (fits && !controlCharacter.test(text) && text.isWellFormed()) return;
  throw new OperatorError(
    "invalid",
    `${what} must be 1 to ${charactersMax} characters without control characters.`,
  );
}

/** Throws OperatorError invalid. */
export function requireReason(reason: string): void {
  requireLine("The reason", reason, limits.reasonCharactersMax);
}
