// What the writer is asked for and what it answers, and the flat form in which both go from one thread to the other.
// Cloning many small objects costs more than storing them, so a group is one list of texts and numbers.

import { AppError } from "../../domain/error.ts";
import type {
  Draft,
  IdempotencyMark,
  RecordWrite,
  Reference,
  WriteMode,
} from "../../domain/record-write.ts";
import type { RelationKind } from "../../domain/record-type.ts";
import { StoreError } from "../store-error.ts";
import type { OperationName } from "./operation.ts";
import type { PackedOutcome } from "../packed-outcome.ts";

export interface OperationJob {
  readonly name: OperationName;
  readonly args: unknown;
}

export type Job = RecordWrite | OperationJob;

export type Result =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

export function isOperation(job: Job): job is OperationJob {
  return "name" in job;
}

/** How much there is to store, as a bound on groups counts it. */
export function countItems(jobs: readonly Job[]): number {
  return jobs.reduce((sum, job) => sum + (isOperation(job) ? 1 : job.drafts.length), 0);
}

/** Reads a flat list from its start to its end. */
class Cursor {
  readonly #list: readonly unknown[];
  #next = 0;

  constructor(list: readonly unknown[]) {
    this.#list = list;
  }

  get atEnd(): boolean {
    return this.#next >= this.#list.length;
  }

  /** The caller knows what was written there. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters
  take<Item>(): Item {
    const item = this.#list[this.#next] as Item;
    this.#next += 1;
    return item;
  }
}

/** An operation is its name and its arguments; a write begins with a number, how many drafts it has. */
export function flattenJobs(jobs: readonly Job[]): unknown[] {
  const list: unknown[] = [];
  for (const job of jobs) {
    if (isOperation(job)) list.push(job.name, job.args);
    else flattenWrite(list, job);
  }
  return list;
}

function flattenWrite(list: unknown[], write: RecordWrite): void {
  const { idempotency: mark } = write;
  list.push(
    write.drafts.length,
    write.organizationId,
    write.resourceType,
    write.mode,
    write.lenient,
    write.receivedAt,
    mark === undefined ? "" : toText(mark.keyHash),
    mark === undefined ? "" : toText(mark.fingerprint),
  );
  for (const { id, timestamp, payload, references } of write.drafts) {
    list.push(id, timestamp, payload, references.length);
    for (const reference of references) list.push(reference.to, reference.id, reference.kind);
  }
}

export function unflattenJobs(list: readonly unknown[]): Job[] {
  const cursor = new Cursor(list);
  const jobs: Job[] = [];
  while (!cursor.atEnd) {
    const first = cursor.take<number | OperationName>();
    jobs.push(
      typeof first === "number"
        ? unflattenWrite(cursor, first)
        : { name: first, args: cursor.take() },
    );
  }
  return jobs;
}

function unflattenWrite(cursor: Cursor, draftCount: number): RecordWrite {
  const organizationId = cursor.take<string>();
  const resourceType = cursor.take<string>();
  const mode = cursor.take<WriteMode>();
  const lenient = cursor.take<boolean>();
  const receivedAt = cursor.take<number>();
  const idempotency = unflattenMark(cursor);
  const drafts: Draft[] = [];
  for (let count = 0; count < draftCount; count += 1) drafts.push(unflattenDraft(cursor));
  return { organizationId, resourceType, mode, lenient, receivedAt, idempotency, drafts };
}

function unflattenMark(cursor: Cursor): IdempotencyMark | undefined {
  const keyHash = cursor.take<string>();
  const fingerprint = cursor.take<string>();
  if (keyHash === "") return undefined;
  return { keyHash: toBytes(keyHash), fingerprint: toBytes(fingerprint) };
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

/** A write's outcome is a number and a text; another value follows `true`, an error follows `false`. */
export function flattenResults(results: readonly Result[]): unknown[] {
  const list: unknown[] = [];
  for (const result of results) {
    if (!result.ok) list.push(false, describeError(result.error));
    else if (isPackedOutcome(result.value)) list.push(result.value.written, result.value.drafts);
    else list.push(true, result.value);
  }
  return list;
}

export function unflattenResults(list: readonly unknown[]): Result[] {
  const cursor = new Cursor(list);
  const results: Result[] = [];
  while (!cursor.atEnd) {
    const first = cursor.take<number | boolean>();
    if (typeof first === "number") {
      const drafts = cursor.take<string>();
      results.push({ ok: true, value: { written: first, drafts } satisfies PackedOutcome });
    } else if (first) {
      results.push({ ok: true, value: cursor.take() });
    } else {
      results.push({ ok: false, error: restoreError(cursor.take<ErrorDescription>()) });
    }
  }
  return results;
}

function isPackedOutcome(value: unknown): value is PackedOutcome {
  return typeof value === "object" && value !== null && "written" in value && "drafts" in value;
}

type ErrorDescription =
  | Pick<AppError, "errorName" | "message" | "errors" | "retryAfterSeconds" | "cause">
  | { readonly storeMessage: string; readonly cause: unknown }
  | Error;

/** Cloning leaves of an error only its text, so what AppError says beyond that goes apart. */
function describeError(error: unknown): ErrorDescription {
  if (error instanceof AppError) {
    const { errorName, message, errors, retryAfterSeconds, cause } = error;
    return { errorName, message, errors, retryAfterSeconds, cause };
  }
  if (error instanceof StoreError) return { storeMessage: error.message, cause: error.cause };
  return error instanceof Error ? error : new Error(String(error));
}

function restoreError(description: ErrorDescription): Error {
  if (description instanceof Error) return description;
  if ("storeMessage" in description) {
    return new StoreError(description.storeMessage, { cause: description.cause });
  }
  const { errorName, message, errors, retryAfterSeconds, cause } = description;
  return new AppError(errorName, {
    message,
    cause,
    ...(errors === undefined ? {} : { errors }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

/** One character a byte: a text is cheaper to clone than a typed array. */
function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

function toBytes(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}
