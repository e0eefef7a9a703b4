// A submitted item becomes a draft that can be stored, or the errors: a pure function of the item and its time of
// arrival, so that any thread can run it. A draft has the canonical form of its payload: equal content has equal text,
// whatever the order of the fields; nothing is added or altered, and only nulls without a meaning are omitted.

import type { FieldError } from "../error.ts";
import { orderFields } from "../json/canonical-order.ts";
import { limits } from "../limits.ts";
import type { Operation, Payload, RecordType } from "../record-type.ts";
import { timestampOf } from "../timestamp.ts";
import type { ErrorBudget } from "../validation/explain.ts";
import { validatePayload } from "../validation/validate.ts";
import type { Draft, Reference, WriteMode } from "./record-write.ts";

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

interface CanonicalOrder {
  readonly add: (payload: Payload) => Payload;
  readonly update: (payload: Payload) => Payload;
}

const canonicalOrders = new WeakMap<RecordType, CanonicalOrder>();

function canonicalOrderOf(type: RecordType): CanonicalOrder {
  let order = canonicalOrders.get(type);
  if (order === undefined) {
    order = {
      add: orderFields(type.addSchema),
      update: orderFields(type.updateSchema, { keepsNulls: true }),
    };
    canonicalOrders.set(type, order);
  }
  return order;
}

/** Lists stay as they were sent. A null stays in an update, where it clears the field. The payload must be valid. */
export function canonicalPayload(
  type: RecordType,
  payload: Payload,
  operation: Operation = "update",
): string {
  return JSON.stringify(canonicalOrderOf(type)[operation](payload));
}

/** True if canonical text has more UTF-8 bytes than a record may have. Short text is not counted. */
export function isTooLarge(canonical: string): boolean {
  const bytesAtMost = canonical.length * 3;
  if (bytesAtMost <= limits.recordBytesMax) return false;
  return Buffer.byteLength(canonical, "utf8") > limits.recordBytesMax;
}

/** Throws TypeError for an invalid payload, which is a mistake of the caller. */
export function makeDraft(
  type: RecordType,
  payload: Payload,
  operation: Operation = "update",
): Draft {
  const id = payload[type.idField];
  const timestamp = timestampOf(payload);
  if (typeof id !== "string" || timestamp === undefined) {
    throw new TypeError(`not the valid payload of a ${type.resourceType}`);
  }
  return {
    id,
    timestamp,
    payload: canonicalPayload(type, payload, operation),
    references: referencesOf(type, payload),
  };
}

const none: readonly Reference[] = [];

/** What the record belongs to or mentions according to the payload, each once. */
export function referencesOf(type: RecordType, payload: Payload): readonly Reference[] {
  if (type.relations.length === 0) return none;
  const references = new Map<string, Reference>();
  for (const { field, to, kind } of type.relations) {
    const value = payload[field];
    for (const id of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
      if (typeof id === "string") references.set(`${kind} ${to} ${id}`, { to, id, kind });
    }
  }
  return [...references.values()];
}
