// What a store answers about acts that need a second person.

import type { Proposal } from "../../domain/proposal.ts";

/**
 * Why a proposal was not approved or declined. `own_proposal`: the actor proposed it. `no_such_person`: the actor is
 * not an active operator who may be the second person. `proposer_gone`: who proposed it is not active any more.
 * `changed`: what it would change is not what it was when it was proposed, or the act is another one.
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
export interface Unagreed {
  readonly unagreed: Proposal | Objection;
}

export interface ProposalQuery {
  readonly organizationId?: string | undefined;
  /** Only those that can be approved at this time. */
  readonly openAt?: number | undefined;
  /** The last one of the part before; undefined for the first part. */
  readonly before?: Pick<Proposal, "proposedAt" | "proposalId"> | undefined;
  readonly limit: number;
}
