// Writes the records of one stream in groups, and reads further chunks while groups are stored. Reports the groups in
// their order, each after its commit, with a line for each refused item.

import type { ItemResult } from "../../actions/intake/item-results.ts";
import { Submission, type WriteReport } from "../../actions/intake/submission.ts";
import { freeBuffer } from "../../basics/own-memory.ts";
import { SerialQueue } from "../../basics/serial-queue.ts";
import { AppError, errorCatalogue } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { requireRecordType } from "../../domain/record-types.ts";
import { isJsonObject } from "../../domain/schema/schema-shape.ts";
import { type Line, LineSplitter } from "../body/line-splitter.ts";
import { parseJson } from "../body/parse-json.ts";
import type { TaskContext } from "./list-task.ts";
import type { LineRefusal, StreamTally, WriteContext, WrittenGroup } from "./messages.ts";

export const streamGroupBytesMax = 1_024 * 1_024;
/** The maximum number of rows of these lines. One more record with its relations still fits in a group of the store. */
const streamGroupRowsMax = 990;
export const streamGroupsBytesMax = 4 * 1_024 * 1_024;

interface StreamEvents {
  readonly onGroup: (group: WrittenGroup) => void;
  readonly groupBytesMax: () => number;
  readonly groupLinesMax: number;
}

export function groupBytesMax(streams: number): number {
  const share = streamGroupsBytesMax / Math.max(1, streams);
  return Math.max(limits.streamLineBytesMax, Math.min(streamGroupBytesMax, share));
}

interface Group {
  readonly submission: Submission;
  readonly numbers: number[];
  readonly refusals: LineRefusal[];
  readonly ids: Set<string>;
  lines: number;
  bytes: number;
}

const linesPerTurn = 64;

/** The next group is prepared meanwhile, unless both have a record in common: the store may write it first. */
const groupsStoringMax = 2;

export class StreamTask {
  readonly #order: WriteContext;
  readonly #type: RecordType;
  readonly #context: TaskContext;
  readonly #events: StreamEvents;
  readonly #splitter = new LineSplitter();
  readonly #tally = { received: 0, written: 0, unchanged: 0, refused: 0 };
  #invalid = 0;
  #group: Group;
  readonly #storing = new Map<Group, Promise<void>>();
  readonly #reports = new SerialQueue();
  /** True if a group was not stored although the following one might be; then no further one is stored. */
  #hasGap = false;
  readonly #chunks = new SerialQueue();
  #failure: unknown;

  constructor(order: WriteContext, context: TaskContext, events: StreamEvents) {
    this.#order = order;
    this.#type = requireRecordType(order.resourceType);
    this.#context = context;
    this.#events = events;
    this.#group = this.#newGroup();
  }

