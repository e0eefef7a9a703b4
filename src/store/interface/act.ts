// The actor and the time of a change of the store, for the audit trail.

export interface Act {
  /** The name of an operator, `worker`, `retention`, or a key id. */
  readonly actor: string;
  /** Unix milliseconds. */
  readonly now: number;
  /** What the act becomes if it needs a second person. Undefined for the shell of the host and the service itself. */
  readonly proposalId?: string;
  /** True for the shell of the host, if the act needs a second person or is about operators. */
  readonly shell?: boolean;
  /** The proposal that the actor approves with the act. */
  readonly approves?: string;
}
