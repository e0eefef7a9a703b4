// One connection of one organization, which sends one request at a time and notes each before it
// sends it. Survives the server: after a restart it continues with what it knows.

import type { RecordType } from "../../src/domain/record-type.ts";
import type { Customer } from "../support/customer.ts";
import type { Ask, Client, Reply } from "../support/http-client.ts";
import type { Fields, RecordGenerator } from "../support/record-generator.ts";
import type { AskedDeletion, Ledger, SentChange, SentRecord, Submission } from "./ledger.ts";

export interface Sender {
  readonly name: string;
  readonly customer: Customer;
  readonly generator: RecordGenerator;
  readonly ledger: Ledger;
  /** Belongs to the running server. */
  client: Client;
  /** Whether that server was killed. */
  isKilled: () => boolean;
  token: string;
  /**
   * Records that certainly exist, are related to no others, and that no deletion is about to erase.
   */
  loners: SentRecord[];
  /** Related records, the one to delete first. */
  families: (readonly SentRecord[])[];
  openDeletions: AskedDeletion[];
  /** Acknowledged requests with an Idempotency-Key, to be repeated. */
  acknowledged: Submission[];
  count: number;
  /** True once a request stayed unanswered. */
  cutOff: boolean;
}

interface Outgoing {
  readonly method: "POST" | "PUT";
  readonly path: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly changes: readonly (SentChange | undefined)[];
  readonly atomic: boolean;
  readonly idempotent?: boolean;
  /** As in Submission. */
  readonly refusedWith?: number;
  readonly writeCount?: number;
  /** Sends instead of the client, for bodies that are sent in chunks. */
  readonly exchange?: (ask: Ask) => Promise<Reply>;
}

/** True if the request was answered, and correctly. */
export async function submit(sender: Sender, outgoing: Outgoing): Promise<boolean> {
  const { method, path, body, changes, atomic, idempotent = false } = outgoing;
  const ask: Ask = {
    method,
    path,
    token: sender.token,
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { ...outgoing.headers, ...(idempotent ? { "idempotency-key": newKey(sender) } : {}) },
  };
  const submission: Submission = {
    ask,
    changes,
    atomic,
    sender: sender.name,
    idempotent,
    refusedWith: outgoing.refusedWith,
    writeCount: outgoing.writeCount,
    answer: undefined,
  };
  sender.ledger.recent.push(submission);
  const reply = await exchange(sender, ask, outgoing.exchange);
  if (reply === undefined) return false;
  const expected = recordReply(sender.ledger, submission, reply);
  if (expected && idempotent) remember(sender, submission);
  return expected;
}

/** The reply, or undefined when the connection ended before a complete one arrived. */
export async function exchange(
  sender: Sender,
  ask: Ask,
  how: (ask: Ask) => Promise<Reply> = (asked) => sender.client.send(asked),
): Promise<Reply | undefined> {
  try {
    return await how(ask);
  } catch (error) {
    sender.cutOff = true;
    if (!sender.isKilled()) {
      sender.ledger.findings.push(
        `${ask.method} ${ask.path} broke off without a crash: ${String(error)}`,
      );
    }
    return undefined;
  }
}

/** A record that this sender adds, with a unique payload. */
export function newRecord(
  sender: Sender,
  type: RecordType,
  overrides: Fields = {},
): { record: SentRecord; payload: Fields } {
  const payload = sender.generator.record(type, { ...overrides, ...numbered(sender) });
  const id = String(payload[type.idField]);
  const { organizationId } = sender.customer;
  return { record: sender.ledger.record(type, { organizationId, id }), payload };
}

export function newUpdate(sender: Sender, { type, id }: SentRecord): Fields {
  const related = Object.fromEntries(type.relations.map(({ field }) => [field, undefined]));
  return sender.generator.update(type, id, { ...related, ...numbered(sender) });
}

/** What makes a payload unique. */
export function numbered(sender: Sender): Fields {
  sender.count += 1;
  const value = `${sender.name}-${sender.count}`;
  return { additional_properties: [{ key: "number", value, type: "STRING" }] };
}

export function newKey(sender: Sender): string {
  sender.count += 1;
  return `key-${sender.name}-${sender.count}`;
}

function remember({ acknowledged }: Sender, submission: Submission): void {
  const keptMax = 20;
  acknowledged.push(submission);
  if (acknowledged.length > keptMax) acknowledged.shift();
}

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
