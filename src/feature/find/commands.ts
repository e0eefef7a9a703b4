// `sluice subject find`: finds persons and companies by what is known about them.

import {
  describeLeftOut,
  describeNobody,
  findSubjects,
  leftOutSimilar,
  type FoundSubject,
} from "./find-subjects.ts";
import { defineStoreCommand, optional, required } from "../../cli/command.ts";
import { confidentialOptions, lineOfText, reason, text } from "../../cli/input/kinds.ts";
import { showing } from "../../actions/operator/viewer.ts";
import { renderTable } from "../../cli/output/table.ts";
import { rights } from "./rows.ts";
import { labels } from "./value-terms.ts";

const line = lineOfText("TEXT");

export const subjectFind = defineStoreCommand({
  name: "subject find",
  summary: "Find persons and companies by name, date of birth, e-mail, telephone or number.",
  details:
    "A name is found in other spellings and word orders, by two of its words, and by an initial with a word; a name of one " +
    "word by that word. Others with a similar name come in a list of their own, with the rule: one letter apart, or another " +
    "transliteration of the same letters. Values of earlier changes count too and are marked as former. Subjects that match more of what is " +
    "known come first, and exact matches before partial ones. The audit trail records who searched and why, and never what " +
    "was entered; put no personal data in the reason.",
  examples: [
    'sluice subject find --organization acme --reason "Inquiry 17/26" --name "Ada Example" --born 1990-12-10',
    'sluice subject find --organization acme --reason "Inquiry 17/26" --telephone "+49 30 1234567" --json',
  ],
  rights: [rights["subject.find"]],
  options: {
    organization: required(text("ID"), "Organization to search."),
    reason: required(reason, "Why you search; for the audit trail."),
    name: optional(line, `${labels.name} of a person or a company.`),
    born: optional(line, `${labels.born}, such as 1990-12-10.`),
    email: optional(line, `${labels.email}.`),
    telephone: optional(line, `${labels.telephone}.`),
    document: optional(line, `${labels.document}.`),
    registration: optional(line, `${labels.registration}.`),
    ...confidentialOptions,
  },
  run: async (app, { organization, reason: why, includeConfidential, ...wanted }) => {
    const found = await findSubjects(showing(app, { includeConfidential }), {
      organizationId: organization,
      reason: why,
      wanted,
    });
    const { subjects, total, more, similar, moreSimilar, incomplete } = found;
    return {
      json: {
        subjects,
        total,
        more,
        similar,
        more_similar: moreSimilar,
        incomplete: incomplete ?? null,
      },
      text: [
        subjects.length === 0 ? describeNobody(found) : renderTable(columns, subjects),
        ...[describeLeftOut(found) ?? []].flat(),
        ...(similar.length > 0 ? ["", "Similar:", renderTable(columns, similar)] : []),
        ...(moreSimilar ? [leftOutSimilar] : []),
        ...(incomplete === undefined ? [] : [`Not complete: ${incomplete}`]),
      ].join("\n"),
    };
  },
});

const columns = [
  ["type", (one: FoundSubject) => one.resource_type],
  ["id", ({ resource_id }: FoundSubject) => resource_id],
  ["first seen", ({ first_seen }: FoundSubject) => first_seen],
  ["last seen", ({ last_seen }: FoundSubject) => last_seen],
  ["matched", describeMatches],
] as const;

function describeMatches({ matched }: FoundSubject): string {
  return matched
    .map(({ criterion, match, field, former }) => {
      return `${criterion} (${match}, ${field}${former ? ", former" : ""})`;
    })
    .join("; ");
}

export const heading = "Records";

export const groups = { subject: "Find persons and companies." };

export const commands = [subjectFind];
