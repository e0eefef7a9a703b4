// Reads a reply: notes for each change of a request whether it was acknowledged, and reports an
// unexpected reply.

import type { Reply } from "../support/http-client.ts";
import type { Ledger, SentChange, Submission } from "./ledger.ts";

/** True if the reply is the expected one. */
export function recordReply(ledger: Ledger, submission: Submission, reply: Reply): boolean {
  submission.answer = { status: reply.status, text: reply.text };
  const fault = faultOf(submission, reply);
  if (fault === undefined) return true;
  const { method, path, headers } = submission.ask;
  ledger.findings.push(
    `${method} ${path} (${submission.changes.length} items, ${JSON.stringify(headers)}): ${fault}; ` +
      `the reply is ${reply.status} ${reply.text.slice(0, 500)}`,
  );
  return false;
}

function faultOf(submission: Submission, reply: Reply): string | undefined {
  const { refusedWith } = submission;
  const { method, path } = submission.ask;
  const isBatch = path.endsWith("/batch");
  const success = refusedWith ?? (method === "POST" && !isBatch ? 201 : 200);
  if (reply.status !== success) {
    markAll(submission, "absent");
    return `expected ${success}`;
  }
  if (refusedWith !== undefined) return undefined;
  const wanted = submission.writeCount ?? submission.changes.filter(isWanted).length;
  if (String(reply.headers["content-type"]).startsWith("application/x-ndjson")) {
    return recordStream(submission, reply, wanted);
  }
  const { results, write_count: count } = reply.body;
  if (count !== wanted) return `expected a write_count of ${wanted}`;
  if (results === undefined) {
    markAll(submission, "stored");
    return undefined;
  }
  const written = results.map(({ status }) => status === "created" || status === "updated");
  return recordItems(submission, written);
}

/** A line for each rejected item, then the summary. */
function recordStream(submission: Submission, { text }: Reply, wanted: number): string | undefined {
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { line?: number; write_count?: number; received?: number });
  const summary = lines.pop();
  if (summary?.write_count !== wanted) return `expected a write_count of ${wanted}`;
  if (summary.received !== submission.changes.length) return "expected all lines to be received";
  const refused = new Set(lines.map(({ line = 0 }) => line - 1));
  return recordItems(
    submission,
    submission.changes.map((_, index) => !refused.has(index)),
  );
}

function recordItems({ changes }: Submission, written: readonly boolean[]): string | undefined {
  if (written.length !== changes.length) return `expected ${changes.length} results`;
  for (const [index, change] of changes.entries()) {
    if (written[index] !== isWanted(change)) return `item ${index} came out otherwise`;
    if (change !== undefined && written[index]) change.standing = "stored";
  }
  return undefined;
}

/** Doomed changes are absent from the start. */
function isWanted(change: SentChange | undefined): boolean {
  return change !== undefined && change.standing !== "absent";
}

function markAll({ changes }: Submission, standing: "stored" | "absent"): void {
  for (const change of changes) if (change?.standing === "unknown") change.standing = standing;
}
