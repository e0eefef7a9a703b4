// The answers of a store about acts that need a second person.

import type { Proposal } from "../../domain/proposal.ts";

/**
 * Why a proposal was not approved or declined. `own_proposal`: the actor proposed it. `no_such_person`: the actor is
 * not an active operator who may be the second person. `proposer_gone`: the person who proposed it is no longer active.
 * `changed`: what the act would change has changed since the proposal, or the act is a different one.
 */
export type Objection =
  | "no_such_proposal"
  | "decided_before"
  | "expired"
  | "own_proposal"
  | "proposer_gone"
  | "no_such_person"
  | "changed"
  | "too_many";

/** Nothing was changed: the act was proposed and waits for a second person, or its approval was refused. */
export interface Unapproved {
  readonly unapproved: Proposal | Objection;
}

export interface ProposalQuery {
  readonly organizationId?: string | undefined;
  /** Selects those that can be approved at this time. */
  readonly openAt?: number | undefined;
  /** The last proposal of the previous part; undefined for the first part. */
  readonly before?: Pick<Proposal, "proposedAt" | "proposalId"> | undefined;
  readonly limit: number;
}

export interface WaitingQuery extends Pick<ProposalQuery, "organizationId"> {
  readonly approver: string;
  readonly openAt: number;
}

/** How much waits for a second person. */
export interface WaitingCounts {
  readonly proposals: number;
  readonly deletions: number;
}
