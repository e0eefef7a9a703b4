// `sluice proposal …`: lists, approves and declines proposals that wait for a second person.

import { statusOf } from "../../actions/proposal/agreement.ts";
import {
  approveProposal,
  declineProposal,
  listProposals,
  showProposal,
} from "../../actions/proposal/proposals.ts";
import type { App } from "../../actions/app.ts";
import { type Proposal, proposedActs } from "../../domain/proposal.ts";
import { defineStoreCommand, flag, optional, required, withDefault } from "../command.ts";
import { text, wholeNumber } from "../input/kinds.ts";
import { type Column, formatTime, renderFields, renderTable, timeOrNull } from "../output/table.ts";

export const proposalList = defineStoreCommand({
  name: "proposal list",
  summary: "List acts that wait for a second person, newest first.",
  details:
    "Where an organization requires approvals, these need a second person: to end that, to lower or remove a floor, to set or " +
    "lower a ceiling, to release a hold, and to close the organization.",
  examples: ["sluice proposal list --organization acme"],
  rights: ["proposal.read"],
  options: {
    organization: optional(text("ID"), "Only those of this organization."),
    all: flag("Also list proposals that were approved or declined, or have expired."),
    limit: withDefault(wholeNumber("N", 1, 1_000), "Maximum number to list.", "50"),
  },
  run: async (app, { organization, all, limit }) => {
    const { shown } = await listProposals(app, { organizationId: organization, all, limit });
    return {
      json: { proposals: shown.map((proposal) => viewProposal(app, proposal)) },
      text:
        shown.length === 0
          ? "Nothing waits for a second person."
          : renderTable(columns(app), shown),
    };
  },
});

function columns(app: App): readonly Column<Proposal>[] {
  return [
    ["proposal", ({ proposalId }) => proposalId],
    ["organization", ({ organizationId }) => organizationId],
    ["what", ({ act }) => proposedActs[act]],
    ["proposed by", ({ proposedBy }) => proposedBy],
    ["proposed", ({ proposedAt }) => formatTime(proposedAt)],
    ["expires", ({ expiresAt }) => formatTime(expiresAt)],
    ["status", (proposal) => statusOf(app, proposal)],
  ];
}

function viewProposal(app: App, proposal: Proposal) {
  return {
    proposal_id: proposal.proposalId,
    organization_id: proposal.organizationId,
    act: proposal.act,
    parameters: proposal.parameters,
    proposed_by: proposal.proposedBy,
    proposed_at: formatTime(proposal.proposedAt),
    expires_at: formatTime(proposal.expiresAt),
    status: statusOf(app, proposal),
    decided_by: proposal.decidedBy ?? null,
    decided_at: timeOrNull(proposal.decidedAt),
  };
}

export const proposalShow = defineStoreCommand({
  name: "proposal show",
  summary: "Show what a proposal would do if it were approved now, or what was decided.",
  examples: ["sluice proposal show prp_4fQ2mN8sT1vXc7Za"],
  rights: ["proposal.read"],
  arguments: { id: required(text("PROPOSAL_ID"), "The proposal.") },
  run: async (app, { id }) => {
    const { proposal, status, proposed, effect } = await showProposal(app, id);
    return {
      json: { ...viewProposal(app, proposal), effect: effect ?? null },
      text: renderFields([
        ["proposal", id],
        ["organization", proposal.organizationId],
        ["what", proposedActs[proposal.act]],
        ["proposed by", `${proposal.proposedBy}, ${formatTime(proposal.proposedAt)}`],
        ["status", status],
        effect === undefined ? ["proposed", proposed] : ["effect", effect],
      ]),
    };
  },
});

export const proposalApprove = defineStoreCommand({
  name: "proposal approve",
  summary: "Approve a proposal of another person. The act is done at once.",
  details:
    "Needs --as NAME, of an operator with the role officer who did not propose it. If what it would change has changed since, " +
    "nothing is done.",
  examples: ["sluice proposal approve prp_4fQ2mN8sT1vXc7Za --as ben"],
  rights: ["proposal.decide"],
  arguments: { id: required(text("PROPOSAL_ID"), "The proposal.") },
  run: async (app, { id }) => {
    const proposal = await approveProposal(app, id);
    const isExport = proposal.parameters["exporting"] === true;
    return {
      json: viewProposal(app, proposal),
      text:
        `The proposal ${id} was approved by ${app.operator}, and the act is done.` +
        (isExport
          ? " To export and delete the records, run the command again that was proposed."
          : ""),
    };
  },
});

export const proposalDecline = defineStoreCommand({
  name: "proposal decline",
  summary: "Decline a proposal, or withdraw your own. Nothing is changed.",
  examples: ["sluice proposal decline prp_4fQ2mN8sT1vXc7Za --as ben"],
  rights: ["proposal.decide"],
  arguments: { id: required(text("PROPOSAL_ID"), "The proposal.") },
  run: async (app, { id }) => ({
    json: viewProposal(app, await declineProposal(app, id)),
    text: `The proposal ${id} is declined by ${app.operator}.`,
  }),
});
