// Writes the records of one large body: hashes, parses and validates it slice by slice, each in a separate tick, then
// stores all of it. Stops between two slices if the client has disconnected.

import { createHash } from "node:crypto";
import { contextOf, fingerprintOf, keyHashOf } from "../../actions/intake/idempotency.ts";
import {
  type RecordWriter,
  Submission,
  type WriteReport,
} from "../../actions/intake/submission.ts";
import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { requireRecordType } from "../../domain/record-types.ts";
import type { RecordType } from "../../domain/record-type.ts";
import type { IdempotencyMark } from "../../domain/record/record-write.ts";
import { requireListForm, requireSingleForm } from "../body/list-form.ts";
import { parseJson } from "../body/parse-json.ts";
import { describeJsonError } from "../body/json-syntax-error.ts";
import { markItems } from "./mark-items.ts";
import { type ListSlice, sliceList, startsList } from "./list-slices.ts";
import type { ListOrder, ListOutcome, ListReport } from "./messages.ts";
import type { Turns } from "../../basics/turns.ts";
import type { WorkMeter } from "./work-meter.ts";

const itemTextBytesMax = 1_024 * 1_024;

export interface TaskContext {
  readonly writer: RecordWriter;
  readonly turns: Turns;
  readonly meter: WorkMeter;
}

/** A stream whose client has disconnected just gets no more chunks, and stores the chunks it has. */
interface ListContext extends TaskContext {
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

interface ListTask extends ListContext {
  readonly order: ListOrder;
  readonly type: RecordType;
  readonly body: Buffer;
  readonly isList: boolean;
  readonly submission: Submission;
}

/** Resolves also if it fails, because reading the list was work, too. */
export async function outcomeOf(
  meter: WorkMeter,
  work: () => Promise<ListReport>,
): Promise<ListOutcome> {
  try {
    return { report: await work(), work: meter.take() };
  } catch (cause) {
    const error = cause instanceof Error ? cause : new Error("a list failed", { cause });
    return { error, work: meter.take() };
  }
}

/** Rejects like `Submission.store`, and with AppError malformed_json, validation_failed or too_large. */
export async function writeList(
  order: ListOrder,
  { buffer, byteOffset, length }: Uint8Array<ArrayBuffer>,
  context: ListContext,
): Promise<ListReport> {
  const { meter, writer } = context;
  const body = Buffer.from(buffer, byteOffset, length);
  const isList = startsList(body);
  const type = requireRecordType(order.resourceType);
  const submission = new Submission({ ...order, type, single: !isList });
  const task: ListTask = { ...context, order, type, body, isList, submission };
  const idempotency = await markWhole(task);
  meter.count(0, length);
  await (isList && length > wholeBytesMax ? addSlices : addWhole)(task);
  meter.count(Math.max(submission.items, submission.rows), 0);
  const report = await meter.run(() => submission.store(writer, idempotency));
  return describeReport(task, report);
}

/** Adds a single item, or the items of a list of moderate size. */
async function addWhole(task: ListTask): Promise<void> {
  const { body, isList, meter, submission } = task;
  await takeTurn(task);
  const items = meter.run(() => parseWhole(task));
  const marks = isList ? markItems(body, task.order) : undefined;
  while (submission.items < items.length) {
    if (submission.items > 0) await takeTurn(task);
    meter.run(() => addSome(submission, items, marks));
  }
}

function parseWhole({ order: { form }, type, body, isList }: ListTask): readonly unknown[] {
  if (body.length > itemTextBytesMax) throw tooLargeObject();
  const value = parseJson(body);
  if (!isList) {
    requireSingleForm(form, type);
    return [value];
  }
  // Valid JSON that begins with a bracket is a list.
  const list = value as readonly unknown[];
  requireListForm(form, type, list.length);
  return list;
}

type Marks = ReturnType<typeof markItems>;

function addSome(submission: Submission, list: readonly unknown[], marks: Marks): void {
  const until = performance.now() + turnBounds.ms;
  const end = Math.min(list.length, submission.items + turnBounds.itemsMax);
  do submission.add(list[submission.items], marks?.next().value);
  while (submission.items < end && performance.now() < until);
}

async function addSlices(task: ListTask): Promise<void> {
  const { body, meter } = task;
  const slices = sliceList(body, sliceBounds);
  let items = 0;
  for (let ended = false; !ended;) {
    await takeTurn(task);
    ended = meter.run(() => {
      const next = slices.next();
      if (next.done === true) {
        if (!next.value.whole) throw describeJsonError(body, "body", next.value.from);
        return true;
      }
      items += next.value.items;
      // Items beyond the limit are only counted.
      if (next.value.items > 0 && items <= limits.batchItemsMax) addSlice(task, next.value);
      return false;
    });
  }
  requireListForm(task.order.form, task.type, items);
  await takeTurn(task);
}

/** While it is read, the bytes before and after the slice are replaced by brackets, to make it a list. */
function addSlice({ order, body, submission }: ListTask, { start, end, items }: ListSlice): void {
  if (items === 1 && end - start > itemTextBytesMax) return submission.addTooLarge();
  const [before, after] = [body[start - 1] ?? 0, body[end] ?? 0];
  body[start - 1] = 0x5b;
  body[end] = 0x5d;
  try {
    const slice = body.subarray(start - 1, end + 1);
    const list = parseJson(slice) as readonly unknown[];
    const marks = markItems(slice, order, submission.items);
    for (const item of list) submission.add(item, marks?.next().value);
  } catch (error) {
    throw error instanceof AppError ? describeJsonError(body, "body", start) : error;
  } finally {
    body[start - 1] = before;
    body[end] = after;
  }
}

/** Undefined also if each item has a mark of its own. */
async function markWhole(task: ListTask): Promise<IdempotencyMark | undefined> {
  const { body, isList, meter } = task;
  const { key, asSingle } = task.order;
  if (key === undefined || (asSingle && isList)) return undefined;
  const hash = createHash("sha256");
  for (let at = 0; at < body.length; at += hashedBytesPerTurn) {
    await takeTurn(task);
    meter.run(() => hash.update(body.subarray(at, at + hashedBytesPerTurn)));
  }
  return {
    keyHash: keyHashOf(key.keySpace, key.idempotencyKey),
    fingerprint: fingerprintOf(contextOf(key), hash.digest("hex")),
  };
}

async function describeReport(task: ListTask, report: WriteReport): Promise<ListReport> {
  const { meter } = task;
  const { results } = report;
  if (results === undefined) return reportOf(report);
  const parts: string[] = [];
  for (let at = 0; at < results.length; at += resultsPerTurn) {
    await takeTurn(task);
    const part = results.slice(at, at + resultsPerTurn);
    meter.run(() => parts.push(...part.map((result) => JSON.stringify(result))));
  }
  return meter.run(() => reportOf(report, `[${parts.join(",")}]`));
}

async function takeTurn({ order, turns, signal }: ListTask): Promise<void> {
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
