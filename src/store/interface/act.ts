// The actor and the time of a change of the store, for the audit trail.

export interface Act {
  /** The name of an operator, `worker`, `retention`, or a key id. */
  readonly actor: string;
  /** Unix milliseconds. */
  readonly now: number;
  /**
   * The id of a proposal that the act becomes where an organization requires a second person; undefined for the shell
   * of the host and for what the service does by itself, which no organization bounds.
   */
  readonly proposalId?: string;
  /** True for the shell of the host, where the act is one that needs a second person or is about operators. */
  readonly shell?: boolean;
  /** The proposal that the actor approves with the act. */
  readonly approves?: string;
}
