// Ended spans wait here for their export, in batches. The queue is bounded: beyond its bound spans are dropped and counted,
// and nothing that ends a span ever waits for the receiver.

import type { EndedSpan } from "./span.ts";

export type DropReason = "queue" | "export";

export interface SpanQueueOptions {
  readonly queueMax: number;
  readonly batchMax: number;
  readonly delayMs: number;
  /** Never rejects; false if the batch was not accepted. */
  readonly send: (spans: readonly EndedSpan[]) => Promise<boolean>;
  /** Spans that will not be exported: the queue was full, or an export failed. */
  readonly onDropped: (count: number, reason: DropReason) => void;
}

export class SpanQueue {
  readonly #options: SpanQueueOptions;
  #waiting: EndedSpan[] = [];
  #sending: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: SpanQueueOptions) {
    this.#options = options;
  }

  add(span: EndedSpan): void {
    const { queueMax, onDropped } = this.#options;
    if (this.#closed || this.#waiting.length >= queueMax) return onDropped(1, "queue");
    this.#waiting.push(span);
    if (this.#sending === undefined) this.#schedule();
  }

  /** Exports what waits, and accepts nothing more. Takes as long as `send` does. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#sending;
    while (this.#waiting.length > 0) await this.#sendBatch();
  }

  /** A full batch is sent at once; less waits for others, but only for the delay. */
  #schedule(): void {
    if (this.#waiting.length >= this.#options.batchMax) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), this.#options.delayMs).unref();
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending = this.#sendBatch().finally(() => {
      this.#sending = undefined;
      if (this.#waiting.length > 0 && !this.#closed) this.#schedule();
    });
  }

  async #sendBatch(): Promise<void> {
    const batch = this.#waiting.splice(0, this.#options.batchMax);
    const accepted = await this.#options.send(batch);
    if (!accepted) this.#options.onDropped(batch.length, "export");
  }
}
