// Folds the changes of a record into its latest state. The order in which changes arrived matters only between changes
// of the very same timestamp; changes are never altered.

import { timestampOf } from "./payload.ts";
import type { Payload, RecordType } from "./record-type.ts";
import type { Change } from "./record-write.ts";
import type { SchemaShape } from "./schema-shape.ts";
import type { NormalisedTimestamp } from "./timestamp.ts";

interface DatedChange {
  readonly timestamp: NormalisedTimestamp;
  readonly changeNo: number;
  readonly payload: Payload;
}

/**
 * Each field as the change with the latest timestamp holds it; at equal timestamps the later arrival wins. A null clears
 * an optional field, and is a value where the field is required. Fields that no change holds have their default, if any.
 */
export function mergeChanges(type: RecordType, changes: readonly Change[]): Payload {
  const latest = new Map<string, unknown>();
  for (const { payload } of changes.map(dated).sort(byTime)) {
    for (const [name, value] of Object.entries(payload)) latest.set(name, value);
  }
  const { properties, required }: SchemaShape = type.addSchema;
  const state: Record<string, unknown> = {};
  for (const name of type.fieldNames) {
    const held = latest.get(name);
    const value = held === null && !required.includes(name) ? undefined : held;
    const settled = value === undefined ? properties[name]?.default : value;
    if (settled !== undefined) state[name] = settled;
  }
  return state;
}

function dated(change: Change): DatedChange {
  const payload: Payload = JSON.parse(change.payload);
  const timestamp = timestampOf(payload);
  if (timestamp === undefined) throw new TypeError("a stored change has no valid timestamp");
  return { timestamp, changeNo: change.changeNo, payload };
}

function byTime(one: DatedChange, other: DatedChange): number {
  if (one.timestamp === other.timestamp) return one.changeNo - other.changeNo;
  return one.timestamp < other.timestamp ? -1 : 1;
}
