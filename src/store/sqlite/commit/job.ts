// The jobs of the writer and their results, and the flat form in which both pass between threads. Cloning many small
// objects costs more than storing them, so a group is one list of strings and numbers.

import { describeError, type ErrorForm, restoreError } from "../../../domain/error.ts";
import type {
  Draft,
  IdempotencyMark,
  RecordWrite,
  Reference,
  WriteMode,
} from "../../../domain/record/record-write.ts";
import type { Ticket } from "../../../basics/slots.ts";
import { countDraftRows } from "../../../domain/record/draft-rows.ts";
import type { RelationKind } from "../../../domain/record-type.ts";
import { StoreError } from "../../interface/store-error.ts";
import type { OperationJob } from "./operation.ts";
import { marksOf } from "../../group/group-replies.ts";
import type { PackedOutcome } from "../../group/packed-outcome.ts";

export type Job = RecordWrite | OperationJob;

export type Result = Readonly<{ ok: true; value: unknown } | { ok: false; error: unknown }>;

export function isOperation(job: Job): job is OperationJob {
  return "name" in job;
}

/** Rows that a job writes or reads, including relations, for the scheduler; at least 1. */
export function countRows(job: Job): number {
  return isOperation(job) ? 1 : Math.max(1, countDraftRows(job.drafts));
}

/** What `pick` finds in the items from `from` on, up to the first in which it finds nothing. */
export function takeWhile<Item, Found>(
  items: readonly Item[],
  from: number,
  pick: (item: Item) => Found | false | undefined,
): readonly Found[] {
  const results: Found[] = [];
  for (let at = from; at < items.length; at += 1) {
    const picked = pick(items[at] as Item);
    if (picked === false || picked === undefined) break;
    results.push(picked);
  }
  return results;
}

/** Reads a flat list from start to end. */
class Cursor {
  readonly #list: readonly unknown[];
  #next = 0;

  constructor(list: readonly unknown[]) {
    this.#list = list;
  }

  get atEnd(): boolean {
    return this.#next >= this.#list.length;
  }

  /** The caller knows the type of the next element. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  take<Item>(): Item {
    const item = this.#list[this.#next] as Item;
    this.#next += 1;
    return item;
  }
}

export interface TicketedJob {
  readonly ticket: Ticket;
  readonly job: Job;
}

/** Each begins with its ticket; then the name and arguments of an operation, or the number of drafts of a write. */
export function flattenJobs(jobs: readonly TicketedJob[]): unknown[] {
  const list: unknown[] = [];
  for (const { ticket, job } of jobs) {
    list.push(ticket);
    if (isOperation(job)) list.push(job.name, job.args);
    else flattenWrite(list, job);
  }
  return list;
}

function flattenWrite(list: unknown[], write: RecordWrite): void {
  const marks = marksOf(write);
  list.push(
    write.drafts.length,
    write.organizationId,
    write.resourceType,
    write.mode,
    write.lenient,
    write.receivedAt,
    write.marks !== undefined,
    marks.length,
  );
  for (const { keyHash, fingerprint } of marks) list.push(toText(keyHash), toText(fingerprint));
  for (const { id, timestamp, payload, references } of write.drafts) {
    list.push(id, timestamp, payload, references.length);
    for (const reference of references) list.push(reference.to, reference.id, reference.kind);
  }
}

export function unflattenJobs(list: readonly unknown[]): TicketedJob[] {
  const cursor = new Cursor(list);
  const jobs: TicketedJob[] = [];
  while (!cursor.atEnd) {
    const ticket = cursor.take<Ticket>();
    const first = cursor.take<number | string>();
    const job: Job =
      typeof first === "number"
        ? unflattenWrite(cursor, first)
        : { name: first, args: cursor.take() };
    jobs.push({ ticket, job });
  }
  return jobs;
}

function unflattenWrite(cursor: Cursor, draftCount: number): RecordWrite {
  const organizationId = cursor.take<string>();
  const resourceType = cursor.take<string>();
  const mode = cursor.take<WriteMode>();
  const lenient = cursor.take<boolean>();
  const receivedAt = cursor.take<number>();
  const isMarkedEach = cursor.take<boolean>();
  const all: IdempotencyMark[] = [];
  for (let left = cursor.take<number>(); left > 0; left -= 1) {
    all.push({ keyHash: toBytes(cursor.take()), fingerprint: toBytes(cursor.take()) });
  }
  const idempotency = isMarkedEach ? undefined : all[0];
  const marks = isMarkedEach ? all : undefined;
  const drafts: Draft[] = [];
  for (let count = 0; count < draftCount; count += 1) drafts.push(unflattenDraft(cursor));
  return { organizationId, resourceType, mode, lenient, receivedAt, idempotency, marks, drafts };
}

const noReferences: readonly Reference[] = [];

function unflattenDraft(cursor: Cursor): Draft {
  const id = cursor.take<string>();
  const timestamp = cursor.take<string>();
  const payload = cursor.take<string>();
  let left = cursor.take<number>();
  if (left === 0) return { id, timestamp, payload, references: noReferences };
  const references: Reference[] = [];
  for (; left > 0; left -= 1) {
    references.push({
      to: cursor.take<string>(),
      id: cursor.take<string>(),
      kind: cursor.take<RelationKind>(),
    });
  }
  return { id, timestamp, payload, references };
}

/** The ticket, then a number and a string for a write; any other value follows `true`, an error follows `false`. */
export function flattenResult(list: unknown[], ticket: Ticket, result: Result): void {
  if (!result.ok) list.push(ticket, false, describeFailure(result.error));
  else if (isPackedOutcome(result.value))
    list.push(ticket, result.value.written, result.value.drafts);
  else list.push(ticket, true, result.value);
}

/** Calls `take` for each ticket and its result. */
export function unflattenResults(
  list: readonly unknown[],
  take: (ticket: Ticket, result: Result) => void,
): void {
  const cursor = new Cursor(list);
  while (!cursor.atEnd) take(cursor.take<Ticket>(), unflattenResult(cursor));
}

function unflattenResult(cursor: Cursor): Result {
  const first = cursor.take<number | boolean>();
  if (typeof first === "number") {
    const drafts = cursor.take<string>();
    return { ok: true, value: { written: first, drafts } satisfies PackedOutcome };
  }
  if (first) return { ok: true, value: cursor.take() };
  return { ok: false, error: restoreFailure(cursor.take<Failure>()) };
}

function isPackedOutcome(value: unknown): value is PackedOutcome {
  return typeof value === "object" && value !== null && "written" in value && "drafts" in value;
}

interface StoreFailure extends Pick<StoreError, "isTemporary" | "cause"> {
  readonly storeMessage: string;
}

type Failure = ErrorForm | StoreFailure;

function describeFailure(error: unknown): Failure {
  if (!(error instanceof StoreError)) return describeError(error);
  const { message: storeMessage, isTemporary, cause } = error;
  return { storeMessage, isTemporary, cause };
}

function restoreFailure(failure: Failure): Error {
  if (!("storeMessage" in failure)) return restoreError(failure);
  return new StoreError(failure.storeMessage, failure);
}

/** One character for each byte: a string is cheaper to clone than a typed array. */
function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

function toBytes(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}
