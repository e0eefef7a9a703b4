// Gathers records from a source into batches, while the batch before is on its way. Holds at most one batch, and asks the
// source for no more than fits.

import { toJson } from "./json.ts";
import { sleep } from "./wait.ts";

export interface Gathered<Item> {
  /** Place in the source, from 0. */
  readonly index: number;
  readonly record: Item;
  /** The record as JSON; undefined for one that can't be sent at all. */
  readonly text: string | undefined;
  /** Why it can't. */
  readonly fault: string | undefined;
}

/** A batch is full with a thousand characters a record, but at least this many: a megabyte is what many proxies take. */
const charactersMin = 1_000_000;
/** Even at three bytes a character that is less than the service takes. */
const charactersMax = 5_000_000;
/** How long a batch that is not full waits for more, when nothing else is to be done. */
const lingerMs = 10;

export class Gatherer<Item> {
  readonly #itemsMax: number;
  readonly #charactersMax: number;
  #held: Gathered<Item>[] = [];
  #characters = 0;
  #ended = false;
  #failure: { readonly cause: unknown } | undefined;
  #waiting: (() => void)[] = [];

  /** Begins to read at once. */
  constructor(source: AsyncIterable<Item> | Iterable<Item>, itemsMax: number) {
    this.#itemsMax = itemsMax;
    this.#charactersMax = Math.min(Math.max(itemsMax * 1_000, charactersMin), charactersMax);
    void this.#read(source);
  }

  /**
   * What there is, at least one record; empty at the end. If the source failed, everything before that is given first,
   * then its error is thrown.
   */
  async take(): Promise<readonly Gathered<Item>[]> {
    await this.#until(() => this.#held.length > 0 || this.#ended);
    if (!this.#isFull() && !this.#ended) {
      await Promise.race([this.#until(() => this.#isFull() || this.#ended), sleep(lingerMs)]);
    }
    const batch = this.#held;
    if (batch.length === 0 && this.#failure !== undefined) throw this.#failure.cause;
    this.#held = [];
    this.#characters = 0;
    this.#tell();
    return batch;
  }

  /** Lets go of the source as soon as it gives something or ends. */
  close(): void {
    this.#ended = true;
    this.#tell();
  }

  /** Never rejects: what fails is kept for whoever takes. */
  async #read(source: AsyncIterable<Item> | Iterable<Item>): Promise<void> {
    try {
      let index = 0;
      for await (const record of source) {
        const { text, fault } = write(record);
        const characters = text?.length ?? 0;
        await this.#until(() => this.#hasRoomFor(characters) || this.#ended);
        if (this.#ended) return;
        this.#held.push({ index, record, text, fault });
        this.#characters += characters;
        index += 1;
        this.#tell();
      }
    } catch (cause) {
      this.#failure = { cause };
    } finally {
      this.close();
    }
  }

  #hasRoomFor(characters: number): boolean {
    if (this.#held.length === 0) return true;
    const fits = this.#characters + characters <= this.#charactersMax;
    return fits && this.#held.length < this.#itemsMax;
  }

  #isFull(): boolean {
    return this.#held.length >= this.#itemsMax || this.#characters >= this.#charactersMax;
  }

  #tell(): void {
    if (this.#waiting.length === 0) return;
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }
}

function write(record: unknown): Pick<Gathered<unknown>, "text" | "fault"> {
  try {
    return { text: toJson(record), fault: undefined };
  } catch (error) {
    return { text: undefined, fault: error instanceof Error ? error.message : String(error) };
  }
}
