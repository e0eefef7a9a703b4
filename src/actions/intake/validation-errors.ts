// The validation errors of the items of a request, as its reply lists them: the first ones, and how many there are.

import { AppError, errorCatalogue, type FieldError } from "../../domain/error.ts";
import { errorsMax, limits } from "../../domain/limits.ts";
import { nounOf, type RecordType } from "../../domain/record-type.ts";
import type { RecordRefusal, WriteMode } from "../../domain/record/record-write.ts";

export type RefusalName = "validation_failed" | "too_large" | RecordRefusal;

export interface ErrorContext {
  readonly type: RecordType;
  /** True when the body was one object, so that field paths have no index. */
  readonly single: boolean;
}

export class ValidationErrors {
  readonly #context: ErrorContext;
  readonly #listed: FieldError[] = [];
  #items = 0;
  #errors = 0;
  /** False once an item has as many errors as are counted. */
  #countable = true;

  constructor(context: ErrorContext) {
    this.#context = context;
  }

  get items(): number {
    return this.#items;
  }

  add(index: number, errors: readonly FieldError[]): void {
    this.#items += 1;
    this.#errors += errors.length;
    this.#countable &&= errors.length < errorsMax;
    for (const error of errors) {
      if (this.#listed.length === limits.fieldErrorsMax) return;
      this.#listed.push(this.#context.single ? error : inList(index, error));
    }
  }

  /** For one object the error needs no message, because the message of the reply gives the reason. */
  addRefusal(index: number, name: RecordRefusal): void {
    const { single, type } = this.#context;
    const field = type.idField;
    this.add(index, [single ? { field } : { field, message: describeRefusal(name, type) }]);
  }

  toAppError(name: RefusalName, itemCount: number): AppError {
    const { single, type } = this.#context;
    const verb = this.#items === 1 ? "was" : "were";
    const what = single
      ? describeRefusal(name, type)
      : `${this.#items} of ${itemCount} items ${verb} refused; nothing was written.`;
    return new AppError(name, { message: what + this.#more(), errors: this.#listed });
  }

  /** Returns a sentence about the errors that are not listed; empty if all are. */
  #more(): string {
    const { length } = this.#listed;
    if (this.#errors === length) return "";
    const atLeast = this.#countable ? "" : "at least ";
    return ` The first ${length} errors are listed; there are ${atLeast}${this.#errors - length} more.`;
  }
}

export function singleError(
  type: RecordType,
  name: RefusalName,
  invalid?: readonly FieldError[],
): AppError {
  if (name === "idempotency_reused") return new AppError(name);
  const errors = new ValidationErrors({ type, single: true });
  errors.add(0, invalid ?? [{ field: type.idField }]);
  return errors.toAppError(name, 1);
}

export const pastTenseOf = { add: "added", append: "created", update: "updated" } as const;

/** `1 transaction was added`. */
export function describeWritten(mode: WriteMode, type: RecordType): string {
  return `1 ${nounOf(type)} was ${pastTenseOf[mode]}`;
}

function inList(index: number, error: FieldError): FieldError {
  const { field } = error;
  if (field === undefined || field === "") return { ...error, field: `[${index}]` };
  return { ...error, field: `[${index}].${field}` };
}

export function describeRefusal(name: RefusalName, type: RecordType): string {
  return sentences[name](nounOf(type), type.idField);
}

const sentences: Readonly<Record<RefusalName, (noun: string, idField: string) => string>> = {
  validation_failed: (noun) => `The ${noun} is not valid.`,
  too_large: (noun) => `The ${noun} is too large.`,
  identical_record_exists: (noun) => `An identical ${noun} exists already; there is nothing to do.`,
  record_exists: (noun, idField) =>
    `A different ${noun} with this ${idField} exists already; use PUT to update it.`,
  no_such_record: (noun, idField) => `There is no ${noun} with this ${idField}.`,
  idempotency_reused: () => errorCatalogue.idempotency_reused.message,
  deletion_open: (noun) =>
    `A deletion of this ${noun} is open; it can be written again once that is completed.`,
};
