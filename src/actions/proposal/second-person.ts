// Acts that one person may not be allowed to do alone: passes them to the store, and reports if a second person is
// needed or an approval was refused. The store decides this, in the transaction of the act.

import { isOpen, nameProposal, type Proposal, proposalDays } from "../../domain/proposal.ts";
import type { Act } from "../../store/interface/act.ts";
import type { Objection, Unapproved } from "../../store/interface/proposal.ts";
import { actOf, type App } from "../app.ts";
import { makeId } from "../credential.ts";
import { OperatorError, type OperatorErrorName } from "../operator/operator-error.ts";

/** The act of a person, for which a second one may be required; not of the shell of the host. */
export function actTogether(app: App): Act {
  const act = actOf(app);
  if (app.approving !== undefined) return { ...act, approves: app.approving };
  if (app.viewer === undefined) return act;
  return app.viewer.roles === undefined
    ? { ...act, shell: true }
    : { ...act, proposalId: makeId("prp") };
}

/** Throws OperatorError proposed if the act waits for a second person now, and `objectionTo` a refused approval. */
export function requireApproved<Outcome>(app: App, outcome: Outcome): Exclude<Outcome, Unapproved> {
  if (typeof outcome !== "object" || outcome === null || !("unapproved" in outcome)) {
    return outcome as Exclude<Outcome, Unapproved>;
  }
  const { unapproved } = outcome as Unapproved;
  throw typeof unapproved === "string" ? objectionTo(unapproved, app) : asProposed(unapproved, app);
}

function asProposed(proposal: Proposal, app: App) {
  const { proposalId, organizationId, proposedBy } = proposal;
  const by = proposedBy === app.operator ? "" : `; ${proposedBy} has already proposed it`;
  return new OperatorError(
    "proposed",
    `Nothing was changed yet. The organization "${organizationId}" requires a second person for this ` +
      `(${nameProposal(proposal)})${by}. The proposal ${proposalId} can be approved by another person until ` +
      `${new Date(proposal.expiresAt).toISOString()}.`,
    { context: { proposalId } },
  );
}

/** Every message says that nothing was changed. */
export function objectionTo(objection: Objection, { operator }: App): OperatorError {
  const errors: Readonly<Record<Objection, readonly [OperatorErrorName, string]>> = {
    no_such_proposal: ["no_such_proposal", "There is no such proposal."],
    decided_before: ["proposal_decided", "The proposal was approved or declined already."],
    expired: ["proposal_expired", `The proposal has expired after ${proposalDays} days.`],
    own_proposal: [
      "not_permitted",
      `${operator} has made the proposal, so another person has to approve it.`,
    ],
    proposer_gone: [
      "proposal_outdated",
      "The person who made the proposal is no longer an operator.",
    ],
    no_such_person: [
      "not_permitted",
      `${operator} is not an active officer whom another one has confirmed, and can't approve anything.`,
    ],
    changed: [
      "proposal_outdated",
      "What the proposal would change has changed since; it has to be proposed again.",
    ],
    too_many: [
      "too_many_proposals",
      "The organization has too many open proposals; decline some of them first.",
    ],
  };
  const [name, message] = errors[objection];
  return new OperatorError(name, `${message} Nothing was changed.`);
}

/** The shell of the host has no name that counts as a second person. */
export function requireNamed({ viewer }: Pick<App, "viewer">): void {
  if (viewer?.roles !== undefined) return;
  throw new OperatorError(
    "not_permitted",
    "Only a named person can approve. Nothing was changed.",
    { context: { isUnnamed: true } },
  );
}

export function statusOf({ now }: Pick<App, "now">, proposal: Proposal): Proposal["status"] {
  return proposal.status === "open" && !isOpen(proposal, now()) ? "expired" : proposal.status;
}
