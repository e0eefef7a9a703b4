// The target of an import: a Sluice server over HTTP, or the local store. Both accept lenient lists of records of one
// type, and recognize a list that is sent again.

import type { ItemResult } from "../../actions/intake/submission.ts";
import type { Payload } from "../../domain/record-type.ts";

/** The result for one record, as in the reply to a lenient list. */
export type ItemOutcome = Omit<ItemResult, "index" | "id">;

/** The Idempotency-Key of a list, made from the text that is written for it. */
export type KeyOf = (text: string) => string;

export interface TargetList {
  /** Makes the text to send, and returns how many characters it keeps in memory. */
  add(payload: Payload): number;
  /** Call this once. Resolves to an outcome per record, in order. Throws OperatorError if the list can't be sent. */
  send(keyOf: KeyOf): Promise<readonly ItemOutcome[]>;
}

export interface Target {
  /** The name for messages, without a credential. */
  readonly name: string;
  /** Begins a list of records, which is written with PUT if `update` is true, and with POST otherwise. */
  begin(update: boolean): TargetList;
}
