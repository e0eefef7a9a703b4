// The records of one request before they are stored: items are validated as they are added, in any number of parts, and
// then stored together. A strict request is all or nothing; the items of a lenient one are independent.

import { errorCatalogue, type FieldError } from "../../domain/error.ts";
import { AppError } from "../../domain/error.ts";
import { countDraftRows, partsOf } from "../../domain/record/draft-rows.ts";
import { makeErrorBudget } from "../../domain/validation/explain.ts";
import { limits } from "../../domain/limits.ts";
import type { RecordType } from "../../domain/record-type.ts";
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
} from "../../domain/record/submission.ts";
import {
  describeRefusal,
  describeWritten,
  singleError,
  ValidationErrors,
} from "./validation-errors.ts";

/** How many items of a lenient list one transaction writes. */
const lenientPartItems = 1_000;
/** The results of a lenient list name at most this many errors, over all its items. This bounds the reply. */
const lenientErrorsMax = 10_000;

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

export interface ItemResult {
  readonly index: number;
  readonly id: string | undefined;
  readonly status: "created" | "updated" | "unchanged" | "refused";
  readonly code?: number;
  readonly message?: string;
  readonly errors?: readonly FieldError[];
}

export interface WriteReport {
  readonly written: number;
  readonly drafts: readonly DraftOutcome[];
  /** True if an earlier request with the same Idempotency-Key has written this. */
  readonly repeated: boolean;
  /** One for each item; only for lenient requests. */
  readonly results: readonly ItemResult[] | undefined;
}

export class Submission {
  readonly #options: SubmissionOptions;
  readonly #budget = makeErrorBudget();
  readonly #errors: ValidationErrors;
  #tooLarge = false;
  #items = 0;
  #rows = 0;
  #drafts: Draft[] = [];
  /** The marks of the drafts whose items have one. */
  readonly #marks: IdempotencyMark[] = [];
  /** How many errors the results contain so far. */
  #listedErrors = 0;
  /** In a lenient request: the result of each item, or the id of a draft until it is stored. */
  readonly #results: (ItemResult | string)[] = [];

  constructor(options: SubmissionOptions) {
    this.#options = options;
    this.#errors = new ValidationErrors(options);
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
    if (lenient) this.#results.push(read.id);
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
    if (this.#options.lenient) {
      return this.#storeEach(writer, drafts, idempotency).then((outcome) => this.#report(outcome));
    }
    if (this.#errors.items > 0) {
      const name = this.#tooLarge ? "too_large" : "validation_failed";
      return Promise.reject(this.#errors.toAppError(name, this.#items));
    }
    return this.#storeAll(writer, drafts, idempotency);
  }

  #tooManyRows(): AppError {
    return new AppError("too_large", {
      message:
        `The items of a list and the records that they relate to may be at most ${limits.listRowsMax} together, ` +
        `and here they are ${this.#rows}; send the list in parts, or as a stream (application/x-ndjson).`,
    });
  }

  #addInvalid(index: number, item: unknown, invalid: InvalidItem): void {
    const { type, lenient, asSingle } = this.#options;
    if (!lenient) {
      this.#tooLarge ||= invalid.errorName === "too_large";
      this.#errors.add(index, invalid.errors);
      this.#drafts = [];
      return;
    }
    const listedMax = Math.min(limits.fieldErrorsMax, lenientErrorsMax - this.#listedErrors);
    const errors = invalid.errors.slice(0, Math.max(0, listedMax));
    this.#listedErrors += errors.length;
    const { code } = errorCatalogue[invalid.errorName];
    const message =
      asSingle === true
        ? singleError(type, invalid.errorName, invalid.errors).message
        : describeRefusal(invalid.errorName, type);
    this.#results.push({ index, id: idOf(type, item), status: "refused", code, message, errors });
  }

