// `sluice subject answer`: the document for an authority that asks about a person or a company.

import { answerSubject, describeAnswer } from "../../actions/search/answer-subject.ts";
import { defineStoreCommand, required } from "../command.ts";
import { confidentialOptions } from "../input/confidential.ts";
import { reason, text } from "../input/kinds.ts";
import { replaceControls } from "../output/control-characters.ts";
import { subjectArguments } from "./subject.ts";

export const subjectAnswer = defineStoreCommand({
  name: "subject answer",
  summary:
    "Answer an authority: whether a relationship exists or existed, when, and of what nature.",
  details:
    "Says whether a business relationship with the person or the company exists or existed, from when to when, with which " +
    "account statuses and products, how many records of which types there are, and what was erased when. Confidential types " +
    "are left out unless an officer asks for them. The audit trail records who answered, about whom, and why.",
  examples: [
    'sluice subject answer person person-81 --organization acme --reason "Inquiry 17/26"',
    'sluice subject answer company co-7 --organization acme --reason "Inquiry 18/26" --json',
  ],
  rights: ["subject.answer"],
  arguments: subjectArguments,
  options: {
    organization: required(text("ID"), "Organization that the record belongs to."),
    reason: required(
      reason,
      "Which inquiry this answers; it is in the document and in the audit trail.",
    ),
    ...confidentialOptions,
  },
  run: async (app, { type, id, organization, reason: why, includeConfidential }) => {
    const answer = await answerSubject(app, {
      organizationId: organization,
      resourceType: type,
      resourceId: id,
      reason: why,
      confidential: includeConfidential,
    });
    const parts = describeAnswer(answer).filter(([, lines]) => lines.length > 0);
    return {
      json: answer,
      text: parts
        .map(([heading, lines]) =>
          [heading, ...lines.map((one) => `  ${replaceControls(one)}`)].join("\n"),
        )
        .join("\n\n"),
    };
  },
});
