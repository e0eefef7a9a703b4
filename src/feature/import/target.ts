// The target of an import: accepts lenient lists of records of one type, and recognizes one that is sent again.

import type { ItemResult } from "../../actions/intake/submission.ts";
import type { Payload } from "../../domain/record-type.ts";

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
  readonly name: string;
  begin(update: boolean): TargetList;
}
