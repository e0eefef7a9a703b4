// Proposals, the acts that wait for a second person: their values, the commands `sluice proposal …`, and the pages of
// all and of a single one with its effects.

import { statusOf } from "../actions/proposal/second-person.ts";
import {
  approveProposal,
  declineProposal,
  listProposals,
  showProposal,
} from "../actions/proposal/proposals.ts";
import { showing } from "../actions/operator/viewer.ts";
import { defineStoreCommand, flag, optional, required, withDefault } from "../cli/command.ts";
import { confidentialOptions, text, wholeNumber } from "../cli/input/kinds.ts";
import { formatTime, renderFields } from "../cli/output/table.ts";
import { type Meaning, renderChip } from "../console/html/chip.ts";
import { readText } from "../console/html/field.ts";
import {
  renderChoice,
  renderNext,
  renderOrganizationInput,
  withOrganization,
} from "../console/html/filter.ts";
import { type Html, html, renderFacts } from "../console/html/html.ts";
import { pathTo, renderFollowed } from "../console/html/link.ts";
import { renderOrganization } from "../console/html/party.ts";
import { renderAgo, renderExactTime, renderTimeline } from "../console/html/time.ts";
import type { Person } from "../console/page.ts";
import { nameProposal, type Proposal, type ProposalStatus } from "../domain/proposal.ts";
import { titleOf } from "../domain/record-types.ts";
import { defineAct, defineList, type NounPage, renderForm, renderApproving } from "./act.ts";
import { defineNoun, viewObject } from "./noun.ts";

const screen = "/console/proposals";
const shownMax = 50;
const nothing = "Nothing waits for a second person.";

const meanings: Readonly<Record<ProposalStatus, Meaning>> = {
  open: "wait",
  approved: "good",
  declined: "over",
  expired: "over",
};

const proposals = defineNoun<Proposal>({
  values: {
    link: {
      html: (proposal) =>
        html`<a href="${pathTo("proposal", proposal.proposalId)}"
          >${nameProposal(proposal)}${ofType(proposal.parameters)}</a
        >`,
      kind: "bare",
    },
    expiresAt: {
      html: ({ expiresAt, status }) => renderAgo(status === "open" ? expiresAt : undefined),
    },
    proposedAt: { html: ({ proposedAt }) => renderExactTime(proposedAt) },
    // Why a hold is released may disclose a confidential record.
    parameters: {
      json: ({ parameters }) => {
        const { because: _, ...shown } = parameters;
        return viewObject(shown);
      },
    },
    what: { text: nameProposal },
    status: {
      json: (proposal, app) => statusOf(app, proposal),
      text: (proposal, app) => statusOf(app, proposal),
      html: (proposal, app) => renderState(statusOf(app, proposal)),
    },
  },
  json: "proposalId, organizationId, act, parameters, proposedBy, proposedAt, expiresAt, status, decidedBy, decidedAt",
  columns: "proposalId, organizationId, what, proposedBy, proposedAt, expiresAt, status",
  headings: "link: Proposal, organizationId, proposedBy, proposedAt, expiresAt, status: State",
});

/** `: Transaction` for the rule of a type. */
function ofType({ resourceType }: Proposal["parameters"]): string {
  return typeof resourceType === "string" ? `: ${titleOf(resourceType)}` : "";
}

function renderState(status: ProposalStatus): Html {
  return renderChip(meanings[status], status);
}

export const proposalList = defineList({
  name: "proposal list",
  plural: "proposals",
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
  rows: proposals,
  find: async (app, { organization: organizationId, all, limit }) =>
    (await listProposals(app, { organizationId, all, limit })).shown,
  none: nothing,
});

const byId = { id: required(text("PROPOSAL_ID"), "The proposal.") };

export const proposalShow = defineStoreCommand({
  name: "proposal show",
  summary: "Show what a proposal would do if it were approved now, or what was decided.",
  details:
    "Confidential records, and holds on them, are counted and shown only with --include-confidential.",
  examples: ["sluice proposal show prp_4fQ2mN8sT1vXc7Za"],
  rights: ["proposal.read"],
  arguments: byId,
  options: confidentialOptions,
  run: async (opened, { id, includeConfidential }) => {
    const app = showing(opened, { includeConfidential });
    const { proposal, status, proposed, effect } = await showProposal(app, id);
    return {
      json: { ...proposals.json(proposal, app), effect: effect ?? null },
      text: renderFields([
        ["proposal", id],
        ["organization", proposal.organizationId],
        ["what", nameProposal(proposal)],
        ["proposed by", `${proposal.proposedBy}, ${formatTime(proposal.proposedAt)}`],
        ["status", status],
        effect === undefined ? ["proposed", proposed] : ["effect", effect],
      ]),
    };
  },
});

