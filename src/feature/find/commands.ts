// `sluice subject find` and `sluice subject index`: find persons and companies by what is known about them, and build
// the index for it.

import { IndexBuilder, beginIndex } from "./build-index.ts";
import { makePartyRound } from "../../actions/upkeep/build-indexes.ts";
import {
  describeEmptyPage,
  findSubjects,
  leftOut,
  subjectsMax,
  type FoundSubject,
} from "./find-subjects.ts";
import { defineStoreCommand, optional, required, withDefault } from "../../cli/command.ts";
import { confidentialOptions, lineOfText, reason, text, wholeNumber } from "../../cli/input/kinds.ts";
import { showing } from "../../actions/operator/viewer.ts";
import { renderTable } from "../../cli/output/table.ts";
import { runUntilStopped } from "../../cli/stop-signal.ts";

const line = lineOfText("TEXT");

export const subjectFind = defineStoreCommand({
  name: "subject find",
  summary: "Find persons and companies by name, date of birth, e-mail, telephone or number.",
  details:
    "A name is found in other spellings and word orders, by two of its words, and by an initial with a word; a name of one " +
    "word by that word. Values of earlier changes count too and are marked as former. Subjects that match more of what is " +
    "known come first, and exact matches before partial ones. The audit trail records who searched and why, and never what " +
    "was entered; put no personal data in the reason.",
  examples: [
    'sluice subject find --organization acme --reason "Inquiry 17/26" --name "Ada Example" --born 1990-12-10',
    'sluice subject find --organization acme --reason "Inquiry 17/26" --telephone "+49 30 1234567" --json',
  ],
  rights: ["subject.find"],
  options: {
    organization: required(text("ID"), "Organization to search."),
    reason: required(reason, "Why you search; for the audit trail."),
    name: optional(line, "Name of a person or a company."),
    born: optional(line, "Date of birth, such as 1990-12-10."),
    email: optional(line, "E-mail address."),
    telephone: optional(line, "Telephone number, best with its country."),
    document: optional(line, "Number of an identity document."),
    registration: optional(line, "Number of a company in a register."),
    limit: withDefault(wholeNumber("NUMBER", 1, subjectsMax), "Subjects to show.", "50"),
    skip: withDefault(
      wholeNumber("NUMBER", 0, 1_000_000),
      "How many subjects to skip, because they were shown before.",
      "0",
    ),
    ...confidentialOptions,
  },
  run: async (app, { organization, reason: why, limit, skip, includeConfidential, ...wanted }) => {
    const found = await findSubjects(showing(app, { includeConfidential }), {
      organizationId: organization,
      reason: why,
      wanted,
      limit,
      skip,
    });
    const { subjects, total, more, incomplete } = found;
    return {
      json: { subjects, total, more, incomplete: incomplete ?? null },
      text: [
        subjects.length === 0 ? describeEmptyPage(found, skip) : renderTable(columns, subjects),
        ...(skip + limit < total
          ? [`${more ? "At least " : ""}${total} in all; for the next: --skip ${skip + limit}`]
          : []),
        ...(more ? [leftOut] : []),
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

export const subjectIndex = defineStoreCommand({
  name: "subject index",
  summary: "Rebuild the indexes of persons and companies, and of the transactions that name them.",
  details:
    "Needed after a change of the key for receipts, from which the keys of the index are derived. Until it is done, " +
    "`subject find` says that the index is not complete. If the command is stopped, a serving process continues, or the " +
    "same command; it begins again only if the index is complete, or was made with another key. The index of the " +
    "transactions that name a person or a company is rebuilt in any case.",
  examples: ["sluice subject index"],
  rights: ["subject.index"],
  run: async (app) => {
    await beginIndex(app);
    const builder = new IndexBuilder(app);
    const indexNext = makePartyRound(app);
    await runUntilStopped(async (stopping) => {
      while (await builder.step()) stopping.throwIfAborted();
      while (await indexNext(stopping)) stopping.throwIfAborted();
    });
    return { json: { complete: true }, text: "The indexes are complete." };
  },
});
