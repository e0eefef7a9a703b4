// Adds, appends or updates records of one type: validates each, hands what is valid to the store, and says what
// became of each. A strict request is all or nothing; in a lenient one each item stands alone.

import { AppError, errorCatalogue, type ErrorCode, type FieldError } from "../domain/error.ts";
import { makeErrorBudget } from "../domain/explain.ts";
import { errorsMax, limits } from "../domain/limits.ts";
import { nounOf, type RecordType } from "../domain/record-type.ts";
import type {
  Draft,
  DraftOutcome,
  IdempotencyMark,
  RecordRefusal,
  WriteMode,
  WriteOutcome,
} from "../domain/record-write.ts";
import { type InvalidItem, isInvalid, readSubmission } from "../domain/submission.ts";
import type { App } from "./app.ts";

export interface WriteRequest {
  readonly organizationId: string;
  readonly type: RecordType;
  readonly mode: WriteMode;
  readonly lenient: boolean;
  /** True when the body was one object, so that field paths have no index. */
  readonly single: boolean;
  readonly items: readonly unknown[];
  readonly idempotency?: IdempotencyMark | undefined;
}

export interface ItemResult {
  readonly index: number;
  readonly id: string | undefined;
  readonly status: "created" | "updated" | "unchanged" | "refused";
  readonly code?: ErrorCode;
  readonly message?: string;
  readonly errors?: readonly FieldError[];
}

export interface WriteReport {
  readonly written: number;
  readonly drafts: readonly DraftOutcome[];
  /** True for what an earlier request with the same Idempotency-Key has written. */
  readonly repeated: boolean;
  /** An entry an item; only for lenient requests. */
  readonly results: readonly ItemResult[] | undefined;
}

/**
 * Throws validation_failed or too_large (before anything is written), no_such_record, identical_record_exists,
 * record_exists, deletion_open (strict: nothing was written), idempotency_reused, idempotency_in_flight.
 */
export function writeRecords(app: App, request: WriteRequest): Promise<WriteReport> {
  return request.lenient ? writeLenient(app, request) : writeStrict(app, request);
}

/** What a request says of all its items. It is kept while the store writes; the items are not, for they weigh much more. */
type Manner = Omit<WriteRequest, "items"> & { readonly itemCount: number };

function writeStrict(app: App, request: WriteRequest): Promise<WriteReport> {
  const { organizationId, type, mode, lenient, single, items, idempotency } = request;
  const itemCount = items.length;
  const manner = { organizationId, type, mode, lenient, single, itemCount, idempotency };
  let drafts: readonly Draft[];
  try {
    drafts = readAll(app, manner, items);
  } catch (error) {
    return Promise.reject(error);
  }
  return storeStrict(app, manner, drafts);
}

function readAll(app: App, manner: Manner, items: readonly unknown[]): readonly Draft[] {
  const context = { mode: manner.mode, now: app.now(), budget: makeErrorBudget() };
  const drafts: Draft[] = [];
  const faults = new Faults(manner.single);
  let tooLarge = false;
  let index = 0;
  for (const item of items) {
    const judged = readSubmission(manner.type, item, context);
    if (isInvalid(judged)) {
      tooLarge ||= judged.errorName === "too_large";
      faults.add(index, judged.errors);
    } else drafts.push(judged);
    index += 1;
  }
  if (faults.items === 0) return drafts;
  throw refusal(tooLarge ? "too_large" : "validation_failed", faults, manner);
}

/** Not `async`, so that nothing holds on to the drafts while they are written. */
function storeStrict(app: App, manner: Manner, drafts: readonly Draft[]): Promise<WriteReport> {
  return store(app, manner, drafts).then(({ written, drafts: outcomes, repeated = false }) => {
    throwIfRefused(manner, outcomes);
    return { written, drafts: outcomes, repeated, results: undefined };
  });
}

async function writeLenient(app: App, request: WriteRequest): Promise<WriteReport> {
  const { type, items } = request;
  const context = { mode: request.mode, now: app.now(), budget: makeErrorBudget() };
  const judgedItems = items.map((item) => readSubmission(type, item, context));
  const drafts = judgedItems.filter((judged): judged is Draft => !isInvalid(judged));
  const nothing: WriteOutcome = { written: 0, drafts: [] };
  // With nothing to store there may still be an Idempotency-Key to keep, for the reply is one of success.
  const isEmpty = drafts.length === 0 && request.idempotency === undefined;
  const stored = isEmpty ? nothing : await store(app, request, drafts);
  const { written, drafts: outcomes, repeated = false } = stored;
  let next = 0;
  const results = judgedItems.map((judged, index): ItemResult => {
    if (isInvalid(judged)) return refusedItem(type, { index, item: items[index], judged });
    return outcomeItem(type, { index, id: judged.id, outcome: outcomes[next++] });
  });
  return { written, drafts: outcomes, repeated, results };
}

