// The bulk thread's side of the messages: starts and ends the tasks that the main thread requests, and reports the
// outcome of each. Only starts and aborts tasks; their work is in `list-task.ts` and `stream-task.ts`.

import type { MessagePort } from "node:worker_threads";
import type { RecordWriter } from "../../actions/intake/submission.ts";
import { describeError } from "../../domain/error.ts";
import { MemoryBudget, type Reservation } from "../load/memory-budget.ts";
import { freeBuffer } from "../../basics/own-memory.ts";
import { outcomeOf, type TaskContext, writeList } from "./list-task.ts";
import type { FromBulk, ListOrder, ToBulk, WriteContext } from "./messages.ts";
import { groupBytesMax, StreamTask } from "./stream-task.ts";
import { Turns } from "../../basics/turns.ts";
import { WorkMeter } from "./work-meter.ts";

/** The bytes of bodies that are parsed at a time. The largest body always fits, together with small ones. */
const parsedBodyBytesMax = 40 * 1_024 * 1_024;
const organizationParsedBytesMax = 18 * 1_024 * 1_024;
const handlerTimeoutMs = 60_000;

type Port = Pick<MessagePort, "postMessage" | "on">;

interface TaskWriter extends RecordWriter {
  /** How many lines of a stream it writes at once. */
  readonly streamLinesMax: number;
  refuseWrites(): void;
}

/** Resolves when the main thread has closed the thread and every task is finished. */
export function serveTasks(port: Port, writer: TaskWriter): Promise<void> {
  return new TaskServer(port, writer).ended;
}

/** The main thread has already reserved memory for these bodies, so the number that wait here is not bounded again. */
const parsedLists = {
  totalBytesMax: parsedBodyBytesMax,
  organizationBytesMax: organizationParsedBytesMax,
  assuredBytes: 0,
  waitMsMax: handlerTimeoutMs,
  waitingMax: Infinity,
};

class TaskServer {
  readonly ended: Promise<void>;
  readonly #port: Port;
  readonly #writer: TaskWriter;
  readonly #turns = new Turns();
  /** A parsed list takes several times the memory of its bytes, so the bytes parsed at a time are bounded. */
  readonly #parsed = new MemoryBudget(parsedLists);
  readonly #lists = new Map<number, AbortController>();
  readonly #streams = new Map<number, StreamTask>();
  readonly #end: () => void;
  #closing = false;

  constructor(port: Port, writer: TaskWriter) {
    this.#port = port;
    this.#writer = writer;
    const ended = Promise.withResolvers<void>();
    this.ended = ended.promise;
    this.#end = ended.resolve;
    port.on("message", (message: ToBulk) => this.#receive(message));
  }

  #receive(message: ToBulk): void {
    switch (message.kind) {
      case "list":
        void this.#runList(message.id, message.order, message.body);
        break;
      case "stream":
        this.#openStream(message.id, message.order);
        break;
      case "chunk":
        this.#streams.get(message.id)?.push(message.bytes);
        break;
      case "end":
        void this.#endStream(message.id, message.whole);
        break;
      case "abort":
        this.#lists.get(message.id)?.abort();
        break;
      case "refuse writes":
        this.#writer.refuseWrites();
        break;
      case "close":
      default:
        this.#closing = true;
        this.#endIfIdle();
    }
  }

  async #runList(id: number, order: ListOrder, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const controller = new AbortController();
    this.#lists.set(id, controller);
    const { signal } = controller;
    const context = { ...this.#newContext(), signal };
    let reservation: Reservation | undefined;
    const outcome = await outcomeOf(context.meter, async () => {
      reservation = await this.#parsed.reserve(order.organizationId, bytes.length, signal);
      return writeList(order, bytes, context);
    });
    if ("report" in outcome) this.#send({ kind: "report", id, ...outcome });
    else this.#send({ kind: "failed", id, ...outcome, error: describeError(outcome.error) });
    freeBuffer(bytes);
    reservation?.release();
    this.#lists.delete(id);
    this.#endIfIdle();
  }

  #openStream(id: number, order: WriteContext): void {
    const stream = new StreamTask(order, this.#newContext(), {
      onChunkRead: (isStopped) => this.#send({ kind: "chunk read", id, isStopped }),
      onGroup: (group) => this.#send({ kind: "group", id, ...group }),
      groupBytesMax: () => groupBytesMax(this.#streams.size),
      groupLinesMax: this.#writer.streamLinesMax,
    });
    this.#streams.set(id, stream);
  }

  async #endStream(id: number, whole: boolean): Promise<void> {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    const { tally, failure } = await stream.end(whole);
    const error = failure === undefined ? undefined : describeError(failure);
    this.#send({ kind: "done", id, tally, error });
    this.#streams.delete(id);
    this.#endIfIdle();
  }

  #newContext(): TaskContext {
    return { writer: this.#writer, turns: this.#turns, meter: new WorkMeter() };
  }

  #endIfIdle(): void {
    if (this.#closing && this.#lists.size === 0 && this.#streams.size === 0) this.#end();
  }

  #send(message: FromBulk): void {
    this.#port.postMessage(message);
  }
}
