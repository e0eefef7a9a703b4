// The page of a subject's archive. Static HTML that loads nothing; everything that comes from records is escaped.

import { escapeHtml } from "../../basics/escape-html.ts";
import type { Payload } from "../../domain/record-type.ts";
import { nounOf, titleOf } from "../../domain/record-types.ts";
import {
  type Count,
  deletionColumns,
  type SubjectDeletion,
  type SubjectRequest,
} from "./read-subject.ts";

interface ArchiveSummary extends SubjectRequest {
  readonly organizationName: string;
  readonly state: Payload | undefined;
  readonly counts: readonly Count[];
  readonly deletions: readonly SubjectDeletion[];
  /** RFC 3339. */
  readonly startedAt: string;
  readonly endedAt: string;
}

const style = `
  body { font: 16px/1.5 sans-serif; max-width: 50em; margin: 2em auto; padding: 0 1em; color: #222; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; vertical-align: top; padding: 0.3em 0.6em; border-bottom: 1px solid #ccc; }
  td { overflow-wrap: anywhere; }
  code { font-size: 0.95em; }`;

export function archivePage(summary: ArchiveSummary): string {
  const { organizationId, organizationName, startedAt, endedAt } = summary;
  const title = `Data on ${nounOf(summary.resourceType)} ${summary.resourceId}`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${style}
</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
${table([
  ["Held by", `${organizationName} (${organizationId})`],
  ["As of", startedAt],
  ["Completed", endedAt],
])}
<h2>Latest state</h2>
${stateTable(summary)}
<h2>Records in this folder</h2>
${recordTable(summary)}
<h2>Deletion requests</h2>
${deletionTable(summary.deletions)}
<h2>What was searched</h2>
${searched(summary)}
<h2>What is left out, and why</h2>
${leftOut(summary)}
<h2>How to read the files</h2>
<p>Each file has one record a line, as JSON. <code>state</code> is the record as it is now. <code>changes</code> are all
submissions that led to it, in the order in which they were received; <code>received_at</code> is when. The
<code>timestamp</code> in a payload is when the event happened, and <code>first_seen</code> and <code>last_seen</code> are the
earliest and the latest of these. Programs can read the files without this page.</p>
</body>
</html>
`;
}

function stateTable({ resourceType, state }: ArchiveSummary): string {
  if (state === undefined) {
    const title = escapeHtml(nounOf(resourceType));
    return `<p>There is no record of the ${title} itself; the records below refer to this id.</p>`;
  }
  return table(
    Object.entries(state).map(([name, value]) => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}

function recordTable({ counts }: ArchiveSummary): string {
  const rows = counts.map(([name, records]) => [
    `<a href="${encodeURIComponent(name)}.ndjson">${escapeHtml(titleOf(name))}</a>`,
    String(records),
  ]);
  return listTable(["File", "Lines"], rows);
}

function deletionTable(deletions: readonly SubjectDeletion[]): string {
  if (deletions.length === 0) return "<p>None.</p>";
  const rows = deletions.map((one) => deletionColumns.map(([, cell]) => escapeHtml(cell(one))));
  return listTable(
    deletionColumns.map(([title]) => title),
    rows,
  );
}

function listTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = titles.map((title) => `<th>${title}</th>`).join("");
  const lines = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`);
  return `<table>\n<tr>${head}</tr>\n${lines.join("\n")}\n</table>`;
}

function searched({ resourceType: type, confidential }: ArchiveSummary): string {
  const restricted = confidential
    ? "\n<li>the same in the restricted store, where records have <code>restricted_by</code>;</li>"
    : "";
  return `<p>All records of the organization that are stored by this service:</p>
<ul>
<li>the ${escapeHtml(nounOf(type))} itself;</li>
<li>every record that belongs to it or mentions it, and everything that belongs to those that belong to it, at any depth;</li>
<li>every transaction in which it was sender or receiver, in its latest state or in an earlier change, and everything that
belongs to that transaction, at any depth;</li>${restricted}
<li>the requests to delete it.</li>
</ul>`;
}

/** The text is the same whether or not anything was left out. */
function leftOut({ confidential }: ArchiveSummary): string {
  const reports = confidential
    ? "<li>Nothing because of its type: this archive was made for an officer, and contains types that the law may forbid to " +
      "disclose. Do not hand it out.</li>"
    : "<li>Types of records that the law may forbid to disclose, such as reports of suspicions. They are left out of every " +
      "such archive, whether or not there are any.</li>\n<li>Legal holds, for the same reason.</li>";
  return `<ul>
${reports}
<li>Records that do not refer to it by its id, such as text about it in the records of others.</li>
<li>What was erased before, and what the sender of the records stores elsewhere.</li>
<li>API keys, logs and the audit trail of the service, which contain no records.</li>
<li>Records that arrived after the time given above, or that were erased while this was written.</li>
</ul>`;
}

function table(rows: readonly (readonly [name: string, value: string])[]): string {
  const lines = rows.map(
    ([name, value]) => `<tr><th>${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`,
  );
  return `<table>\n${lines.join("\n")}\n</table>`;
}