  #storeAll(
    writer: RecordWriter,
    drafts: readonly Draft[],
    idempotency: IdempotencyMark | undefined,
  ): Promise<WriteReport> {
    return writer.writeRecords(this.#write(drafts, idempotency)).then((outcome) => {
      this.#throwIfRefused(outcome.drafts);
      const { written, drafts: outcomes, repeated } = outcome;
      return { written, drafts: outcomes, repeated: repeated === true, results: undefined };
    });
  }

  /** In parts, so that other writes fit in between; in their order if a record is in two of them. */
  async #storeEach(
    writer: RecordWriter,
    drafts: readonly Draft[],
    idempotency: IdempotencyMark | undefined,
  ): Promise<WriteOutcome> {
    const bounds = { itemsMax: lenientPartItems, rowsMax: limits.groupRowsMax };
    const isWhole = idempotency !== undefined || this.#options.asSingle === true;
    const divided = isWhole ? [drafts] : partsOf(drafts, bounds);
    if (divided.length <= 1) {
      // Even without drafts the outcome must be stored for an Idempotency-Key, because the reply is successful.
      const isEmpty = drafts.length === 0 && idempotency === undefined;
      return isEmpty
        ? { written: 0, drafts: [] }
        : writer.writeRecords(this.#write(drafts, idempotency));
    }
    const store = (part: readonly Draft[]) => writer.writeRecords(this.#write(part, undefined));
    const outcomes = repeatsRecord(drafts)
      ? await inOrder(divided, store)
      : await Promise.all(divided.map(store));
    return {
      written: outcomes.reduce((sum, { written }) => sum + written, 0),
      drafts: outcomes.flatMap((outcome) => outcome.drafts),
    };
  }

  #write(drafts: readonly Draft[], idempotency: IdempotencyMark | undefined): RecordWrite {
    const { organizationId, type, mode, lenient, receivedAt } = this.#options;
    const { resourceType } = type;
    const marks = this.#marks.length === 0 ? undefined : this.#marks;
    return { organizationId, resourceType, mode, lenient, drafts, receivedAt, idempotency, marks };
  }

  #throwIfRefused(outcomes: readonly DraftOutcome[]): void {
    if (!outcomes.some(isRefusal)) return;
    let first: RecordRefusal | undefined;
    for (const [index, outcome] of outcomes.entries()) {
      if (!isRefusal(outcome)) continue;
      first ??= outcome;
      this.#errors.addRefusal(index, outcome);
    }
    if (first !== undefined) throw this.#errors.toAppError(first, this.#items);
  }

  #report({ written, drafts, repeated }: WriteOutcome): WriteReport {
    const { type, mode, asSingle } = this.#options;
    const message = asSingle === true ? `${describeWritten(mode, type)}.` : undefined;
    let next = 0;
    const results = this.#results.map((known, index): ItemResult => {
      if (typeof known !== "string") return known;
      const outcome = drafts[next++];
      if (outcome === undefined) throw new TypeError("the store returned no outcome for a draft");
      const item = { index, id: known };
      if (!isRefusal(outcome)) return { ...item, status: outcome, ...(message && { message }) };
      const refused = { ...item, status: "refused" } as const;
      if (asSingle === true) return { ...refused, ...partsOfError(singleError(type, outcome)) };
      const { code } = errorCatalogue[outcome];
      return { ...refused, code, message: describeRefusal(outcome, type) };
    });
    return { written, drafts, repeated: repeated === true, results };
  }
}

function idOf(type: RecordType, item: unknown): string | undefined {
  if (typeof item !== "object" || item === null || !Object.hasOwn(item, type.idField))
    return undefined;
  const id = (item as Record<string, unknown>)[type.idField];
  return typeof id === "string" && id.length <= limits.idCharactersMax ? id : undefined;
}

function partsOfError({
  code,
  message,
  errors,
}: AppError): Pick<ItemResult, "code" | "message" | "errors"> {
  return { code, message, ...(errors && { errors }) };
}

function isRefusal(outcome: DraftOutcome): outcome is RecordRefusal {
  return outcome !== "created" && outcome !== "updated" && outcome !== "unchanged";
}

function repeatsRecord(drafts: readonly Draft[]): boolean {
  return new Set(drafts.map(({ id }) => id)).size < drafts.length;
}

async function inOrder<Part, Outcome>(
  parts: readonly Part[],
  store: (part: Part) => Promise<Outcome>,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const part of parts) outcomes.push(await store(part));
  return outcomes;
}
