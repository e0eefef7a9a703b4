// The main thread's side of the bulk thread: transfers large bodies and streams to it, and returns the outcome of each.
// Starts the thread when it is first needed, and again after a failure.

import { AsyncLocalStorage } from "node:async_hooks";
import type { Worker } from "node:worker_threads";
import { unavailable, restoreError } from "../../domain/error.ts";
import type { Work } from "../load/work-tokens.ts";
import type {
  FromBulk,
  ListOrder,
  ListReport,
  StreamTally,
  ToBulk,
  WriteContext,
  WrittenGroup,
} from "./messages.ts";

export type BulkThread = Pick<Worker, "postMessage" | "on" | "once">;

export interface BulkClientOptions {
  readonly start: () => BulkThread;
  readonly onWritten: () => void;
  readonly onFailure: (error: unknown) => void;
}

export type ListOutcome =
  | { readonly report: ListReport; readonly work: Work }
  | { readonly error: Error; readonly work: Work };

export interface OpenStream {
  /** Resolves when the chunk was read; to false if the stream has failed, and so no further chunk is read. */
  write(chunk: Uint8Array<ArrayBuffer>): Promise<boolean>;
  /** Resolves when everything is stored. `whole`: whether the client sent the stream to its end. */
  end(whole: boolean): Promise<{ readonly tally: StreamTally; readonly error: Error | undefined }>;
}

interface Pending {
  readonly receive: (message: FromBulk) => void;
  readonly fail: (error: Error) => void;
}

const noWork: Work = { items: 0, bytes: 0, processorMs: 0 };

export class BulkClient {
  readonly #options: BulkClientOptions;
  readonly #pending = new Map<number, Pending>();
  /** Outside the trace of the first request: the thread also serves those that follow. */
  readonly #startWorker = AsyncLocalStorage.bind(() => this.#start());
  #worker: BulkThread | undefined;
  #nextId = 0;
  #closing = false;

  constructor(options: BulkClientOptions) {
    this.#options = options;
  }

  writeList(
    order: ListOrder,
    body: Uint8Array<ArrayBuffer>,
    signal: AbortSignal,
  ): Promise<ListOutcome> {
    const id = this.#newId();
    const outcome = Promise.withResolvers<ListOutcome>();
    const abort = (): void => this.#send({ kind: "abort", id });
    const finish = (result: ListOutcome): void => {
      signal.removeEventListener("abort", abort);
      this.#pending.delete(id);
      outcome.resolve(result);
    };
    this.#pending.set(id, {
      receive: (message) => {
        if (message.kind === "report") finish({ report: message.report, work: message.work });
        if (message.kind === "failed") {
          finish({ error: restoreError(message.error), work: message.work });
        }
      },
      fail: (error) => finish({ error, work: noWork }),
    });
    this.#send({ kind: "list", id, order, body }, [body.buffer]);
    signal.addEventListener("abort", abort);
    return outcome.promise;
  }

  openStream(order: WriteContext, onGroup: (group: WrittenGroup) => void): OpenStream {
    const id = this.#newId();
    const ended = Promise.withResolvers<Awaited<ReturnType<OpenStream["end"]>>>();
    const unread: ((goesOn: boolean) => void)[] = [];
    let failure: Error | undefined;
    let tally: StreamTally = { received: 0, written: 0, unchanged: 0, refused: 0 };
    const finish = (error: Error | undefined): void => {
      this.#pending.delete(id);
      failure = error;
      for (const resolve of unread.splice(0)) resolve(false);
      ended.resolve({ tally, error });
    };
    this.#pending.set(id, {
      receive: (message) => {
        if (message.kind === "chunk read") unread.shift()?.(!message.isStopped);
        if (message.kind === "group") onGroup(message);
        if (message.kind === "done") {
          ({ tally } = message);
          finish(message.error === undefined ? undefined : restoreError(message.error));
        }
      },
      fail: finish,
    });
    this.#send({ kind: "stream", id, order });
    return {
      write: (chunk) => {
        if (failure !== undefined) return Promise.resolve(false);
        this.#send({ kind: "chunk", id, bytes: chunk }, [chunk.buffer]);
        return new Promise((resolve) => unread.push(resolve));
      },
      end: (whole) => {
        this.#send({ kind: "end", id, whole });
        return ended.promise;
      },
    };
  }

  /** Starts the thread, so that the next list need not wait for that. */
  prepare(): void {
    if (!this.#closing) this.#worker ??= this.#startWorker();
  }

  /** Drops the queued writes. Call it when no client can receive their outcome any more. */
  refuseWrites(): void {
    this.#send({ kind: "refuse writes" });
  }

  /** Accepts nothing more, and resolves when the tasks in progress are finished. */
  async close(): Promise<void> {
    this.#closing = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    const gone = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    worker.postMessage({ kind: "close" } satisfies ToBulk);
    await gone;
  }

  #newId(): number {
    if (this.#closing) throw unavailable("closing");
    this.#worker ??= this.#startWorker();
    return (this.#nextId += 1);
  }

  #send(message: ToBulk, transfer: readonly ArrayBuffer[] = []): void {
    this.#worker?.postMessage(message, [...transfer]);
  }

  #start(): BulkThread {
    const worker = this.#options.start();
    let cause: unknown;
    worker.on("message", (message: FromBulk) => {
      if (message.kind === "report" || message.kind === "group") this.#options.onWritten();
      this.#pending.get(message.id)?.receive(message);
    });
    worker.on("error", (error) => (cause = error));
    worker.on("exit", () => {
      this.#worker = undefined;
      if (this.#closing && cause === undefined) return;
      this.#options.onFailure(cause);
      // Whether anything was written is unknown: the writer may already have received it.
      const error = unavailable("not_ready", { retryAfterSeconds: 1, cause });
      for (const { fail } of this.#pending.values()) fail(error);
    });
    return worker;
  }
}
