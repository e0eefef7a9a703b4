// Folds the changes of a record into its latest state. The order of arrival matters only between changes with equal timestamps;
// changes are never altered. The state may break rules that each change satisfies.

import { timestampOf } from "./payload.ts";
import type { Payload, RecordType } from "../record-type.ts";
import type { Change } from "./record-write.ts";
import type { NormalisedTimestamp } from "../timestamp.ts";

interface DatedChange {
  readonly timestamp: NormalisedTimestamp;
  readonly change: Change;
  readonly payload: Payload;
}

/** Fields of which a record has at most one, and the latest change with any of them. */
interface ExclusiveFields {
  readonly fields: readonly string[];
  latestSet: DatedChange | undefined;
}

function fieldSet({ fields }: ExclusiveFields, { payload }: DatedChange): string | undefined {
  return fields.find((field) => (payload[field] ?? undefined) !== undefined);
}

/** See StateFold. */
export function mergeChanges(type: RecordType, changes: readonly Change[]): Payload {
  const fold = new StateFold(type);
  for (const change of changes) fold.add(change);
  return fold.state();
}

/**
 * Accepts changes one by one, in any order, and stores only those that still count. Each field has the value of the change with
 * the latest timestamp; at equal timestamps the later arrival wins. A null clears an optional field, and is a value of a
 * required one. Of fields that exclude each other, only the one that was set last has a value: setting it clears the others.
 * Fields that are in no change have their default, if any.
 */
export class StateFold {
  readonly #type: RecordType;
  /** The change that determines each field. */
  readonly #latest = new Map<string, DatedChange>();
  readonly #groups: readonly ExclusiveFields[];

  constructor(type: RecordType) {
    this.#type = type;
    this.#groups = type.rules.flatMap(({ exclusive }) =>
      exclusive === undefined ? [] : [{ fields: exclusive, latestSet: undefined }],
    );
  }

  add(change: Change): void {
    const added = dated(change);
    for (const name of Object.keys(added.payload)) {
      const held = this.#latest.get(name);
      if (held === undefined || isLater(added, held)) this.#latest.set(name, added);
    }
    for (const group of this.#groups) {
      if (fieldSet(group, added) === undefined) continue;
      if (group.latestSet === undefined || isLater(added, group.latestSet)) group.latestSet = added;
    }
  }

  state(): Payload {
    const { properties, required = [] } = this.#type.addSchema;
    const state: Record<string, unknown> = {};
    for (const name of this.#type.fieldNames) {
      const held = this.#latest.get(name)?.payload[name];
      const value = held === null && !required.includes(name) ? undefined : held;
      const merged = value === undefined ? properties[name]?.default : value;
      if (merged !== undefined) state[name] = merged;
    }
    for (const group of this.#groups) {
      const shown = group.latestSet === undefined ? undefined : fieldSet(group, group.latestSet);
      for (const field of group.fields) if (field !== shown) delete state[field];
    }
    return state;
  }

  /** Returns the changes that determine fields, in the order of arrival. Folding them gives the same state. */
  sources(): readonly Change[] {
    const shown = [...this.#latest.values(), ...this.#groups.map(({ latestSet }) => latestSet)];
    const changes = new Set(shown.flatMap((one) => (one === undefined ? [] : [one.change])));
    return [...changes].sort((one, other) => one.changeNo - other.changeNo);
  }
}

function dated(change: Change): DatedChange {
  const payload: Payload = JSON.parse(change.payload);
  const timestamp = timestampOf(payload);
  if (timestamp === undefined) throw new TypeError("a stored change has no valid timestamp");
  return { timestamp, change, payload };
}

function isLater(one: DatedChange, other: DatedChange): boolean {
  if (one.timestamp === other.timestamp) return one.change.changeNo >= other.change.changeNo;
  return one.timestamp > other.timestamp;
}
