// What the verification of a file has found, as text and as JSON.

import { formatCount } from "../../basics/format-count.ts";
import type { Completeness, FileVerdict } from "./verify-file.ts";
import type { CommandResult } from "../../cli/command.ts";

export function reportFile(path: string, verdict: FileVerdict): CommandResult {
  const { faults } = verdict;
  const text = describeFile(path, verdict);
  return { json: viewFile(verdict), text, hasFinding: faults.length > 0 };
}

function viewFile({ kind, rows, faults, completeness, manifest, head }: FileVerdict) {
  return {
    ok: faults.length === 0,
    ...viewCompleteness(faults, completeness),
    kind,
    rows: rows ?? null,
    head: head ?? null,
    manifest: manifest ?? null,
    faults,
  };
}

/** A file with faults is complete up to no time. */
export function viewCompleteness(faults: readonly string[], { until, notExamined }: Completeness) {
  return {
    complete_until: faults.length === 0 ? (until ?? null) : null,
    not_examined: notExamined,
  };
}

export function describeCompleteness({ until, notExamined }: Completeness): readonly string[] {
  return [
    ...(until === undefined ? [] : [`Complete up to ${until}.`]),
    ...notExamined.map((what) => `Not examined: ${what}.`),
  ];
}

function describeFile(path: string, verdict: FileVerdict): string {
  const { kind, rows, faults, completeness, manifest, head } = verdict;
  if (faults.length > 0) {
    return [`${path} is not genuine or not complete:`, ...faults.map((fault) => `  ${fault}`)].join(
      "\n",
    );
  }
  const counted = rows === undefined ? "" : `: ${formatCount(rows, nouns[kind])}`;
  return [
    `${path} is genuine${counted}.`,
    ...(head === undefined ? [] : [`  the published head is number ${head}`]),
    ...(manifest === undefined
      ? []
      : [
          `  exported ${manifest.made_at} from ${manifest.store_id}, ${manifest.export_id}: ${JSON.stringify(manifest.query)}`,
        ]),
    ...describeCompleteness(completeness),
  ].join("\n");
}

const nouns = { receipts: "receipt", audit: "entry", export: "row" } as const;
