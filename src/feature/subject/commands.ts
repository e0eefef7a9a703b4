// `sluice subject …`: the commands about everything that is stored about a person or a company.

import { resolve } from "node:path";
import { defineCommand, defineStoreCommand, flag, required } from "../../cli/command.ts";
import {
  confidentialOptions,
  organizationOfRecord,
  reason,
  recordKeyOf,
  recordType,
  text,
} from "../../cli/input/kinds.ts";
import { requireOutputFile } from "../../cli/input/output-file.ts";
import { makeBulkProgress } from "../../cli/output/bulk-progress.ts";
import { renderFields, renderTable } from "../../cli/output/table.ts";
import { runUntilStopped } from "../../cli/stop-signal.ts";
import { bulkHeap, limitHeap } from "../../cli/v8-flags.ts";
import { requireOutsideData } from "../../data-folder/data-folder.ts";
import { noteUnfinished } from "../../data-folder/unfinished-files.ts";
import { partyTypes } from "../../domain/deletion/party.ts";
import { listedHolds } from "../../noun/hold.ts";
import { readConfig, valueOf } from "../../settings/config.ts";
import { writeAnswer } from "./answer-letter.ts";
import { answerSubject } from "./answer-subject.ts";
import { auditSubject, type Count, countSubject, deletionColumns } from "./read-subject.ts";
import { rights } from "./rows.ts";
import type { Letter, Part, Row } from "./sheet.ts";
import { letterTexts, type Texts } from "./texts.ts";

/** The action that uses the type reports any other type. */
const subjectType = { ...recordType, values: partyTypes.map(({ resourceType }) => resourceType) };

const subjectArguments = {
  type: required(subjectType, "person or company."),
  id: required(text("ID"), "Id of the person or company."),
};

const subjectOptions = {
  organization: organizationOfRecord,
  includeConfidential: flag(
    "Include confidential types, such as reports of suspicions, the restricted store, and legal holds. For officers only: do not hand it out.",
  ),
};

const subjectShow = defineStoreCommand({
  name: "subject show",
  summary:
    "Show how much is stored about a person or a company, by type, and the requests to delete it.",
  details:
    "Counts what `subject export` would write. Confidential types and legal holds are left out unless an officer asks for " +
    "them. The audit trail records who used this, and when.",
  examples: ["sluice subject show person person-81 --organization acme"],
  rights: [rights["subject.show"]],
  arguments: subjectArguments,
  options: subjectOptions,
  run: async (app, { includeConfidential: confidential, ...key }) => {
    const { type, id, organization } = key;
    const wanted = { ...recordKeyOf(key), confidential };
    const request = await auditSubject(app, "subject.show", wanted);
    const { counts, holds, deletions } = await countSubject(app, request);
    return {
      json: {
        resource_type: type,
        resource_id: id,
        organization_id: organization,
        confidential,
        records: Object.fromEntries(counts),
        deletion_requests: deletions,
        ...(confidential ? { holds: holds.map((one) => listedHolds.json(one)) } : {}),
      },
      text: [
        describeCounts(counts),
        ...(deletions.length === 0
          ? []
          : [`\nDeletion requests\n${renderTable(deletionColumns, deletions)}`]),
        ...(holds.length === 0 ? [] : [`\nHolds\n${listedHolds.table(holds)}`]),
      ].join("\n"),
    };
  },
});

