// Who changes a store, and when, for the audit trail.

export interface Act {
  /** The name of an operator, `worker`, `retention`, or a key id. */
  readonly actor: string;
  /** Unix milliseconds. */
  readonly now: number;
}