function store(app: App, request: Omit<WriteRequest, "items">, drafts: readonly Draft[]) {
  return app.inFlight.run(request.idempotency, () =>
    app.store.writeRecords({
      organizationId: request.organizationId,
      resourceType: request.type.resourceType,
      mode: request.mode,
      lenient: request.lenient,
      drafts,
      receivedAt: app.now(),
      idempotency: request.idempotency,
    }),
  );
}

/** What is wrong with the items of a strict request: the first errors, and how many there are of all. */
class Faults {
  readonly listed: FieldError[] = [];
  items = 0;
  #errors = 0;
  #countable = true;
  readonly #single: boolean;

  constructor(single: boolean) {
    this.#single = single;
  }

  add(index: number, errors: readonly FieldError[]): void {
    this.items += 1;
    this.#errors += errors.length;
    this.#countable &&= errors.length < errorsMax;
    for (const error of errors) {
      if (this.listed.length === limits.fieldErrorsMax) return;
      this.listed.push(this.#single ? error : inList(index, error));
    }
  }

  /** A sentence on the errors that are not listed; empty if all are. */
  more(): string {
    const { length } = this.listed;
    if (this.#errors === length) return "";
    const more = this.#countable ? `${this.#errors - length} more` : "more";
    return ` The first ${length} errors are listed; there are ${more}.`;
  }
}

function inList(index: number, error: FieldError): FieldError {
  const { field } = error;
  if (field === undefined || field === "") return { ...error, field: `[${index}]` };
  return { ...error, field: `[${index}].${field}` };
}

function refusal(name: RefusalName, faults: Faults, request: Manner): AppError {
  const { items, listed: errors } = faults;
  const what = request.single
    ? sentence(name, request.type)
    : `${items} of ${request.itemCount} items ${items === 1 ? "was" : "were"} refused; nothing was written.`;
  return new AppError(name, { message: what + faults.more(), errors });
}

function throwIfRefused(request: Manner, outcomes: readonly DraftOutcome[]): void {
  if (!outcomes.some(isRefusal)) return;
  const faults = new Faults(request.single);
  let first: RecordRefusal | undefined;
  for (const [index, outcome] of outcomes.entries()) {
    if (!isRefusal(outcome)) continue;
    first ??= outcome;
    faults.add(index, [{ field: request.type.idField, message: sentence(outcome, request.type) }]);
  }
  if (first !== undefined) throw refusal(first, faults, request);
}

function refusedItem(
  type: RecordType,
  { index, item, judged }: { index: number; item: unknown; judged: InvalidItem },
): ItemResult {
  const { code } = errorCatalogue[judged.errorName];
  const id = idOf(type, item);
  const errors = judged.errors.slice(0, limits.fieldErrorsMax);
  const more =
    errors.length === judged.errors.length
      ? ""
      : ` The first ${errors.length} errors are listed; there are more.`;
  const message = sentence(judged.errorName, type) + more;
  return { index, id, status: "refused", code, message, errors };
}

function outcomeItem(
  type: RecordType,
  { index, id, outcome }: { index: number; id: string; outcome: DraftOutcome | undefined },
): ItemResult {
  if (outcome === undefined) throw new Error("the store gave no outcome for a draft");
  if (!isRefusal(outcome)) return { index, id, status: outcome };
  const { code } = errorCatalogue[outcome];
  return { index, id, status: "refused", code, message: sentence(outcome, type) };
}

function idOf(type: RecordType, item: unknown): string | undefined {
  if (typeof item !== "object" || item === null || !Object.hasOwn(item, type.idField))
    return undefined;
  const id = (item as Record<string, unknown>)[type.idField];
  return typeof id === "string" && id.length <= limits.idCharactersMax ? id : undefined;
}

function isRefusal(outcome: DraftOutcome): outcome is RecordRefusal {
  return outcome !== "created" && outcome !== "updated" && outcome !== "unchanged";
}

type RefusalName = "validation_failed" | "too_large" | RecordRefusal;

function sentence(name: RefusalName, type: RecordType): string {
  return sentences[name](nounOf(type), type.idField);
}

const sentences: Readonly<Record<RefusalName, (noun: string, idField: string) => string>> = {
  validation_failed: (noun) => `The ${noun} is not valid.`,
  too_large: (noun) => `The ${noun} is too large.`,
  identical_record_exists: (noun) => `An identical ${noun} exists already; there is nothing to do.`,
  record_exists: (noun, idField) =>
    `A different ${noun} with this ${idField} exists already; use PUT to update it.`,
  no_such_record: (noun, idField) => `There is no ${noun} with this ${idField}.`,
  deletion_open: (noun) =>
    `A deletion of this ${noun} is open; it can be written again once that is completed.`,
};
