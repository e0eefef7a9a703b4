// The canonical form of a payload, and the draft made from it. Equal content has equal text, whatever the order of the
// fields; nothing is added or altered, and only nulls without a meaning are omitted.

import { orderFields } from "../json/canonical-order.ts";
import { limits } from "../limits.ts";
import type { Operation, Payload, RecordType } from "../record-type.ts";
import type { Draft, Reference } from "./record-write.ts";
import { normaliseTimestamp } from "../timestamp.ts";

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

/** `field` may be another one that has a time. */
export function timestampOf(payload: Payload, field = "timestamp"): string | undefined {
  const sent = payload[field];
  return typeof sent === "string" ? normaliseTimestamp(sent) : undefined;
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
