// Reads a submitted item: the result is a draft that can be stored, or the errors. A pure function of the item and its
// time of arrival, so that any thread can run it.

import type { FieldError } from "../error.ts";
import type { ErrorBudget } from "../validation/explain.ts";
import { limits } from "../limits.ts";
import { isTooLarge, makeDraft } from "./payload.ts";
import type { Payload, RecordType } from "../record-type.ts";
import type { Draft, WriteMode } from "./record-write.ts";
import { validatePayload } from "../validation/validate.ts";

export interface SubmissionContext {
  readonly mode: WriteMode;
  /** Unix milliseconds of arrival. */
  readonly now: number;
  /** The first day of timestamps. */
  readonly timestampMin?: string | undefined;
  /** One for all items of a request. */
  readonly budget?: ErrorBudget | undefined;
}

export interface InvalidItem {
  readonly errorName: "validation_failed" | "too_large";
  readonly errors: readonly FieldError[];
}

export function isInvalid(read: Draft | InvalidItem): read is InvalidItem {
  return "errorName" in read;
}

export function readSubmission(
  type: RecordType,
  item: unknown,
  { mode, now, timestampMin, budget }: SubmissionContext,
): Draft | InvalidItem {
  const operation = mode === "update" ? "update" : "add";
  const errors = validatePayload(type, operation, item, { now, timestampMin, budget });
  if (errors.length > 0) return { errorName: "validation_failed", errors };
  const draft = makeDraft(type, item as Payload, operation);
  return isTooLarge(draft.payload) ? tooLargeItem : draft;
}

export const tooLargeItem: InvalidItem = {
  errorName: "too_large",
  errors: [
    { message: `must be at most ${limits.recordBytesMax} bytes as JSON; split or shorten it` },
  ],
};
