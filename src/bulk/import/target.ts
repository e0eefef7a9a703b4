// Where an import goes: any Sluice over HTTP, or the store on this machine. Both take lists of records of one type, each
// judged on its own, and both know a list that they are given again.

import type { ItemResult } from "../../actions/submission.ts";
import type { Payload, RecordType } from "../../domain/record-type.ts";

/** What became of one record: as in the reply of a lenient list. */
export type ItemOutcome = Omit<ItemResult, "index" | "id">;

export interface TargetList {
  readonly type: RecordType;
  /** By PUT instead of POST. */
  readonly update: boolean;
  readonly payloads: readonly Payload[];
  /** The same, as JSON texts. */
  readonly texts: readonly string[];
  /** Stands for this list and no other (Idempotency-Key). */
  readonly key: string;
}

export interface Target {
  /** Without a credential. */
  readonly name: string;
  /** An outcome a record, in order. Throws OperatorError when the list can't be brought there. */
  send(list: TargetList): Promise<readonly ItemOutcome[]>;
}
