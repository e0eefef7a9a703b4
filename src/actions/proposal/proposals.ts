// Lists, shows, approves and declines the proposals that wait for a second person. An approval runs the action that
// does the same act elsewhere, with the rights of the person who approves.

import {
  type Proposal,
  type ProposalStatus,
  type ProposedAct,
  rulesOf,
} from "../../domain/proposal.ts";
import { describeProposal } from "../../domain/proposal-text.ts";
import type { ProposalQuery } from "../../store/interface/proposal.ts";
import { changeOrganization } from "../access/change-organization.ts";
import {
  closeOrganization,
  endAccess,
  findOpenOrganization,
} from "../access/close-organization.ts";
import {
  requireOrganization,
  countedRecordsMax,
  countShownRecords,
} from "../access/find-organization.ts";
import { actOf, type App } from "../app.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { hasRight, requireRight, viewerOf } from "../operator/viewer.ts";
import type { Part } from "../pages.ts";
import { describeKept } from "../retention/kept-organization.ts";
import { releaseHold, readHoldDetails } from "../retention/holds.ts";
import {
  describeRequested,
  nameRule,
  previewRule,
  setPlanned,
} from "../retention/retention-rules.ts";
import { objectionTo, requireNamed, statusOf } from "./second-person.ts";
import { describeCommonCeiling } from "../../domain/retention/ceiling.ts";
import { previewPart } from "../retention/preview-retention.ts";
import { nounOf } from "../../domain/record-types.ts";

/** Throws OperatorError not_permitted and no_such_organization. */
export async function listProposals(
  app: App,
  { all, limit, ...query }: Omit<ProposalQuery, "openAt"> & { readonly all: boolean },
): Promise<Part<Proposal, Proposal>> {
  requireRight(app, "proposal.read");
  await requireOrganization(app, query.organizationId);
  const openAt = all ? undefined : app.now();
  const proposals = await app.store.proposals.list({ ...query, openAt, limit: limit + 1 });
  const shown = proposals.slice(0, limit);
  return { shown, next: proposals.length > limit ? shown.at(-1) : undefined };
}

export interface ProposalDetails {
  readonly proposal: Proposal;
  readonly status: Proposal["status"];
  /** What was proposed, in sentences. */
  readonly proposed: string;
  /** What it would do now, in sentences; undefined if it is no longer open. */
  readonly effect: string | undefined;
  /** Whether this person may approve it. `own`: this person made it, so somebody else has to. */
  readonly mayApprove: boolean | "own";
  readonly mayDecline: boolean;
}

/** Throws OperatorError not_permitted and no_such_proposal. */
export async function showProposal(app: App, proposalId: string): Promise<ProposalDetails> {
  requireRight(app, "proposal.read");
  const proposal = await findProposal(app, proposalId);
  const status = statusOf(app, proposal);
  const mayDecide = status === "open" && hasRight(app, "proposal.decide");
  return {
    proposal,
    status,
    proposed: describeProposal(proposal),
    effect: status === "open" ? await describeEffect(app, proposal) : undefined,
    mayApprove: mayDecide && (proposal.proposedBy === app.operator ? "own" : true),
    mayDecline: mayDecide,
  };
}

/** Throws OperatorError not_permitted and no_such_proposal. */
export async function readProposalStatus(app: App, proposalId: string): Promise<ProposalStatus> {
  requireRight(app, "proposal.read");
  return statusOf(app, await findProposal(app, proposalId));
}

async function findProposal(app: App, proposalId: string): Promise<Proposal> {
  const proposal = await app.store.proposals.find(proposalId);
  if (proposal !== undefined) return proposal;
  throw objectionTo("no_such_proposal", app);
}

type Perform = (app: App, proposal: Proposal) => Promise<unknown>;

const performs: Readonly<Record<ProposedAct, Perform>> = {
  "organization.change": (app, { organizationId, parameters }) =>
    changeOrganization(app, organizationId, parameters),
  "organization.close": (app, { organizationId, parameters }) =>
    approveClosing(app, {
      organizationId,
      reason: String(parameters["reason"]),
      exporting: parameters["exporting"] === true,
    }),
  "retention.set": (app, proposal) => setPlanned(app, rulesOf(proposal)),
  "hold.release": (app, { parameters }) =>
    releaseHold(app, { holdId: String(parameters["holdId"]) }, becauseOf(parameters)),
};

/** If the records are to be exported first, the command that makes the export continues the closing. */
function approveClosing(app: App, closing: Parameters<typeof endAccess>[1]): Promise<unknown> {
  return closing.exporting ? endAccess(app, closing) : closeOrganization(app, closing);
}

