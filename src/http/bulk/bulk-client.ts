// The bulk thread as the main thread sees it: hands large bodies and streams over, and tells what came of each. Starts the
// thread when it is first needed, and again after it has failed.

import type { Worker } from "node:worker_threads";
import { AppError } from "../../domain/error.ts";
import { restoreError } from "../../domain/error-form.ts";
import type { Work } from "../load/work-tokens.ts";
import type {
  FromBulk,
  ListOrder,
  ListReport,
  StreamTally,
  ToBulk,
  WriteContext,
} from "./messages.ts";

/** What is needed of the thread. */
export type BulkThread = Pick<Worker, "postMessage" | "on" | "once">;

export interface BulkClientOptions {
  readonly start: () => BulkThread;
  /** Called before anything that was written is told of. */
  readonly onWritten: () => void;
  /** The thread has ended by itself. */
  readonly onFailure: (error: unknown) => void;
}

/** What became of a list, and what it cost either way. */
export type ListOutcome =
  | { readonly report: ListReport; readonly work: Work }
  | { readonly error: Error; readonly work: Work };

export interface StreamEvents {
  /** A group is committed; the lines of the reply, each with its newline. */
  readonly onGroup: (group: {
    readonly written: number;
    readonly lines: string;
    readonly lineCount: number;
    readonly work: Work;
  }) => void;
  /** It has failed: what is sent further is not read, and `end` tells why. */
  readonly onStopped: () => void;
}

export interface OpenStream {
  /** The chunk is transferred. Resolves when it is read, so that another may follow. */
  write(chunk: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Resolves when everything is stored. `whole`: whether the stream has come to its end. */
  end(whole: boolean): Promise<{ readonly tally: StreamTally; readonly error: Error | undefined }>;
}

interface Pending {
  readonly take: (message: FromBulk) => void;
  readonly fail: (error: Error) => void;
}

const noWork: Work = { items: 0, bytes: 0, processorMs: 0 };

export class BulkClient {
  readonly #options: BulkClientOptions;
  readonly #pending = new Map<number, Pending>();
  #worker: BulkThread | undefined;
  #nextId = 0;
  #closing = false;

  constructor(options: BulkClientOptions) {
    this.#options = options;
  }

  /** Starts the thread, so that the first request does not wait for it. */
  start(): void {
    this.#worker ??= this.#startWorker();
  }

  /** The body is transferred. `signal` tells that the client is gone. */
  writeList(
    order: ListOrder,
    body: Uint8Array<ArrayBuffer>,
    signal: AbortSignal,
  ): Promise<ListOutcome> {
    const id = this.#newId();
    const outcome = Promise.withResolvers<ListOutcome>();
    const abort = (): void => this.#send({ kind: "abort", id });
    const settle = (found: ListOutcome): void => {
      signal.removeEventListener("abort", abort);
      this.#pending.delete(id);
      outcome.resolve(found);
    };
    this.#pending.set(id, {
      take: (message) => {
        if (message.kind === "report") settle({ report: message.report, work: message.work });
        if (message.kind === "failed") {
          settle({ error: restoreError(message.error), work: message.work });
        }
      },
      fail: (error) => settle({ error, work: noWork }),
    });
    this.#send({ kind: "list", id, order, body }, [body.buffer]);
    signal.addEventListener("abort", abort);
    return outcome.promise;
  }

  openStream(order: WriteContext, events: StreamEvents): OpenStream {
    const id = this.#newId();
    const ended = Promise.withResolvers<Awaited<ReturnType<OpenStream["end"]>>>();
    const taken: (() => void)[] = [];
    let failure: Error | undefined;
    let tally: StreamTally = { received: 0, written: 0, unchanged: 0, refused: 0 };
    const settle = (error: Error | undefined): void => {
      this.#pending.delete(id);
      failure = error;
      for (const resolve of taken.splice(0)) resolve();
      ended.resolve({ tally, error });
    };
    this.#pending.set(id, {
      take: (message) => {
        if (message.kind === "taken") taken.shift()?.();
        if (message.kind === "group") events.onGroup(message);
        if (message.kind === "stopped") events.onStopped();
        if (message.kind === "done") {
          ({ tally } = message);
          settle(message.error === undefined ? undefined : restoreError(message.error));
        }
      },
      fail: (error) => {
        settle(error);
        events.onStopped();
      },
    });
    this.#send({ kind: "stream", id, order });
    return {
      write: (chunk) => {
        if (failure !== undefined) return Promise.resolve();
        this.#send({ kind: "chunk", id, bytes: chunk }, [chunk.buffer]);
        return new Promise((resolve) => taken.push(resolve));
      },
      end: (whole) => {
        this.#send({ kind: "end", id, whole });
        return ended.promise;
      },
    };
  }

  /** Writes that wait are dropped; to be called when no client can be told of them any more. */
  refuseWrites(): void {
    this.#send({ kind: "refuse writes" });
  }

  /** Takes nothing more, and resolves when what is under way is over. */
  async close(): Promise<void> {
    this.#closing = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    const gone = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    worker.postMessage({ kind: "close" } satisfies ToBulk);
    await gone;
  }

  #newId(): number {
    if (this.#closing) throw new AppError("unavailable");
    this.start();
    return (this.#nextId += 1);
  }

  #send(message: ToBulk, transfer: readonly ArrayBuffer[] = []): void {
    this.#worker?.postMessage(message, [...transfer]);
  }

  #startWorker(): BulkThread {
    const worker = this.#options.start();
    let cause: unknown;
    worker.on("message", (message: FromBulk) => {
      if (message.kind === "ready") return;
      if (message.kind === "report" || message.kind === "group") this.#options.onWritten();
      this.#pending.get(message.id)?.take(message);
    });
    worker.on("error", (error) => (cause = error));
    worker.on("exit", () => {
      this.#worker = undefined;
      if (this.#closing && cause === undefined) return;
      this.#options.onFailure(cause);
      // Whether anything of it was written is not known: it may have been handed over already.
      const error = new AppError("unavailable", { retryAfterSeconds: 1, cause });
      for (const { fail } of this.#pending.values()) fail(error);
    });
    return worker;
  }
}
