// Writes the records of one stream: splits chunks into lines, validates them, and stores them in groups, reading on while a
// group is stored. Tells of each group after its commit, with the lines of the reply for what was refused.

import { type ItemResult, Submission } from "../../actions/submission.ts";
import { AppError, errorCatalogue } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import { type Line, LineSplitter } from "../body/line-splitter.ts";
import { parseJson } from "../body/parse-json.ts";
import { type Operation, requireType } from "../operation.ts";
import type { TaskContext } from "./list-task.ts";
import type { Work } from "../load/work-tokens.ts";
import type { LineRefusal, StreamTally, WriteContext } from "./messages.ts";

/** Lines of a stream that are stored in one transaction. */
const streamGroupItemsMax = 500;
/** Bytes of these lines. */
export const streamGroupBytesMax = 1_024 * 1_024;
/** Rows of these lines. With the relations of one more record it is no more than a group of the store accepts. */
const streamGroupRowsMax = 990;
/** Shared by the groups of all streams. */
export const streamGroupsBytesMax = 4 * 1_024 * 1_024;

export interface StreamEvents {
  /** A chunk is read, and another may be sent. */
  readonly onTaken: () => void;
  readonly onGroup: (group: WrittenGroup) => void;
  /** It has failed, and reads no further; `end` tells why. */
  readonly onStopped: () => void;
}

/** How many bytes of lines make a group: the more streams share the memory of the thread, the fewer. */
export function groupBytesMax(streams: number): number {
  const share = streamGroupsBytesMax / Math.max(1, streams);
  return Math.max(limits.streamLineBytesMax, Math.min(streamGroupBytesMax, share));
}

export interface WrittenGroup {
  readonly written: number;
  /** Each ends in a newline. */
  readonly lines: string;
  readonly lineCount: number;
  readonly work: Work;
}

interface Group {
  readonly submission: Submission;
  /** The numbers of the lines whose items were added. */
  readonly numbers: number[];
  /** Of lines that hold no item. */
  readonly refusals: LineRefusal[];
  lines: number;
  bytes: number;
}

const linesAtOnce = 64;

export class StreamTask {
  readonly #order: WriteContext;
  readonly #operation: Operation;
  readonly #context: TaskContext;
  readonly #events: StreamEvents;
  readonly #groupBytesMax: () => number;
  readonly #splitter = new LineSplitter();
  readonly #tally = { received: 0, written: 0, unchanged: 0, refused: 0 };
  #invalid = 0;
  #group: Group;
  /** The group under way. */
  #storing: Promise<void> | undefined;
  /** Chunks are worked on one after another. */
  #last: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(
    { order, operation }: { readonly order: WriteContext; readonly operation: Operation },
    context: TaskContext,
    events: StreamEvents & { readonly groupBytesMax: () => number },
  ) {
    this.#order = order;
    this.#operation = operation;
    this.#context = context;
    this.#events = events;
    this.#groupBytesMax = events.groupBytesMax;
    this.#group = this.#newGroup();
  }

  push(chunk: Buffer): void {
    this.#last = this.#read(this.#last, chunk);
  }

  async #read(before: Promise<void>, chunk: Buffer): Promise<void> {
    await before;
    await this.#attempt(() => this.#addLines(this.#splitter.push(chunk)));
    this.#events.onTaken();
  }

  /**
   * Resolves when everything is stored that will be. `whole`: whether the stream has come to its end, so that what is
   * behind the last newline is a line.
   */
  async end(whole: boolean): Promise<{ readonly tally: StreamTally; readonly failure: unknown }> {
    await this.#last;
    if (whole) await this.#attempt(() => this.#addLines(this.#splitter.end()));
    this.#startStoring();
    while (this.#storing !== undefined) await this.#storing;
    return { tally: this.#tally, failure: this.#failure };
  }

  /** After a failure nothing more is done. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    if (this.#failure !== undefined) return;
    try {
      await work();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#events.onStopped();
  }

  async #addLines(lines: readonly Line[]): Promise<void> {
    const { meter, turns } = this.#context;
    for (let at = 0; at < lines.length;) {
      await turns.next(this.#order.organizationId);
      at = meter.run(() => this.#addSome(lines, at));
      while (this.#isFull() && this.#storing !== undefined) await this.#storing;
      if (this.#failure !== undefined) return;
      this.#startStoring();
      if (this.#invalid > limits.streamInvalidLinesMax) throw tooManyInvalid();
    }
  }

  /** At least one line, and no more than the group has room for; gives where to go on. */
  #addSome(lines: readonly Line[], from: number): number {
    let at = from;
    for (const line of lines.slice(from, from + linesAtOnce)) {
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
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const { code, message, errors } = error;
      this.#invalid += 1;
      group.refusals.push({ line: number, code, message, errors });
    }
    const rows = Math.max(1, group.submission.rows - rowsBefore);
    this.#context.meter.count(rows, bytes?.length ?? 0);
  }

  #isFull(): boolean {
    const { lines, bytes, submission } = this.#group;
    return (
      lines >= streamGroupItemsMax ||
      bytes >= this.#groupBytesMax() ||
      submission.rows >= streamGroupRowsMax
    );
  }

  /** Begins to store what is gathered, unless a group is under way: then what is gathered follows it. */
  #startStoring(): void {
    const group = this.#group;
    if (this.#storing !== undefined || group.lines === 0) return;
    this.#group = this.#newGroup();
    this.#storing = this.#store(group)
      .catch((error: unknown) => {
        this.#fail(error);
        this.#group = this.#newGroup();
      })
      .finally(() => {
        this.#storing = undefined;
        this.#startStoring();
      });
  }

  async #store({ submission, numbers, refusals, lines }: Group): Promise<void> {
    const { writer, meter } = this.#context;
    const { written, results = [] } = await submission.store(writer);
    meter.run(() => {
      for (const result of results) this.#settle(result, { numbers, refusals });
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

  #settle(
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
    const { organizationId, mode, receivedAt } = this.#order;
    const type = requireType(this.#operation);
    const options = { organizationId, type, mode, lenient: true, single: false, receivedAt };
    const submission = new Submission(options);
    return { submission, numbers: [], refusals: [], lines: 0, bytes: 0 };
  }
}

function tooLongLine(): AppError {
  const message = `A line may have at most ${limits.streamLineBytesMax} bytes.`;
  return new AppError("too_large", { message });
}

function tooManyInvalid(): AppError {
  return new AppError("validation_failed", {
    message:
      `The stream was ended: more than ${limits.streamInvalidLinesMax} of its lines are not valid. Correct them and send ` +
      "the stream again; what is written already does no harm.",
  });
}
