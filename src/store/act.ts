// Who does something to a store, and when: what every entry of the audit trail begins with.

export interface Act {
  /** The name of an operator, `worker`, `retention`, or a key id. */
  readonly actor: string;
  /** Unix milliseconds. */
  readonly now: number;
}
