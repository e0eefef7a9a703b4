// Describes in sentences what a proposal would do if it were approved now, for the person who
// decides.

import { type Proposal, type ProposedAct, rulesOf } from "../../domain/proposal.ts";
import { describeCommonCeiling } from "../../domain/retention/ceiling.ts";
import { countedRecordsMax, countShownRecords } from "../access/find-organization.ts";
import type { App } from "../app.ts";
import { OperatorError } from "../operator/operator-error.ts";
import { readHoldDetails } from "../retention/holds.ts";
import { previewPart, type PreviewPart } from "../retention/preview-retention.ts";
import { previewRule } from "../retention/retention-rules.ts";

type Describe = (app: App, proposal: Proposal) => Promise<readonly string[]>;

const describes: Readonly<Record<ProposedAct, Describe>> = {
  "organization.change": describeSettings,
  "organization.close": describeClosing,
  "retention.set": describeRule,
  "hold.release": describeRelease,
};

/** If the act is no longer possible, says why. */
export async function describeEffect(app: App, proposal: Proposal): Promise<string> {
  try {
    return (await describes[proposal.act](app, proposal)).join(" ");
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
  const ceiling = `Ceiling of types without one: ${describeCommonCeiling(retainDays)}.`;
  return [approval, ceiling, describeDue(part)];
}

function describeDue({ tally, last }: Pick<PreviewPart, "tally" | "last">): string {
  const more = last === undefined ? "" : "more than ";
  return `It would request ${more}${tally.counts.due.toLocaleString("en")} deletions now.`;
}

async function describeRule(app: App, proposal: Proposal): Promise<readonly string[]> {
  const {
    keepDays,
    deleteAfterDays = null,
    countedFrom,
    redactable,
    ...key
  } = rulesOf(proposal).rule;
  const wanted = {
    ...key,
    keepDays: keepDays === 0 ? null : keepDays,
    deleteAfterDays,
    countedFrom,
  };
  const { effect, due, last } = await previewRule(app, { ...wanted, redactable });
  const more = last === undefined ? "" : "more than ";
  return [effect, `It would request ${more}${due.toLocaleString("en")} deletions now.`];
}

async function describeRelease(app: App, proposal: Proposal): Promise<readonly string[]> {
  const { hold, others } = await readHoldDetails(app, String(proposal.parameters["holdId"]));
  const left =
    others.length === 0
      ? "It is the only hold on the record: deletions can erase and change the record afterwards."
      : `Other holds still keep it: ${others.length}.`;
  return [`The hold on ${hold.resourceType} ${hold.resourceId} ends: ${hold.reason}.`, left];
}

async function describeClosing(app: App, proposal: Proposal): Promise<readonly string[]> {
  const { organizationId, parameters } = proposal;
  const counts = Object.values(await countShownRecords(app, organizationId));
  const counted = counts.map((count) => Math.min(count, countedRecordsMax));
  const sum = counted.reduce((all, count) => all + count, 0).toLocaleString("en");
  const records = counts.some((count) => count > countedRecordsMax) ? `more than ${sum}` : sum;
  const exporting =
    parameters["exporting"] === true
      ? "They are exported first, by the command that was proposed; then the deletion needs an approval of its own."
      : "";
  return [
    `All access of the organization ${organizationId} ends at once, and its ${records} records are erased for good, once no ` +
      `hold and no floor prevents it. The reason is: ${String(parameters["reason"])}.`,
    exporting,
  ];
}
