// Proposals that wait for a second person: the list, and one proposal with its effects, and the forms that approve or
// decline it.

import {
  approveProposal,
  declineProposal,
  listProposals,
  type ProposalDetails,
  showProposal,
} from "../../actions/proposal/proposals.ts";
import { statusOf } from "../../actions/proposal/agreement.ts";
import { type Proposal, type ProposalStatus, proposedActs } from "../../domain/proposal.ts";
import type { Answer } from "../../http/reply/reply.ts";
import { renderApproving, whenTyped } from "../html/confirmation.ts";
import { type Meaning, renderChip } from "../html/chip.ts";
import { readText, renderButton } from "../html/field.ts";
import { renderChoice, renderNext, renderOrganizationInput } from "../html/filter.ts";
import { pathTo } from "../html/link.ts";
import { type Html, html, renderFacts, renderTable } from "../html/html.ts";
import { renderAgo, renderTimeline } from "../html/time.ts";
import { type Person, readForm, redirectTo, showPage, withOrganization } from "../page.ts";

const screen = "/console/proposals";
const shownMax = 50;

export async function showProposals(person: Person): Promise<Answer> {
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
    ${
      shown.length === 0
        ? html`<p class="empty">Nothing waits for a second person.</p>`
        : renderList(person, shown)
    }
    ${renderNext("More proposals", screen, { query, place: { at: next?.proposedAt, after: next?.proposalId } })}`;
  return showPage(person, { title: "Proposals", screen, body });
}

const meanings: Readonly<Record<ProposalStatus, Meaning>> = {
  open: "wait",
  approved: "good",
  declined: "over",
  expired: "over",
};

function renderState(status: ProposalStatus): Html {
  return renderChip(meanings[status], status);
}

function renderList({ app }: Person, shown: readonly Proposal[]): Html {
  return renderTable<Proposal>(
    [
      [
        "Proposal",
        ({ proposalId, act }) =>
          html`<a href="${pathTo("proposal", proposalId)}">${proposedActs[act]}</a>`,
        "bare",
      ],
      ["Organization", ({ organizationId }) => html`<bdi>${organizationId}</bdi>`],
      ["Proposed by", ({ proposedBy }) => html`<bdi>${proposedBy}</bdi>`],
      ["Proposed", ({ proposedAt }) => renderAgo(proposedAt)],
      ["Expires", ({ expiresAt }) => renderAgo(expiresAt)],
      ["State", (proposal) => renderState(statusOf(app, proposal))],
    ],
    shown,
  );
}

export async function showOneProposal(person: Person): Promise<Answer> {
  const details = await showProposal(person.app, person.id);
  const { proposal, status, proposed, effect } = details;
  const { decidedBy, decidedAt, proposedBy } = proposal;
  const body = html`<div class="sides">
      <div>
        ${renderFacts([
          ["What", proposedActs[proposal.act]],
          ["Organization", html`<bdi>${proposal.organizationId}</bdi>`],
          effect === undefined
            ? ["What was proposed", html`<bdi>${proposed}</bdi>`]
            : ["What it would do", html`<bdi>${effect}</bdi>`],
        ])}
      </div>
      <div>
        ${renderTimeline([
          [proposal.proposedAt, html`proposed by <bdi>${proposedBy}</bdi>`],
          [decidedAt, html`${status} by <bdi>${decidedBy}</bdi>`],
          [decidedAt === undefined ? proposal.expiresAt : undefined, html`expires`],
        ])}
      </div>
    </div>
    ${renderApproval(details)} ${details.mayDecline && renderDecline(proposal)}`;
  const aside = html`${renderState(status)}
  ${details.mayApprove === true && html`<a class="button main" href="#approve">Approve…</a>`}`;
  return showPage(person, { title: `Proposal ${proposal.proposalId}`, screen, body, aside });
}

function renderApproval({ proposal, mayApprove }: ProposalDetails): Html | undefined {
  return renderApproving(mayApprove, "Nothing has changed yet: you proposed this", {
    what: "proposal",
    path: pathTo("proposal", proposal.proposalId),
    effect: "What is said above is done at once. Your name is in the audit trail.",
  });
}

function renderDecline({ proposalId }: Proposal): Html {
  return html`<section aria-labelledby="decline">
    <h2 id="decline">Decline</h2>
    <p>Nothing is changed, and it can be proposed again.</p>
    ${renderButton("Decline the proposal", `${pathTo("proposal", proposalId)}/decline`)}
  </section>`;
}

export const approveOneProposal = whenTyped("proposal", approveProposal);

export async function declineOneProposal(person: Person): Promise<Answer> {
  await readForm(person);
  await declineProposal(person.app, person.id);
  return redirectTo(pathTo("proposal", person.id));
}
