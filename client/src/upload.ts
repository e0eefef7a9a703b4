// Sends records from a source of any length in batches: one is in flight, with its own Idempotency-Key, while the next
// is being collected. Memory is bounded, failures can be retried, and no record is written twice.

import { SluiceError } from "./errors.ts";
import { errorCodes } from "./generated/codes.ts";
import type { ErrorItem, WriteItemResult, WriteResult } from "./generated/replies.ts";
import { type Batched, Batcher } from "./batcher.ts";
import { requireKnown, wrong } from "./options.ts";
import type { CallOptions } from "./session.ts";
import { until } from "./wait.ts";

export interface UploadOptions extends Pick<CallOptions, "signal"> {
  /** Maximum number of records in a request, 1 to 10,000. Default: 1,000. */
  readonly batchSize?: number | undefined;
}

/** A record that was not written, and why. The other records are not affected. */
export interface Refusal<Item> {
  /** The position in the source, from 0. */
  readonly index: number;
  /** The record as the source yielded it. */
  readonly record: Item;
  /** One of `errorCodes`. */
  readonly code: number;
  readonly message: string;
  readonly errors: readonly ErrorItem[];
}

/** The counts of the records that the service has answered for. */
export interface Tally {
  readonly received: number;
  /** Records that are on stable storage. */
  readonly written: number;
  /** Records that existed already and were identical. */
  readonly unchanged: number;
  readonly refused: number;
}

/** Sends nothing until it is iterated, and then no faster than the refusals are read. */
export class Upload<Item> implements AsyncIterable<Refusal<Item>> {
  readonly #send: (body: string) => Promise<WriteResult>;
  readonly #refusals: AsyncGenerator<Refusal<Item>, void, undefined>;
  #tally: Tally = { received: 0, written: 0, unchanged: 0, refused: 0 };

  constructor(
    send: (body: string) => Promise<WriteResult>,
    source: AsyncIterable<Item> | Iterable<Item>,
    options: UploadOptions,
  ) {
    requireKnown(options, ["batchSize", "signal"]);
    const { batchSize = 1_000, signal } = options;
    if (!Number.isInteger(batchSize) || batchSize < 1 || batchSize > 10_000) {
      throw wrong("batchSize", "a whole number from 1 to 10000");
    }
    this.#send = send;
    this.#refusals = this.#run(source, batchSize, signal);
  }

  /** In the order of the source. After a failure, it is unknown whether the records from `received` on were written. */
  get tally(): Tally {
    return this.#tally;
  }

  /** Iterates over the refusals. Throws errors of the source, SluiceError, and the signal's reason. */
  [Symbol.asyncIterator](): AsyncGenerator<Refusal<Item>, void, undefined> {
    return this.#refusals;
  }

  async *#run(
    source: AsyncIterable<Item> | Iterable<Item>,
    batchSize: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Refusal<Item>, void, undefined> {
    signal?.throwIfAborted();
    const batcher = new Batcher(source, batchSize);
    try {
      for (;;) {
        const batch = await until(batcher.take(), signal);
        if (batch.length === 0) return;
        yield* await this.#process(batch);
      }
    } finally {
      batcher.close();
    }
  }

  /** Refuses records that JSON can't represent, and sends the others. */
  async #process(batch: readonly Batched<Item>[]): Promise<readonly Refusal<Item>[]> {
    const sendable = batch.filter(({ text }) => text !== undefined);
    const refusals = sendable.length === 0 ? [] : await this.#write(sendable);
    if (sendable.length === batch.length) return refusals;
    const unsendable = batch.filter(({ text }) => text === undefined).map(refusalWithoutText);
    this.#add({ received: unsendable.length, written: 0, refused: unsendable.length });
    return [...refusals, ...unsendable].sort((one, other) => one.index - other.index);
  }

  /** A batch that is refused as a whole had no effect; bisecting it finds the records that caused the refusal. */
  async #write(batch: readonly Batched<Item>[]): Promise<readonly Refusal<Item>[]> {
    try {
      const result = await this.#send(`[${batch.map(({ text }) => text).join(",")}]`);
      return this.#count(batch, result);
    } catch (error) {
      if (!(error instanceof SluiceError) || !causedByRecord.has(error.code)) throw error;
      const half = Math.ceil(batch.length / 2);
      if (half < batch.length) {
        const first = await this.#write(batch.slice(0, half));
        return [...first, ...(await this.#write(batch.slice(half)))];
      }
      const { code, message } = error;
      const errors = error.errors.map(withoutIndex);
      const results = [{ index: 0, status: "refused", code, message, errors } as const];
      return this.#count(batch, { write_count: 0, results });
    }
  }

  #count(
    batch: readonly Batched<Item>[],
    { write_count: written, results = [] }: Pick<WriteResult, "write_count" | "results">,
  ): readonly Refusal<Item>[] {
    const refusals = results.flatMap((result) => refusalOf(batch, result));
    this.#add({ received: batch.length, written, refused: refusals.length });
    return refusals;
  }

  /** Records that were neither written nor refused were unchanged. */
  #add({ received, written, refused }: Omit<Tally, "unchanged">): void {
    const before = this.#tally;
    this.#tally = {
      received: before.received + received,
      written: before.written + written,
      unchanged: before.unchanged + received - written - refused,
      refused: before.refused + refused,
    };
  }
}

/** Refusals of a list that a single record can cause: invalid, or too large, also for a proxy (413). */
export const causedByRecord: ReadonlySet<number> = new Set([
  errorCodes.validation_failed,
  errorCodes.malformed_json,
  errorCodes.too_large,
  413,
]);

/** `[0].amount` in a list of one is `amount`. */
function withoutIndex({ field, ...rest }: ErrorItem): ErrorItem {
  return field === undefined ? rest : { ...rest, field: field.replace(/^\[0\]\.?/, "") };
}

function refusalWithoutText<Item>({ index, record, reason = "" }: Batched<Item>): Refusal<Item> {
  return { index, record, code: errorCodes.validation_failed, message: reason, errors: [] };
}

function refusalOf<Item>(
  batch: readonly Batched<Item>[],
  { index: place, status, code = 0, message = "", errors = [] }: WriteItemResult,
): readonly Refusal<Item>[] {
  const item = batch[place];
  if (status !== "refused" || item === undefined) return [];
  return [{ index: item.index, record: item.record, code, message, errors }];
}
