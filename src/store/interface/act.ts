// The actor and the time of a change of the store, for the audit trail.

export interface Act {
  /** The name of an operator, `worker`, `retention`, or a key id. */
  readonly actor: string;
  /** Unix milliseconds. */
  readonly now: number;
}
