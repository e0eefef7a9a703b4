// The bulk thread's side of the messages: starts and ends the tasks that the main thread requests, and reports the
// outcome of each. Only starts and aborts tasks; their work is in `list-task.ts` and `stream-task.ts`.

import type { MessagePort } from "node:worker_threads";
import type { RecordWriter } from "../../actions/intake/submission.ts";
import { describeError, type ErrorForm } from "../../domain/error.ts";
import { MemoryBudget, type Reservation } from "../load/memory-budget.ts";
import { freeBuffer } from "../../basics/own-memory.ts";
import { Calls } from "../../basics/thread.ts";
import { outcomeOf, type TaskContext, writeList } from "./list-task.ts";
import type {
  BulkNews,
  BulkTasks,
  ListOrder,
  ListOutcome,
  StreamOutcome,
  WriteContext,
} from "./messages.ts";
import { groupBytesMax, StreamTask } from "./stream-task.ts";
import { Turns } from "../../basics/turns.ts";
import { WorkMeter } from "./work-meter.ts";

/** The bytes of bodies that are parsed at a time. The largest body always fits, together with small ones. */
const parsedBodyBytesMax = 40 * 1_024 * 1_024;
const organizationParsedBytesMax = 18 * 1_024 * 1_024;
const handlerTimeoutMs = 60_000;

interface OpenStream {
  readonly task: StreamTask;
  /** See BulkTasks.endStream. */
  readonly end: (whole: boolean) => void;
}

interface TaskWriter extends RecordWriter {
  /** How many lines of a stream it writes at once. */
  readonly streamLinesMax: number;
  refuseWrites(): void;
}

/** The main thread has already reserved memory for these bodies, so the number that wait here is not bounded again. */
const parsedLists = {
  totalBytesMax: parsedBodyBytesMax,
  organizationBytesMax: organizationParsedBytesMax,
  assuredBytes: 0,
  waitMsMax: handlerTimeoutMs,
  waitingMax: Infinity,
};

/** Resolves when the main thread has closed the thread and every task is finished. */
export function serveTasks(port: MessagePort, writer: TaskWriter): Promise<void> {
  return new Promise((resolve) => void new TaskServer(port, writer, resolve));
}

class TaskServer {
  readonly #main: Calls<BulkNews>;
  readonly #writer: TaskWriter;
  readonly #turns = new Turns();
  /** A parsed list takes several times the memory of its bytes, so the bytes parsed at a time are bounded. */
  readonly #parsed = new MemoryBudget(parsedLists);
  readonly #lists = new Map<number, AbortController>();
  readonly #streams = new Map<number, OpenStream>();

  constructor(port: MessagePort, writer: TaskWriter, onClose: () => void) {
    this.#writer = writer;
    const own: BulkTasks = {
      writeList: (id, order, body) => this.#writeList(id, order, body),
      abort: (id) => this.#lists.get(id)?.abort(),
      writeStream: (id, order) => this.#writeStream(id, order),
      writeChunk: async (id, chunk) => (await this.#streams.get(id)?.task.push(chunk)) === true,
      endStream: (id, whole) => this.#streams.get(id)?.end(whole),
      refuseWrites: () => writer.refuseWrites(),
    };
    this.#main = new Calls<BulkNews>({ start: () => port, own, onClose }).open();
  }

  async #writeList(
    id: number,
    order: ListOrder,
    bytes: Uint8Array<ArrayBuffer>,
  ): Promise<ListOutcome<ErrorForm>> {
    const controller = new AbortController();
    this.#lists.set(id, controller);
    const { signal } = controller;
    const context = { ...this.#newContext(), signal };
    let reservation: Reservation | undefined;
    const outcome = await outcomeOf(context.meter, async () => {
      reservation = await this.#parsed.reserve(order.organizationId, bytes.length, signal);
      return writeList(order, bytes, context);
    });
    freeBuffer(bytes);
    reservation?.release();
    this.#lists.delete(id);
    return "error" in outcome ? { ...outcome, error: describeError(outcome.error) } : outcome;
  }

  async #writeStream(id: number, order: WriteContext): Promise<StreamOutcome<ErrorForm>> {
    const whole = Promise.withResolvers<boolean>();
    const task = new StreamTask(order, this.#newContext(), {
      onGroup: (group) => this.#main.tell("group", id, group),
      groupBytesMax: () => groupBytesMax(this.#streams.size),
      groupLinesMax: this.#writer.streamLinesMax,
    });
    this.#streams.set(id, { task, end: whole.resolve });
    const { tally, failure } = await task.end(await whole.promise);
    this.#streams.delete(id);
    return { tally, error: failure === undefined ? undefined : describeError(failure) };
  }

  #newContext(): TaskContext {
    return { writer: this.#writer, turns: this.#turns, meter: new WorkMeter() };
  }
}
