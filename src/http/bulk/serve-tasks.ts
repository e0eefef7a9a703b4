// The bulk thread's side of its messages: begins and ends the tasks that the main thread asks for, and tells what came of
// each. Knows how tasks are begun and given up, and nothing of how they work.

import type { MessagePort } from "node:worker_threads";
import type { RecordWriter } from "../../actions/submission.ts";
import { describeError } from "../../domain/error-form.ts";
import { BodyBudget, type Reservation } from "../load/body-budget.ts";
import { freeMemory } from "../load/free-memory.ts";
import type { Operation } from "../operation.ts";
import { operations } from "../routes.ts";
import { type TaskContext, writeList } from "./list-task.ts";
import type { FromBulk, ListOrder, ToBulk, WriteContext } from "./messages.ts";
import { groupBytesMax, StreamTask } from "./stream-task.ts";
import { Turns } from "./turns.ts";
import { WorkMeter } from "./work-meter.ts";

/** Of bodies that are parsed and validated at the same time; one of them always fits, and small ones beside it. */
const parsedBodyBytesMax = 40 * 1_024 * 1_024;
/** The same for the bodies of one organization. */
const organizationParsedBytesMax = 18 * 1_024 * 1_024;
/** How long a body waits for its turn to be parsed. */
const handlerTimeoutMs = 60_000;

type Port = Pick<MessagePort, "postMessage" | "on">;

interface TaskWriter extends RecordWriter {
  /** Drops the writes that wait. */
  refuseWrites(): void;
}

/** Resolves when the main thread has asked for the end and every task is over. */
export function serveTasks(port: Port, writer: TaskWriter): Promise<void> {
  return new TaskServer(port, writer).ended;
}

/** Whoever has room for the body has been let in already, so none is refused for want of a place here. */
const parsedLists = {
  totalBytesMax: parsedBodyBytesMax,
  organizationBytesMax: organizationParsedBytesMax,
  waitMsMax: handlerTimeoutMs,
  waitingMax: Infinity,
};

class TaskServer {
  readonly ended: Promise<void>;
  readonly #port: Port;
  readonly #writer: TaskWriter;
  readonly #turns = new Turns();
  /** What a list becomes takes several times its bytes, so only so many are parsed at a time. */
  readonly #parsed = new BodyBudget(parsedLists);
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
    port.on("message", (message: ToBulk) => this.#take(message));
    this.#tell({ kind: "ready" });
  }

  #take(message: ToBulk): void {
    switch (message.kind) {
      case "list":
        void this.#runList(message.id, message.order, message.body);
        break;
      case "stream":
        this.#openStream(message.id, message.order);
        break;
      case "chunk":
        this.#streams.get(message.id)?.push(asBuffer(message.bytes));
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
    const giveUp = new AbortController();
    this.#lists.set(id, giveUp);
    const context = this.#newContext(giveUp.signal);
    const { meter } = context;
    let reservation: Reservation | undefined;
    try {
      reservation = await this.#parsed.reserve(order.organizationId, bytes.length, giveUp.signal);
      const task = { order, operation: operationNamed(order.operation), body: asBuffer(bytes) };
      const report = await writeList(task, context);
      this.#tell({ kind: "report", id, report, work: meter.take() });
    } catch (error) {
      this.#tell({ kind: "failed", id, error: describeError(error), work: meter.take() });
    }
    freeMemory(bytes);
    reservation?.release();
    this.#lists.delete(id);
    this.#endIfIdle();
  }

  #openStream(id: number, order: WriteContext): void {
    const task = { order, operation: operationNamed(order.operation) };
    const stream = new StreamTask(task, this.#newContext(never), {
      onTaken: () => this.#tell({ kind: "taken", id }),
      onGroup: (group) => this.#tell({ kind: "group", id, ...group }),
      onStopped: () => this.#tell({ kind: "stopped", id }),
      groupBytesMax: () => groupBytesMax(this.#streams.size),
    });
    this.#streams.set(id, stream);
  }

  async #endStream(id: number, whole: boolean): Promise<void> {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    const { tally, failure } = await stream.end(whole);
    const error = failure === undefined ? undefined : describeError(failure);
    this.#tell({ kind: "done", id, tally, error });
    this.#streams.delete(id);
    this.#endIfIdle();
  }

  #newContext(signal: AbortSignal): TaskContext {
    return { writer: this.#writer, turns: this.#turns, meter: new WorkMeter(), signal };
  }

  #endIfIdle(): void {
    if (this.#closing && this.#lists.size === 0 && this.#streams.size === 0) this.#end();
  }

  #tell(message: FromBulk): void {
    this.#port.postMessage(message);
  }
}

/** Of streams: what was handed over is written, and no more comes of a client that is gone. */
const never = new AbortController().signal;

function asBuffer({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}

const operationsByName: ReadonlyMap<string, Operation> = new Map(
  operations.map((operation) => [operation.name, operation]),
);

function operationNamed(name: string): Operation {
  const operation = operationsByName.get(name);
  if (operation === undefined) throw new TypeError(`there is no operation ${name}`);
  return operation;
}
