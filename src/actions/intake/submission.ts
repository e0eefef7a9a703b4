// Adds, appends or updates records of one type. The records of a request are validated as they are added, in any number
// of parts, and then stored together. A strict request is all or nothing; the items of a lenient one are independent.

import { AppError } from "../../domain/error.ts";
import { limits } from "../../domain/limits.ts";
import type { RecordType } from "../../domain/record-type.ts";
import { isRefused } from "../../domain/record/draft-outcome.ts";
import { countDraftRows } from "../../domain/record/draft-rows.ts";
import type {
  Draft,
  DraftOutcome,
  IdempotencyMark,
  RecordRefusal,
  RecordWrite,
  WriteMode,
  WriteOutcome,
} from "../../domain/record/record-write.ts";
import {
  type InvalidItem,
  isInvalid,
  readSubmission,
  tooLargeItem,
} from "../../domain/record/payload.ts";
import { makeErrorBudget } from "../../domain/validation/explain.ts";
import type { App } from "../app.ts";
import { type ItemResult, ItemResults, storeInParts } from "./item-results.ts";
import { ValidationErrors } from "./validation-errors.ts";

export interface SubmissionOptions {
  readonly organizationId: string;
  readonly type: RecordType;
  readonly mode: WriteMode;
  readonly lenient: boolean;
  /** True if each item of a lenient list is decided and answered like a request with only this item. */
  readonly asSingle?: boolean | undefined;
  /** True when the body was one object, so that field paths have no index. */
  readonly single: boolean;
  /** Unix milliseconds. */
  readonly receivedAt: number;
  /** The first day of timestamps. */
  readonly timestampMin: string;
}

/** The part of the store that a submission needs. */
export interface RecordWriter {
  writeRecords(write: RecordWrite): Promise<WriteOutcome>;
}

export interface WriteReport {
  readonly written: number;
  readonly drafts: readonly DraftOutcome[];
  /** True if an earlier request with the same Idempotency-Key has written this. */
  readonly repeated: boolean;
  /** One for each item; only for lenient requests. */
  readonly results: readonly ItemResult[] | undefined;
}

export interface WriteRequest {
  readonly items: readonly unknown[];
  readonly idempotency?: IdempotencyMark | undefined;
  /** The marks of the items, if each is written with its own. */
  readonly marks?: Iterator<IdempotencyMark, undefined> | undefined;
}

/** Rejects like `Submission.store`, and with AppError idempotency_in_flight. */
export function writeRecords(
  { store, inFlight }: App,
  options: SubmissionOptions,
  { items, idempotency, marks }: WriteRequest,
): Promise<WriteReport> {
  const submission = new Submission(options);
  for (const item of items) submission.add(item, marks?.next().value);
  const mark = marks === undefined ? idempotency : undefined;
  return inFlight.run(idempotency?.keyHash, () => submission.store(store, mark));
}

export class Submission {
  readonly #options: SubmissionOptions;
  readonly #budget = makeErrorBudget();
  readonly #errors: ValidationErrors;
  /** Undefined for a strict request. */
  readonly #results: ItemResults | undefined;
  #tooLarge = false;
  #items = 0;
  #rows = 0;
  #drafts: Draft[] = [];
  /** The marks of the drafts whose items have one. */
  readonly #marks: IdempotencyMark[] = [];

  constructor(options: SubmissionOptions) {
    this.#options = options;
    this.#errors = new ValidationErrors(options);
    this.#results = options.lenient ? new ItemResults(options) : undefined;
  }

  get items(): number {
    return this.#items;
  }

  /** The rows of the valid items: one for each item and for each of its relations. */
  get rows(): number {
    return this.#rows;
  }

