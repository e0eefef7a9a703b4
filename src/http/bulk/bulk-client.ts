// The main thread's side of the bulk thread: transfers large bodies and streams to it, and returns the outcome of each.
// Starts the thread when it is first needed, and again after a failure.

import { AsyncLocalStorage } from "node:async_hooks";
import type { Worker } from "node:worker_threads";
import { Calls } from "../../basics/thread.ts";
import { unavailable, restoreError } from "../../domain/error.ts";
import type { Work } from "../load/work-tokens.ts";
import type {
  BulkNews,
  BulkTasks,
  ListOrder,
  ListOutcome,
  StreamOutcome,
  StreamTally,
  WriteContext,
  WrittenGroup,
} from "./messages.ts";

export type BulkThread = Pick<Worker, "postMessage" | "on">;

export interface BulkClientOptions {
  readonly start: () => BulkThread;
  readonly onWritten: () => void;
  readonly onFailure: (error: unknown) => void;
}

export interface OpenStream {
  /** Resolves when the chunk was read; to false if the stream has failed, and so no further chunk is read. */
  write(chunk: Uint8Array<ArrayBuffer>): Promise<boolean>;
  /** Resolves when everything is stored. `whole`: whether the client sent the stream to its end. */
  end(whole: boolean): Promise<StreamOutcome>;
}

const noWork: Work = { items: 0, bytes: 0, processorMs: 0 };
const noTally: StreamTally = { received: 0, written: 0, unchanged: 0, refused: 0 };

export class BulkClient {
  readonly #onWritten: () => void;
  readonly #thread: Calls<BulkTasks>;
  /** The streams that wait for their groups, by id. */
  readonly #onGroup = new Map<number, (group: WrittenGroup) => void>();
  #lastId = 0;

  constructor({ start, onWritten, onFailure }: BulkClientOptions) {
    this.#onWritten = onWritten;
    const own: BulkNews = {
      group: (id, group) => {
        onWritten();
        this.#onGroup.get(id)?.(group);
      },
    };
    this.#thread = new Calls({
      // Outside the trace of the first request: the thread also serves those that follow.
      start: AsyncLocalStorage.bind(start),
      own,
      closed: () => unavailable("closing"),
      ended: (cause) => {
        onFailure(cause);
        // Whether anything was written is unknown: the writer may already have received it.
        return unavailable("not_ready", { retryAfterSeconds: 1, cause });
      },
    });
  }

  async writeList(
    order: ListOrder,
    body: Uint8Array<ArrayBuffer>,
    signal: AbortSignal,
  ): Promise<ListOutcome> {
    const thread = this.#thread.open();
    const id = (this.#lastId += 1);
    const abort = (): void => thread.tell("abort", id);
    signal.addEventListener("abort", abort);
    try {
      const outcome = await thread.call("writeList", [id, order, body], [body.buffer]);
      if ("error" in outcome) return { ...outcome, error: restoreError(outcome.error) };
      this.#onWritten();
      return outcome;
    } catch (error) {
      return { error: error as Error, work: noWork };
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  openStream(order: WriteContext, onGroup: (group: WrittenGroup) => void): OpenStream {
    const thread = this.#thread.open();
    const id = (this.#lastId += 1);
    this.#onGroup.set(id, onGroup);
    const ended = thread
      .call("writeStream", [id, order])
      .then(
        ({ tally, error }) => ({ tally, error: error && restoreError(error) }),
        (error: Error) => ({ tally: noTally, error }),
      )
      .finally(() => this.#onGroup.delete(id));
    return {
      write: (chunk) => thread.call("writeChunk", [id, chunk], [chunk.buffer]).catch(() => false),
      end: (whole) => {
        thread.tell("endStream", id, whole);
        return ended;
      },
    };
  }

  /** Starts the thread, so that the next list need not wait for that. */
  prepare(): void {
    this.#thread.open();
  }

  /** Drops the queued writes. Call it when no client can receive their outcome any more. */
  refuseWrites(): void {
    this.#thread.tell("refuseWrites");
  }

  /** Accepts nothing more, and resolves when the tasks in progress are finished. */
  close(): Promise<void> {
    return this.#thread.close();
  }
}