  /**
   * Resolves when the chunk was read: to false if the stream has failed. Nobody else may have a part of the chunk: its
   * memory is freed.
   */
  push(chunk: Uint8Array<ArrayBuffer>): Promise<boolean> {
    return this.#chunks.run(async () => {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      await this.#attempt(() => this.#addLines(() => this.#splitter.push(bytes)));
      freeBuffer(chunk);
      return this.#failure === undefined;
    });
  }

  /** `whole`: whether the client sent the stream to its end, so that the text after the last newline is a line. */
  async end(whole: boolean): Promise<{ readonly tally: StreamTally; readonly failure: unknown }> {
    await this.#chunks.run(async () => {
      if (whole) await this.#attempt(() => this.#addLines(() => this.#splitter.end()));
    });
    this.#startStoring();
    while (this.#storing.size > 0) await this.#stored();
    return { tally: this.#tally, failure: this.#failure };
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    if (this.#failure !== undefined) return;
    try {
      await work();
    } catch (error) {
      this.#failure ??= error;
    }
  }

  /** Splitting takes a turn of its own, also where it finds no line: nobody else is served while messages arrive. */
  async #addLines(split: () => readonly Line[]): Promise<void> {
    const { meter, turns } = this.#context;
    await turns.next(this.#order.organizationId);
    const lines = meter.run(split);
    for (let at = 0; at < lines.length;) {
      await turns.next(this.#order.organizationId);
      at = meter.run(() => this.#addSome(lines, at));
      while (this.#isFull() && !this.#mayStore()) await this.#stored();
      if (this.#failure !== undefined) return;
      this.#startStoring();
      if (this.#invalid > limits.streamInvalidLinesMax) throw tooManyInvalid();
    }
  }

  #addSome(lines: readonly Line[], from: number): number {
    let at = from;
    for (const line of lines.slice(from, from + linesPerTurn)) {
      this.#addLine(line);
      at += 1;
      if (this.#isFull()) break;
    }
    return at;
  }

  #addLine({ number, bytes }: Line): void {
    const group = this.#group;
    group.lines += 1;
    group.bytes += bytes?.length ?? 0;
    const rowsBefore = group.submission.rows;
    try {
      if (bytes === undefined) throw tooLongLine();
      const value = parseJson(bytes, "line");
      group.numbers.push(number);
      group.submission.add(value);
      this.#addId(group, value);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { code, message, errors } = error;
      this.#invalid += 1;
      group.refusals.push({ line: number, code, message, errors });
    }
    const rows = Math.max(1, group.submission.rows - rowsBefore);
    this.#context.meter.count(rows, bytes?.length ?? 0);
  }

  #addId({ ids }: Group, value: unknown): void {
    if (!isJsonObject(value)) return;
    const id = value[this.#type.idField];
    if (typeof id === "string") ids.add(id);
  }

  #isFull(): boolean {
    const { lines, bytes, submission } = this.#group;
    return (
      lines >= this.#events.groupLinesMax ||
      bytes >= this.#events.groupBytesMax() ||
      submission.rows >= streamGroupRowsMax
    );
  }

  /** Whether the current group need not wait for others: a full one waits for fewer than any other. */
  #mayStore(): boolean {
    const { ids } = this.#group;
    const storingMax = this.#isFull() ? groupsStoringMax : 1;
    if (this.#storing.size >= storingMax) return false;
    for (const earlier of this.#storing.keys()) {
      if (!ids.isDisjointFrom(earlier.ids)) return false;
    }
    return true;
  }

  #startStoring(): void {
    const group = this.#group;
    if (this.#hasGap || group.lines === 0 || !this.#mayStore()) return;
    this.#group = this.#newGroup();
    const storing = this.#store(group).finally(() => {
      this.#storing.delete(group);
      this.#startStoring();
    });
    this.#storing.set(group, storing);
  }

  async #stored(): Promise<void> {
    await Promise.race(this.#storing.values());
  }

  /** Never rejects. */
  async #store(group: Group): Promise<void> {
    const stored = group.submission.store(this.#context.writer);
    // It is awaited only after the reports before it.
    stored.catch(() => undefined);
    await this.#reports.run(async () => {
      try {
        this.#report(group, await stored);
      } catch (error) {
        this.#hasGap = true;
        this.#failure ??= error;
        this.#group = this.#newGroup();
      }
    });
  }

  /** Nothing is reported after a group that was not stored: the summary says how much was stored. */
  #report({ numbers, refusals, lines }: Group, { written, results = [] }: WriteReport): void {
    if (this.#hasGap) return;
    const { meter } = this.#context;
    meter.run(() => {
      for (const result of results) this.#countResult(result, { numbers, refusals });
      refusals.sort((one, other) => one.line - other.line);
    });
    this.#tally.received += lines;
    this.#tally.written += written;
    this.#tally.refused += refusals.length;
    this.#events.onGroup({
      written,
      lines: meter.run(() => refusals.map((refusal) => `${JSON.stringify(refusal)}\n`).join("")),
      lineCount: refusals.length,
      work: meter.take(),
    });
  }

  #countResult(
    { index, id, status, code, message, errors }: ItemResult,
    { numbers, refusals }: Pick<Group, "numbers" | "refusals">,
  ): void {
    if (status === "unchanged") this.#tally.unchanged += 1;
    if (status !== "refused") return;
    const refusal = code ?? errorCatalogue.validation_failed.code;
    if (refusal < errorCatalogue.no_such_record.code) this.#invalid += 1;
    refusals.push({ line: numbers[index] ?? 0, id, code: refusal, message, errors });
  }

  #newGroup(): Group {
    const type = this.#type;
    const submission = new Submission({ ...this.#order, type, lenient: true, single: false });
    return { submission, numbers: [], refusals: [], ids: new Set(), lines: 0, bytes: 0 };
  }
}

function tooLongLine(): AppError {
  const message = `A line may have at most ${limits.streamLineBytesMax} bytes.`;
  return new AppError("too_large", { message });
}

function tooManyInvalid(): AppError {
  return new AppError("validation_failed", {
    message:
      `The stream was ended because more than ${limits.streamInvalidLinesMax} of its lines are invalid. Correct them and ` +
      "send the stream again. The state of the records that are already stored does not change.",
  });
}
