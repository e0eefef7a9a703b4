// Writes the records of one large body: hashes, parses and validates it slice by slice, each in a separate tick, then
// stores all of it. Stops between two slices if the client has disconnected.

import { createHash } from "node:crypto";
import { fingerprintOf } from "../../actions/intake/idempotency.ts";
import {
  type RecordWriter,
  Submission,
  type WriteReport,
} from "../../actions/intake/submission.ts";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import type { IdempotencyMark } from "../../domain/record/record-write.ts";
import { requireListForm, requireSingleForm } from "../body/list-form.ts";
import { parseJson } from "../body/parse-json.ts";
import { describeJsonError } from "../body/json-syntax-error.ts";
import { type Operation, requireType } from "../operation.ts";
import { markItems } from "./mark-items.ts";
import { type ListSlice, sliceList, startsList } from "./list-slices.ts";
import type { IdempotencyOrder, ListOrder, ListReport } from "./messages.ts";
import type { Turns } from "../../basics/turns.ts";
import type { WorkMeter } from "./work-meter.ts";

const itemTextBytesMax = 1_024 * 1_024;

export interface ListTask {
  readonly order: ListOrder;
  readonly operation: Operation;
  readonly body: Buffer;
}

export interface TaskContext {
  readonly writer: RecordWriter;
  readonly turns: Turns;
  readonly meter: WorkMeter;
  readonly signal: AbortSignal;
}

/** A list up to this size is parsed at once, because finding its slices would cost as much as parsing it. */
const wholeBytesMax = 64 * 1_024;
/** The bounds of a turn for such a body: an invalid item may take a millisecond. */
const turnBounds = { itemsMax: 128, ms: 3 } as const;

const sliceBounds = {
  itemsMax: 128,
  bytes: 64 * 1_024,
  itemBytesMax: itemTextBytesMax,
  stepBytes: 512 * 1_024,
} as const;
const hashedBytesPerTurn = 1_024 * 1_024;
const resultsPerTurn = 500;

/** Rejects like `Submission.store`, and with AppError malformed_json, validation_failed or too_large. */
export async function writeList(task: ListTask, context: TaskContext): Promise<ListReport> {
  const { order, operation, body } = task;
  const { meter, writer } = context;
  const submission = new Submission({
    ...order,
    type: requireType(operation),
    single: !startsList(body),
  });
  const idempotency = await markOf(task, context);
  meter.count(0, body.length);
  const isLarge = startsList(body) && body.length > wholeBytesMax;
  await (isLarge ? addSlices : addWhole)(task, submission, context);
  meter.count(Math.max(submission.items, submission.rows), 0);
  const report = await meter.run(() => submission.store(writer, idempotency));
  return describeReport(task, report, context);
}

/** Adds a single item, or the items of a list of moderate size. */
async function addWhole(
  task: ListTask,
  submission: Submission,
  context: TaskContext,
): Promise<void> {
  const { operation, body } = task;
  const { meter } = context;
  await takeTurn(task, context);
  const isList = startsList(body);
  const items = meter.run((): readonly unknown[] => {
    if (body.length > itemTextBytesMax) throw tooLargeObject();
    const value = parseJson(body);
    if (!isList) {
      requireSingleForm(operation);
      return [value];
    }
    // Valid JSON that begins with a bracket is a list.
    const list = value as readonly unknown[];
    requireListForm(operation, list.length);
    return list;
  });
  const marks = isList ? marksOf(task, body) : undefined;
  while (submission.items < items.length) {
    if (submission.items > 0) await takeTurn(task, context);
    meter.run(() => addSome(submission, items, marks));
  }
}

type Marks = Iterator<IdempotencyMark, undefined> | undefined;

function addSome(submission: Submission, list: readonly unknown[], marks: Marks): void {
  const until = performance.now() + turnBounds.ms;
  const end = Math.min(list.length, submission.items + turnBounds.itemsMax);
  do submission.add(list[submission.items], marks?.next().value);
  while (submission.items < end && performance.now() < until);
}