  /** Returns the number of characters of its draft; 0 if it has none. */
  add(item: unknown, mark?: IdempotencyMark): number {
    const { type, mode, lenient, receivedAt: now, timestampMin } = this.#options;
    const index = this.#items;
    this.#items += 1;
    const read = readSubmission(type, item, { mode, now, timestampMin, budget: this.#budget });
    if (isInvalid(read)) {
      this.#addInvalid(index, item, read);
      return 0;
    }
    this.#rows += countDraftRows([read]);
    // True if nothing will be stored, because a strict request has errors, or a request has too many rows.
    if (this.#rows > limits.listRowsMax) this.#drafts = [];
    else if (lenient || this.#errors.items === 0) this.#drafts.push(read);
    this.#results?.add(read.id);
    if (mark !== undefined) this.#marks.push(mark);
    return read.payload.length;
  }

  addTooLarge(): void {
    const index = this.#items;
    this.#items += 1;
    this.#addInvalid(index, undefined, tooLargeItem);
  }

  /**
   * Call this once. Not `async`, so that nothing references the drafts while they are stored. Rejects with AppError
   * validation_failed or too_large (before anything is written), no_such_record, identical_record_exists,
   * record_exists, deletion_open (strict: nothing was written), idempotency_reused.
   */
  store(writer: RecordWriter, idempotency?: IdempotencyMark): Promise<WriteReport> {
    const drafts = this.#drafts;
    this.#drafts = [];
    if (this.#errors.items === 0 && this.#rows > limits.listRowsMax) {
      return Promise.reject(this.#tooManyRows());
    }
    const results = this.#results;
    if (results !== undefined) {
      return this.#storeEach(writer, drafts, idempotency).then((outcome) =>
        reportOf(outcome, results.of(outcome.drafts)),
      );
    }
    if (this.#errors.items > 0) {
      const name = this.#tooLarge ? "too_large" : "validation_failed";
      return Promise.reject(this.#errors.toAppError(name, this.#items));
    }
    return writer.writeRecords(this.#write(drafts, idempotency)).then((outcome) => {
      this.#throwIfRefused(outcome.drafts);
      return reportOf(outcome);
    });
  }

  #tooManyRows(): AppError {
    return new AppError("too_large", {
      message:
        `The items of a list and the records that they relate to may be at most ${limits.listRowsMax} together, ` +
        `and here they are ${this.#rows}; send the list in parts, or as a stream (application/x-ndjson).`,
    });
  }

  #addInvalid(index: number, item: unknown, invalid: InvalidItem): void {
    if (this.#results !== undefined) return this.#results.addInvalid(item, invalid);
    this.#tooLarge ||= invalid.errorName === "too_large";
    this.#errors.add(index, invalid.errors);
    this.#drafts = [];
  }

  #storeEach(
    writer: RecordWriter,
    drafts: readonly Draft[],
    idempotency: IdempotencyMark | undefined,
  ): Promise<WriteOutcome> {
    // With an Idempotency-Key the outcome must be stored even without drafts, because the reply is successful.
    const { asSingle = false } = this.#options;
    return idempotency !== undefined || (asSingle && drafts.length > 0)
      ? writer.writeRecords(this.#write(drafts, idempotency))
      : storeInParts(drafts, (part) => writer.writeRecords(this.#write(part, undefined)));
  }

  #write(drafts: readonly Draft[], idempotency: IdempotencyMark | undefined): RecordWrite {
    const { organizationId, type, mode, lenient, receivedAt } = this.#options;
    const { resourceType } = type;
    const marks = this.#marks.length === 0 ? undefined : this.#marks;
    return { organizationId, resourceType, mode, lenient, drafts, receivedAt, idempotency, marks };
  }

  #throwIfRefused(outcomes: readonly DraftOutcome[]): void {
    if (!outcomes.some(isRefused)) return;
    let first: RecordRefusal | undefined;
    for (const [index, outcome] of outcomes.entries()) {
      if (!isRefused(outcome)) continue;
      first ??= outcome;
      this.#errors.addRefusal(index, outcome);
    }
    if (first !== undefined) throw this.#errors.toAppError(first, this.#items);
  }
}

function reportOf(
  { written, drafts, repeated }: WriteOutcome,
  results?: readonly ItemResult[],
): WriteReport {
  return { written, drafts, repeated: repeated === true, results };
}
