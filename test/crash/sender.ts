// One connection of one organization, which sends one request at a time and notes each before it
// sends it. Survives the server: after a restart it continues with what it knows.

import type { RecordType } from "../../src/domain/record-type.ts";
import type { Customer } from "../support/customer.ts";
import type { Ask, Client, Reply } from "../support/http-client.ts";
import type { Fields, RecordGenerator } from "../support/record-generator.ts";
import type { AskedDeletion, Ledger, SentChange, SentRecord, Submission } from "./ledger.ts";
import { recordReply } from "./record-reply.ts";

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

export interface Outgoing {
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
