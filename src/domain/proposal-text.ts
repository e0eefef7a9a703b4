// What was proposed, in sentences, from the proposal alone: it can be read after the act, too. Knows no store, and
// nothing about what the act would do now.

import type { Organization } from "./access.ts";
import { type Proposal, type ProposedAct, rulesOf } from "./proposal.ts";
import { nounOf } from "./record-types.ts";
import { describeCommonCeiling, describeRule } from "./retention/ceiling.ts";

/** Says also what the act replaces, where the proposal has it. */
export function describeProposal(proposal: Proposal): string {
  return describes[proposal.act](proposal);
}

const describes: Readonly<Record<ProposedAct, (proposal: Proposal) => string>> = {
  "organization.change": ({ parameters, state }) =>
    [
      parameters["deletionApproval"] === false &&
        "Deletions, and acts such as this one, need no second person.",
      "retainDays" in parameters &&
        `Ceiling of types without their own: ${describeCommonCeiling(daysOf(parameters))}. ` +
          `Before: ${describeCommonCeiling(daysOf(state))}.`,
    ]
      .filter((text) => text !== false)
      .join(" "),
  "organization.close": ({ organizationId, parameters }) =>
    `All access of the organization ${organizationId} ends, and its records are erased` +
    `${parameters["exporting"] === true ? " after an export" : ""}. The reason is: ${String(parameters["reason"])}.`,
  "retention.set": (proposal) => {
    const { before, rule } = rulesOf(proposal);
    const retainDays = daysOf(proposal.state);
    const earlier = before === undefined ? "no rule." : describeRule(before, retainDays);
    return `${describeRule(rule, retainDays)} Before: ${earlier}`;
  },
  "hold.release": ({ parameters, state: { resourceType, reason } }) => {
    const hold = `The hold ${String(parameters["holdId"])}`;
    if (typeof reason !== "string") return `${hold} ends.`;
    return `${hold} on a ${nounOf(String(resourceType))} ends: ${reason}.`;
  },
};

function daysOf({ retainDays }: Proposal["state"]): Organization["retainDays"] {
  return typeof retainDays === "number" ? retainDays : undefined;
}