/** Throws OperatorError for the proposer, if it is not open or is outdated, and what the action throws. */
export async function approveProposal(app: App, proposalId: string): Promise<Proposal> {
  requireRight(app, "proposal.decide");
  requireNamed(app);
  const proposal = await findProposal(app, proposalId);
  // What somebody has approved is no longer as it was when it was proposed.
  if (proposal.decidedBy !== undefined) throw objectionTo("decided_before", app);
  await performs[proposal.act]({ ...app, approving: proposalId }, proposal);
  return findProposal(app, proposalId);
}

/** The person who made it may decline it, too. Throws OperatorError like `approveProposal`. */
export async function declineProposal(app: App, proposalId: string): Promise<Proposal> {
  requireRight(app, "proposal.decide");
  requireNamed(app);
  const outcome = await app.store.proposals.decline(proposalId, actOf(app));
  if (typeof outcome !== "string") return outcome;
  throw objectionTo(outcome, app);
}

/** Returns true if there may be more. */
export async function expireProposals({
  store,
  now,
}: Pick<App, "store" | "now">): Promise<boolean> {
  return (await store.proposals.expire({ actor: "worker", now: now() })).isMore;
}

type Describe = (app: App, proposal: Proposal) => Promise<readonly string[]>;

const describes: Readonly<Record<ProposedAct, Describe>> = {
  "organization.change": describeSettings,
  "organization.close": describeClosing,
  "retention.set": describeRule,
  "hold.release": describeRelease,
};

/** If the act is no longer possible, says why. */
async function describeEffect(app: App, proposal: Proposal): Promise<string> {
  try {
    if (proposal.act !== "hold.release") await findOpenOrganization(app, proposal.organizationId);
    const sentences = await describes[proposal.act](app, proposal);
    return sentences.filter((sentence) => sentence !== "").join(" ");
  } catch (error) {
    if (error instanceof OperatorError) return error.message;
    throw error;
  }
}

async function describeSettings(app: App, proposal: Proposal): Promise<readonly string[]> {
  const { organizationId, parameters } = proposal;
  const { deletionApproval, retainDays } = parameters;
  const approval =
    deletionApproval === false
      ? "The organization will no longer need a second person, neither for deletions nor for acts such as this one."
      : "";
  if (typeof retainDays !== "number") return [approval];
  const part = await previewPart(app, { organizationId, retainDays, after: undefined });
  const ceiling = `Ceiling of types without their own: ${describeCommonCeiling(retainDays)}.`;
  return [approval, ceiling, describeRequested({ due: part.tally.counts.due, last: part.last })];
}

async function describeRule(app: App, proposal: Proposal): Promise<readonly string[]> {
  const { before, rule } = rulesOf(proposal);
  const { keepDays, deleteAfterDays = null, countedFrom, redactable, ...key } = rule;
  const wanted = {
    ...key,
    keepDays: keepDays === 0 ? null : keepDays,
    deleteAfterDays,
    countedFrom,
  };
  const { effect, due, last, seen } = await previewRule(app, { ...wanted, redactable });
  if (seen !== nameRule(before)) throw objectionTo("changed", app);
  return [effect, describeRequested({ due, last })];
}

function becauseOf({ because }: Proposal["parameters"]): string | undefined {
  return typeof because === "string" ? because : undefined;
}

async function describeRelease(app: App, { parameters }: Proposal): Promise<readonly string[]> {
  const { hold, others } = await readHoldDetails(app, String(parameters["holdId"]));
  const because = becauseOf(parameters);
  const left =
    others.length === 0
      ? "It is the only hold on the record: deletions can erase and change the record afterwards."
      : `Other holds still keep it: ${others.length}.`;
  return [
    `The hold on ${nounOf(hold.resourceType)} ${hold.resourceId} ends: ${hold.reason}.`,
    left,
    because === undefined ? "" : `It is released because: ${because}.`,
  ];
}

async function describeClosing(app: App, proposal: Proposal): Promise<readonly string[]> {
  const { organizationId, parameters } = proposal;
  const byType = await countShownRecords(app, organizationId);
  const counts = Object.values(byType);
  const atMost = counts.map((count) => Math.min(count, countedRecordsMax));
  const sum = atMost.reduce((all, count) => all + count, 0).toLocaleString("en");
  const records = counts.some((count) => count > countedRecordsMax) ? `more than ${sum}` : sum;
  const exporting =
    parameters["exporting"] === true
      ? "They are exported first, by the command that was proposed; then the deletion needs an approval of its own."
      : "";
  const counted = viewerOf(app).may("confidential.read")
    ? ""
    : "Confidential records are erased too, and not counted here.";
  const kept = await describeKept(app, { organizationId, counts: byType });
  const condition = kept ?? "no hold and no floor prevents it";
  return [
    `All access of the organization ${organizationId} ends at once, and its records (${records}) are erased for good, once ` +
      `${condition}. The reason is: ${String(parameters["reason"])}.`,
    counted,
    exporting,
  ];
}
