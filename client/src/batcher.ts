// Collects records from a source into batches while the previous batch is being sent. Buffers at most one batch, and
// reads no further from the source than that.

import { toJson } from "./json.ts";
import { sleep } from "./wait.ts";

export interface Batched<Item> {
  /** The position in the source, from 0. */
  readonly index: number;
  readonly record: Item;
  /** The record as JSON; undefined if it can't be sent. */
  readonly text: string | undefined;
  /** Why it can't be sent. */
  readonly reason: string | undefined;
}

/**
 * A batch has room for a thousand characters per record, and for at least this many: many proxies limit bodies to a
 * megabyte.
 */
const charactersMin = 1_000_000;
/** Within the limit of the service, even at three bytes per character. */
const charactersMax = 5_000_000;
/** How long a batch that is not full waits for more records. */
const fillMs = 10;

export class Batcher<Item> {
  readonly #itemsMax: number;
  readonly #charactersMax: number;
  #buffered: Batched<Item>[] = [];
  #characters = 0;
  #ended = false;
  #failure: { readonly cause: unknown } | undefined;
  #waiting: (() => void)[] = [];

  /** Starts reading immediately. */
  constructor(source: AsyncIterable<Item> | Iterable<Item>, itemsMax: number) {
    this.#itemsMax = itemsMax;
    this.#charactersMax = Math.min(Math.max(itemsMax * 1_000, charactersMin), charactersMax);
    void this.#read(source);
  }

  /**
   * Resolves to the next batch, empty at the end. If the source fails, everything before that is returned first, then
   * its error is thrown.
   */
  async take(): Promise<readonly Batched<Item>[]> {
    await this.#until(() => this.#buffered.length > 0 || this.#ended);
    if (!this.#isFull() && !this.#ended) {
      await Promise.race([this.#until(() => this.#isFull() || this.#ended), sleep(fillMs)]);
    }
    const batch = this.#buffered;
    if (batch.length === 0 && this.#failure !== undefined) throw this.#failure.cause;
    this.#buffered = [];
    this.#characters = 0;
    this.#notify();
    return batch;
  }

  /** The source is closed when it next yields. */
  close(): void {
    this.#ended = true;
    this.#notify();
  }

  /** Never rejects: `take` throws the error. */
  async #read(source: AsyncIterable<Item> | Iterable<Item>): Promise<void> {
    try {
      let index = 0;
      for await (const record of source) {
        const { text, reason } = write(record);
        const characters = text?.length ?? 0;
        await this.#until(() => this.#hasRoomFor(characters) || this.#ended);
        if (this.#ended) return;
        this.#buffered.push({ index, record, text, reason });
        this.#characters += characters;
        index += 1;
        this.#notify();
      }
    } catch (cause) {
      this.#failure = { cause };
    } finally {
      this.close();
    }
  }

  #hasRoomFor(characters: number): boolean {
    if (this.#buffered.length === 0) return true;
    const fits = this.#characters + characters <= this.#charactersMax;
    return fits && this.#buffered.length < this.#itemsMax;
  }

  #isFull(): boolean {
    return this.#buffered.length >= this.#itemsMax || this.#characters >= this.#charactersMax;
  }

  #notify(): void {
    if (this.#waiting.length === 0) return;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async #until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }
}

function write(record: unknown): Pick<Batched<unknown>, "text" | "reason"> {
  try {
    return { text: toJson(record), reason: undefined };
  } catch (error) {
    return { text: undefined, reason: error instanceof Error ? error.message : String(error) };
  }
}
