// What an operator can get wrong; the messages say what exists and what to do. The errors of the API are AppErrors.

export type OperatorErrorName =
  | "invalid"
  | "no_such_organization"
  | "organization_exists"
  | "no_such_key"
  | "key_ended"
  | "no_such_type"
  | "no_such_record"
  | "no_such_deletion"
  | "not_pending"
  | "being_erased"
  | "no_such_hold"
  | "several_holds"
  | "too_many_holds"
  | "not_confirmed"
  | "ledger_ahead"
  | "replay_unread"
  | "other_store";

export class OperatorError extends Error {
  readonly errorName: OperatorErrorName;

  constructor(errorName: OperatorErrorName, message: string) {
    super(message);
    this.name = "OperatorError";
    this.errorName = errorName;
  }
}

/** `demo, acme and 3 more`: names that exist, for messages that say what could have been meant. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, 10);
  const more = names.length - shown.length;
  return more === 0 ? shown.join(", ") : `${shown.join(", ")} and ${more} more`;
}
