// The writer thread's client in another thread: sends all jobs of one tick of the event loop in one message, and
// matches the answers by ticket. The main thread starts the writer; other threads receive a port to it.
// These are no `Calls` (basics/thread.ts): each added record passes here, and a message for each of them, with objects
// to clone, would cost more than storing it.

import { MessageChannel, type MessagePort, type Worker } from "node:worker_threads";
import { unavailable } from "../../../domain/error.ts";
import { limits } from "../../../domain/limits.ts";
import { Slots } from "../../../basics/slots.ts";
import { startThread } from "../../../basics/thread.ts";
import { StoreError } from "../../interface/store-error.ts";
import type { GroupFigures } from "../../interface/store.ts";
import { flattenJobs, type Job, type TicketedJob, unflattenResults } from "./job.ts";
import { type OnGroup, finishJob, type PendingJob, type Writer } from "./writer.ts";

/** The size of the young generation of the writer thread: three times what V8 fills between two collections. */
const youngMebibytes = 12;

/** The port of another client. */
interface AnotherClient {
  readonly connect: MessagePort;
}

/** Jobs in their flat form; another client; null to end the thread. */
export type ToWriter = readonly unknown[] | AnotherClient | "refuse writes" | null;

/** First `ready`, or why it can't start; then results in flat form, for the first client with figures. */
export type FromWriter =
  | { readonly ready: true }
  | { readonly failure: string }
  | { readonly answers: readonly unknown[]; readonly figures: GroupFigures | undefined };

/** The part of a MessagePort or a Worker that a client needs. */
interface Port {
  postMessage(message: ToWriter): void;
}

export class WriterClient implements Pick<Writer, "submit"> {
  readonly #port: Port;
  readonly #onAnswer: () => void;
  #batch: TicketedJob[] = [];
  readonly #waiting = new Slots<PendingJob>();
  #failure: Error | undefined;
  #drained: (() => void) | undefined;
  #closing = false;
  readonly #flush = () => this.#send();

  /** `onAnswer` is called before the jobs of a group are answered. */
  constructor(port: Port, onAnswer: () => void = () => undefined) {
    this.#port = port;
    this.#onAnswer = onAnswer;
  }

  submit(job: Job): Promise<unknown> {
    if (this.#closing) return Promise.reject(this.#failure ?? unavailable("closing"));
    return this.submitLast(job);
  }

  /** Submits a job even after `close` was called. */
  submitLast(job: Job): Promise<unknown> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#waiting.size >= limits.queuedWritesMax) {
      return Promise.reject(unavailable("busy", { retryAfterSeconds: 1 }));
    }
    return new Promise((resolve, reject) => {
      const ticket = this.#waiting.add({ resolve, reject });
      if (this.#batch.push({ ticket, job }) === 1) setImmediate(this.#flush);
    });
  }

  /** Call for each `answers` message of the thread. */
  take(answers: readonly unknown[]): void {
    this.#onAnswer();
    unflattenResults(answers, (ticket, result) => {
      const pending = this.#waiting.remove(ticket);
      if (pending !== undefined) finishJob(result, pending);
    });
    if (this.#waiting.size === 0) this.#drained?.();
  }

  /** Call when the thread has ended: rejects all jobs that it did not answer, and all later ones. */
  fail(error: Error): void {
    this.#failure ??= error;
    this.#batch = [];
    for (const { reject } of this.#waiting.removeAll()) reject(this.#failure);
    this.#drained?.();
  }

  /** Resolves when every job is answered. Does not end the thread. */
  async close(): Promise<void> {
    this.#closing = true;
    if (this.#waiting.size === 0) return;
    await new Promise<void>((resolve) => (this.#drained = resolve));
  }

  #send(): void {
    if (this.#batch.length === 0) return;
    const jobs = this.#batch;
    this.#batch = [];
    this.#port.postMessage(flattenJobs(jobs));
  }
}

export interface WriterThread extends Writer {
  readonly connect: () => MessagePort;
}

interface ThreadOptions {
  readonly onGroup: OnGroup;
  readonly onAnswer?: () => void;
}

/**
 * Checkpoints after its commits only if it is told to. Resolves when the store is open; throws StoreError. Throws
 * StoreError if that fails.
 */
export function startWriterThread(
  path: string,
  { checkpoints = false, ...options }: ThreadOptions & { readonly checkpoints?: boolean },
): Promise<WriterThread> {
  const worker = startThread(import.meta.url, "writer-thread", {
    workerData: { path, checkpoints },
    // Other threads rarely wait for this thread, and its objects are short-lived.
    resourceLimits: { maxYoungGenerationSizeMb: youngMebibytes },
    // The descriptor that scrubbing uses belongs to the main thread.
    trackUnmanagedFds: false,
  });
  return useWriterThread(worker, options);
}

/** Resolves when the thread reports that it is ready. */
export async function useWriterThread(
  worker: Worker,
  { onGroup, onAnswer }: ThreadOptions,
): Promise<WriterThread> {
  const client = new WriterClient(worker, onAnswer);
  const started = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  worker.on("message", (message: FromWriter) => {
    if ("answers" in message) {
      if (message.figures !== undefined) onGroup?.(message.figures);
      client.take(message.answers);
    } else if ("failure" in message) started.reject(new StoreError(message.failure));
    else started.resolve();
  });
  const fail = (cause: unknown): void => {
    const error = new StoreError("The store's writer has stopped; restart the service.", { cause });
    client.fail(error);
    started.reject(error);
  };
  worker.on("error", fail);
  worker.on("exit", () => {
    fail(undefined);
    gone.resolve();
  });
  try {
    await started.promise;
  } catch (error) {
    // Until then the thread has the file open.
    await gone.promise;
    throw error;
  }
  return {
    submit: (job) => client.submit(job),
    connect: () => {
      const { port1, port2 } = new MessageChannel();
      worker.postMessage({ connect: port1 } satisfies ToWriter, [port1]);
      return port2;
    },
    refuseWrites: () => worker.postMessage("refuse writes" satisfies ToWriter),
    close: async (before) => {
      await client.close();
      await before?.((job) => client.submitLast(job));
      worker.postMessage(null satisfies ToWriter);
      await gone.promise;
    },
  };
}

/** The client of a port that `connect` returned, in the thread to which it was transferred. */
export function useWriterPort(port: MessagePort): Pick<Writer, "submit" | "close"> {
  const client = new WriterClient(port);
  port.on("message", (message: FromWriter) => {
    if ("answers" in message) client.take(message.answers);
  });
  port.on("close", () => {
    client.fail(new StoreError("The store's writer has stopped; restart the service."));
  });
  return {
    submit: (job) => client.submit(job),
    close: async () => {
      await client.close();
      port.close();
    },
  };
}