const subjectExport = defineCommand({
  name: "subject export",
  summary: "Export everything that is stored about a person or a company, as a folder.",
  details:
    "For a request for access or portability: the record with its history, everything that belongs to it or mentions it, its " +
    "transactions with their checks and alerts, and its deletion requests, one NDJSON file for each type, with a page for " +
    "people. Confidential types and legal holds are left out unless an officer asks for them. The folder must not " +
    "exist; only its owner can open it. The audit trail records who exported whom, and when.",
  examples: [
    "sluice subject export person person-81 --organization acme --output person-81",
    "sluice subject export company co-7 --organization acme --output co-7 --include-confidential",
  ],
  rights: [rights["subject.export"]],
  arguments: subjectArguments,
  options: {
    ...subjectOptions,
    output: required(text("FOLDER"), "Folder to create."),
  },
  run: async (context, { includeConfidential, output, ...key }) => {
    const { type, id, organization } = key;
    const path = resolve(output);
    const config = readConfig(context.environment);
    requireOutsideData(config, path);
    requireOutputFile(path, { replace: false, advice: "Name another folder." });
    limitHeap(bulkHeap);
    const wanted = { ...recordKeyOf(key), confidential: includeConfidential };
    const counts = await runUntilStopped((stopping) =>
      context.withApp(async (app) => {
        const request = await auditSubject(app, "subject.export", wanted);
        await using unfinished = await noteUnfinished(config.dataDir, path);
        const name = "subject export";
        const progress = makeBulkProgress(context.err, { json: context.json, name });
        const { exportSubject } = await import("./export-subject.ts");
        const texts = app.setting(letterTexts);
        const tools = { path, unfinished: unfinished.path, texts, progress, stopping };
        return await exportSubject(app, request, tools);
      }),
    );
    return {
      json: {
        resource_type: type,
        resource_id: id,
        organization_id: organization,
        output,
        confidential: includeConfidential,
        lines: Object.fromEntries(counts),
      },
      text: `Wrote ${output}; open index.html in it.\n${describeCounts(counts)}`,
    };
  },
});

function describeCounts(counts: readonly Count[]): string {
  return renderTable(
    [
      ["type", ([name]: Count) => name],
      ["records", ([, lines]: Count) => String(lines)],
    ],
    counts,
  );
}

const subjectAnswer = defineStoreCommand({
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
  rights: [rights["subject.answer"]],
  arguments: subjectArguments,
  options: {
    organization: organizationOfRecord,
    reason: required(
      reason,
      "Which inquiry this answers; it is in the document and in the audit trail.",
    ),
    ...confidentialOptions,
  },
  run: async (app, { reason: why, includeConfidential: confidential, ...key }) => {
    const answer = await answerSubject(app, { ...recordKeyOf(key), reason: why, confidential });
    const texts = app.setting(letterTexts);
    return { json: answer, text: describeLetter(writeAnswer(answer, texts), texts) };
  },
});

function describeLetter({ title, at, facts, opening, parts, end }: Letter, texts: Texts): string {
  const paragraphs = [
    title,
    renderFields([[texts.say("copy.as_of"), texts.time(at)], ...facts]),
    opening,
    ...parts.map(describePart),
    describeLines(end),
  ];
  return paragraphs.filter((one) => one !== "").join("\n\n");
}

function describePart({ heading = "", lines = [], table }: Part): string {
  const { columns = [], rows = [] } = table ?? {};
  const cells = columns.map((name, at) => [name, (row: Row) => row[at] ?? ""] as const);
  const said = [describeLines(lines), rows.length === 0 ? "" : renderTable(cells, rows)];
  if (said.join("") === "") return "";
  return [heading, ...said].filter((one) => one !== "").join("\n");
}

function describeLines(lines: readonly (string | false)[]): string {
  return lines.filter((line) => line !== false).join("\n");
}

const texts = defineCommand({
  name: "letter texts",
  summary: "Print the texts of letters, to change or translate them.",
  details:
    "Prints one JSON object with every text: those of LETTER_TEXTS, and the English ones that this file lacks. A file for " +
    "LETTER_TEXTS may have some of them. What is in braces is filled in and has to stay.",
  examples: ["sluice letter texts > letters.json"],
  rights: [],
  arguments: {},
  options: {},
  run: ({ environment }) => {
    const { all } = valueOf(readConfig(environment, [letterTexts]), letterTexts);
    return Promise.resolve({ json: all, text: JSON.stringify(all, undefined, 2) });
  },
});

export const heading = "Records";

export const groups = {
  letter: "Print the texts of letters to persons and authorities.",
  subject: "Show and export everything that is stored about one, and answer an authority.",
};

export const commands = [subjectShow, subjectExport, subjectAnswer, texts];
