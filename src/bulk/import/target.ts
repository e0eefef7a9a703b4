// The target of an import: a Sluice server over HTTP, or the local store. Both accept lenient lists of records of one type, and
// recognise a list that is sent again.

import type { ItemResult } from "../../actions/intake/submission.ts";
import type { Payload, RecordType } from "../../domain/record-type.ts";

/** The result for one record, as in the reply to a lenient list. */
export type ItemOutcome = Omit<ItemResult, "index" | "id">;

export interface TargetList {
  readonly type: RecordType;
  /** True if the list is written with PUT instead of POST. */
  readonly update: boolean;
  readonly payloads: readonly Payload[];
  /** The Idempotency-Key of this list, by the JSON texts that are written of it. */
  readonly keyOf: (texts: readonly string[]) => string;
}

export interface Target {
  /** The name for messages, without a credential. */
  readonly name: string;
  /** Resolves to an outcome per record, in order. Throws OperatorError if the list can't be sent. */
  send(list: TargetList): Promise<readonly ItemOutcome[]>;
}