function marksOf({ order }: ListTask, list: Uint8Array, from = 0): Marks {
  const items = order.idempotency?.items;
  return items && markItems(list, items, from);
}

async function addSlices(
  task: ListTask,
  submission: Submission,
  context: TaskContext,
): Promise<void> {
  const { operation, body } = task;
  const slices = sliceList(body, sliceBounds);
  let items = 0;
  for (;;) {
    await takeTurn(task, context);
    const ended = context.meter.run(() => {
      const next = slices.next();
      if (next.done === true) {
        if (!next.value.whole) throw describeJsonError(body, "body", next.value.rest);
        return true;
      }
      items += next.value.items;
      // Items beyond the limit are only counted.
      if (next.value.items > 0 && items <= limits.batchItemsMax) {
        addSlice(task, submission, next.value);
      }
      return false;
    });
    if (ended) break;
  }
  requireListForm(operation, items);
  await takeTurn(task, context);
}

/** While it is read, the bytes before and after the slice are replaced by brackets, to make it a list. */
function addSlice(task: ListTask, submission: Submission, { start, end, items }: ListSlice): void {
  const { body } = task;
  if (items === 1 && end - start > itemTextBytesMax) return submission.addTooLarge();
  const [before, after] = [body[start - 1] ?? 0, body[end] ?? 0];
  body[start - 1] = 0x5b;
  body[end] = 0x5d;
  try {
    const slice = body.subarray(start - 1, end + 1);
    const list = parseJson(slice) as readonly unknown[];
    const marks = marksOf(task, slice, submission.items);
    for (const item of list) submission.add(item, marks?.next().value);
  } catch (error) {
    throw error instanceof AppError ? describeJsonError(body, "body", start) : error;
  } finally {
    body[start - 1] = before;
    body[end] = after;
  }
}

async function markOf(task: ListTask, context: TaskContext): Promise<IdempotencyMark | undefined> {
  const { idempotency } = task.order;
  if (idempotency === undefined) return undefined;
  if (idempotency.items !== undefined && startsList(task.body)) return undefined;
  const hash = createHash("sha256");
  for (let at = 0; at < task.body.length; at += hashedBytesPerTurn) {
    await takeTurn(task, context);
    context.meter.run(() => hash.update(task.body.subarray(at, at + hashedBytesPerTurn)));
  }
  return toMark(idempotency, hash.digest("hex"));
}

function toMark({ keyHash, context }: IdempotencyOrder, bodyHash: string): IdempotencyMark {
  return { keyHash, fingerprint: fingerprintOf(context, bodyHash) };
}

async function describeReport(
  task: ListTask,
  report: WriteReport,
  context: TaskContext,
): Promise<ListReport> {
  const { results } = report;
  if (results === undefined) return reportOf(report);
  const parts: string[] = [];
  for (let at = 0; at < results.length; at += resultsPerTurn) {
    await takeTurn(task, context);
    const part = results.slice(at, at + resultsPerTurn);
    context.meter.run(() => parts.push(...part.map((result) => JSON.stringify(result))));
  }
  return context.meter.run(() => reportOf(report, `[${parts.join(",")}]`));
}

async function takeTurn({ order }: ListTask, { turns, signal }: TaskContext): Promise<void> {
  await turns.next(order.organizationId);
  signal.throwIfAborted();
}

function tooLargeObject(): AppError {
  return new AppError("too_large", {
    message: `One record may have at most ${limits.recordBytesMax} bytes as JSON.`,
  });
}

/** `text`: the results as JSON, for a lenient list. */
export function reportOf(
  { written, repeated, drafts, results = [] }: WriteReport,
  text?: string,
): ListReport {
  return {
    written,
    repeated,
    updated: drafts.filter((outcome) => outcome === "updated").length,
    unchanged: drafts.filter((outcome) => outcome === "unchanged").length,
    refused: results.filter(({ status }) => status === "refused").length,
    results: text,
  };
}
