// The bulk thread's side of its messages: begins and ends the tasks that the main thread asks for, and tells what came of
// each. Knows how tasks are begun and given up, and nothing of how they work.

import type { MessagePort } from "node:worker_threads";
import type { RecordWriter } from "../../actions/submission.ts";
import { describeError } from "../../domain/error-form.ts";
import type { Operation } from "../operation.ts";
import { operations } from "../routes.ts";
import { type TaskContext, writeList } from "./list-task.ts";
import type { FromBulk, ToBulk } from "./messages.ts";
import { StreamTask } from "./stream-task.ts";
import { Turns } from "./turns.ts";
import { WorkMeter } from "./work-meter.ts";

interface Running {
  readonly giveUp: AbortController;
  readonly stream?: StreamTask;
}

/** Resolves when the main thread has asked for the end and every task is over. */
export function serveTasks(
  port: Pick<MessagePort, "postMessage" | "on">,
  writer: RecordWriter,
): Promise<void> {
  const turns = new Turns();
  const running = new Map<number, Running>();
  const ended = Promise.withResolvers<void>();
  let closing = false;

  function tell(message: FromBulk): void {
    port.postMessage(message);
  }

  function begin(): { giveUp: AbortController; context: TaskContext } {
    const giveUp = new AbortController();
    return { giveUp, context: { writer, turns, meter: new WorkMeter(), signal: giveUp.signal } };
  }

  function over(id: number): void {
    running.delete(id);
    if (closing && running.size === 0) ended.resolve();
  }

  async function runList({ id, order, body }: ToBulk & { kind: "list" }): Promise<void> {
    const { giveUp, context } = begin();
    running.set(id, { giveUp });
    const { meter } = context;
    try {
      const { buffer, byteOffset, length } = body;
      const task = {
        order,
        operation: operationNamed(order.operation),
        body: Buffer.from(buffer, byteOffset, length),
      };
      const report = await writeList(task, context);
      tell({ kind: "report", id, report, work: meter.take() });
    } catch (error) {
      tell({ kind: "failed", id, error: describeError(error), work: meter.take() });
    }
    over(id);
  }

  function openStream({ id, order }: ToBulk & { kind: "stream" }): void {
    const { giveUp, context } = begin();
    const task = { order, operation: operationNamed(order.operation) };
    const stream = new StreamTask(task, context, {
      onTaken: () => tell({ kind: "taken", id }),
      onGroup: (group) => tell({ kind: "group", id, ...group }),
      onStopped: () => tell({ kind: "stopped", id }),
    });
    running.set(id, { giveUp, stream });
  }

  async function endStream(id: number, whole: boolean): Promise<void> {
    const stream = running.get(id)?.stream;
    if (stream === undefined) return;
    const { tally, failure } = await stream.end(whole);
    const error = failure === undefined ? undefined : describeError(failure);
    tell({ kind: "done", id, tally, error });
    over(id);
  }

  port.on("message", (message: ToBulk) => {
    switch (message.kind) {
      case "list":
        void runList(message);
        break;
      case "stream":
        openStream(message);
        break;
      case "chunk":
        running.get(message.id)?.stream?.push(asBuffer(message.bytes));
        break;
      case "end":
        void endStream(message.id, message.whole);
        break;
      case "abort":
        running.get(message.id)?.giveUp.abort();
        break;
      case "close":
      default:
        closing = true;
        if (running.size === 0) ended.resolve();
    }
  });
  tell({ kind: "ready" });
  return ended.promise;
}

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