export const proposalApprove = defineAct({
  name: "proposal approve",
  summary: "Approve a proposal of another person. The act is done at once.",
  details:
    "Needs --as NAME, of an operator with the role officer who did not propose it. If what it would change has changed since, " +
    "nothing is done.",
  examples: ["sluice proposal approve prp_4fQ2mN8sT1vXc7Za --as ben"],
  rights: ["proposal.decide"],
  arguments: byId,
  act: (app, { id }) => approveProposal(app, id),
  json: proposals.json,
  said: ({ proposalId, decidedBy, parameters }) =>
    `The proposal ${proposalId} was approved by ${decidedBy ?? ""}, and the act is done.` +
    (parameters["exporting"] === true
      ? " To export and delete the records, run the command again that was proposed."
      : ""),
  form: {
    path: "/console/proposal/:id",
    heading: "Approve",
    text: "What is said above is done at once. Your name is in the audit trail.",
    confirm: "proposal",
  },
});

export const proposalDecline = defineAct({
  name: "proposal decline",
  summary: "Decline a proposal, or withdraw your own. Nothing is changed.",
  examples: ["sluice proposal decline prp_4fQ2mN8sT1vXc7Za --as ben"],
  rights: ["proposal.decide"],
  arguments: byId,
  act: (app, { id }) => declineProposal(app, id),
  json: proposals.json,
  said: ({ proposalId, decidedBy }) =>
    `The proposal ${proposalId} is declined by ${decidedBy ?? ""}.`,
  form: {
    path: "/console/proposal/:id/decline",
    heading: "Decline",
    text: "Nothing is changed, and it can be proposed again.",
    button: "Decline the proposal",
  },
});

async function showProposals(person: Person) {
  const { app } = person;
  const query = withOrganization(person);
  const before = { proposedAt: Number(query.get("at") ?? 0), proposalId: query.get("after") ?? "" };
  const { shown, next } = await listProposals(app, {
    organizationId: readText(query, "organization"),
    all: query.get("state") === "all",
    before:
      Number.isSafeInteger(before.proposedAt) && before.proposalId !== "" ? before : undefined,
    limit: shownMax,
  });
  const place = { at: next?.proposedAt, after: next?.proposalId };
  const body = html`<p class="note">
      Where an organization requires a second person, these acts wait here until another officer
      approves them: to end that requirement, to lower or remove a floor, to set or lower a ceiling,
      to release a hold, and to close the organization. Deletions that wait are in
      <a href="/console/deletions?wait=approval">Deletions</a>.
    </p>
    <form class="filters" method="get" action="${screen}">
      ${renderOrganizationInput(query)}
      ${renderChoice("State", "state", { query, values: [["all", "all"]], unset: "open" })}
      <button type="submit">Filter</button>
    </form>
    ${proposals.list(shown, app, { empty: nothing })}
    ${renderNext("More proposals", screen, { query, place })}`;
  return { title: "Proposals", screen, body };
}

export const proposalsPage: NounPage = { acts: [], view: showProposals };

export const proposalPage: NounPage = {
  acts: [proposalApprove, proposalDecline],
  view: async ({ app, id }) => {
    const {
      proposal,
      status,
      proposed,
      effect: would,
      mayApprove,
      mayDecline,
    } = await showProposal(app, id);
    const { decidedBy, decidedAt, proposedBy } = proposal;
    const body = html`<div class="sides">
        <div>
          ${renderFacts([
            ["Organization", renderOrganization(proposal.organizationId)],
            would === undefined
              ? ["What was proposed", html`<bdi>${proposed}</bdi>`]
              : ["What it would do", html`<bdi>${would}</bdi>`],
          ])}
        </div>
        <div>
          ${renderTimeline([
            [proposal.proposedAt, html`proposed by <bdi>${proposedBy}</bdi>`],
            [decidedAt, html`${status} by <bdi>${decidedBy}</bdi>`],
            [
              decidedAt === undefined ? proposal.expiresAt : undefined,
              html`${status === "expired" ? status : "expires"}`,
            ],
          ])}
          ${status === "open" && renderFollowed(pathTo("proposal", id), status)}
        </div>
      </div>
      ${renderApproving(mayApprove, "Nothing has changed yet: you proposed this", renderForm(proposalApprove, id))}
      ${mayDecline && renderForm(proposalDecline, id)}`;
    const aside = html`${renderState(status)}
    ${mayApprove === true && html`<a class="button main" href="#approve">Approve…</a>`}`;
    return { title: `Proposal: ${nameProposal(proposal)}`, id, screen, body, aside };
  },
};
