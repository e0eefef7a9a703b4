// Folds the changes of a record into its latest state, and says what each change did. The order of arrival matters only
// between changes with equal timestamps; changes are never altered. The state may break rules that each change
// satisfies.

import type { Payload, RecordType } from "../record-type.ts";
import type { Change } from "./record-write.ts";
import { type NormalisedTimestamp, timestampOf } from "../timestamp.ts";

interface ParsedChange {
  readonly change: Change;
  readonly payload: Payload;
}

interface DatedChange extends ParsedChange {
  readonly timestamp: NormalisedTimestamp;
}

/** Fields of which a record has at most one, and the latest change with any of them. */
interface ExclusiveFields {
  readonly fields: readonly string[];
  latestSet: DatedChange | undefined;
}

function fieldSet(fields: readonly string[], { payload }: ParsedChange): string | undefined {
  return fields.find((field) => (payload[field] ?? undefined) !== undefined);
}

/** See StateFold. */
export function mergeChanges(type: RecordType, changes: readonly Change[]): Payload {
  const fold = new StateFold(type);
  for (const change of changes) fold.add(change);
  return fold.state();
}

/**
 * Accepts changes one by one, in any order, and stores only those that still matter. Each field has the value of the
 * change with the latest timestamp; at equal timestamps the later arrival wins. A null clears an optional field, and is
 * a value of a required one. If fields exclude each other, only the one that was set last has a value: setting it
 * clears the others. Fields that are in no change have their default, if any.
 */
export class StateFold {
  readonly #type: RecordType;
  /** The only change so far. Most records have no other, and a single one has to be compared with nothing. */
  #only: ParsedChange | undefined;
  #merged: MergedChanges | undefined;

  constructor(type: RecordType) {
    this.#type = type;
  }

  add(change: Change): void {
    const added: ParsedChange = { change, payload: JSON.parse(change.payload) as Payload };
    if (this.#merged === undefined && this.#only === undefined) {
      this.#only = added;
      return;
    }
    this.#merged ??= new MergedChanges(this.#type);
    if (this.#only !== undefined) this.#merged.add(this.#only);
    this.#only = undefined;
    this.#merged.add(added);
  }

  state(): Payload {
    const { fields, exclusive } = foldingOf(this.#type);
    const only = this.#only && dated(this.#only);
    const merged = this.#merged;
    const state: Record<string, unknown> = {};
    for (const { name, isRequired, initial } of fields) {
      const held = (only ?? merged?.latest.get(name))?.payload[name];
      const value = held === null && !isRequired ? undefined : held;
      const folded = value === undefined ? initial : value;
      if (folded !== undefined) state[name] = folded;
    }
    for (const [index, group] of exclusive.entries()) {
      const set = only ?? merged?.groups[index]?.latestSet;
      const shown = set === undefined ? undefined : fieldSet(group, set);
      for (const field of group) if (field !== shown) delete state[field];
    }
    return state;
  }

  /** Returns the changes that determine fields, in the order of arrival. Folding them gives the same state. */
  sources(): readonly Change[] {
    if (this.#only !== undefined) return [this.#only.change];
    return this.#merged?.sources() ?? [];
  }
}

class MergedChanges {
  readonly latest = new Map<string, DatedChange>();
  readonly groups: readonly ExclusiveFields[];

  constructor(type: RecordType) {
    this.groups = foldingOf(type).exclusive.map((fields) => ({ fields, latestSet: undefined }));
  }

  add(change: ParsedChange): void {
    const added = dated(change);
    for (const name of Object.keys(added.payload)) {
      const held = this.latest.get(name);
      if (held === undefined || isLater(added, held)) this.latest.set(name, added);
    }
    for (const group of this.groups) {
      if (fieldSet(group.fields, added) === undefined) continue;
      if (group.latestSet === undefined || isLater(added, group.latestSet)) group.latestSet = added;
    }
  }

  sources(): readonly Change[] {
    const shown = [...this.latest.values(), ...this.groups.map(({ latestSet }) => latestSet)];
    const changes = new Set(shown.flatMap((one) => (one === undefined ? [] : [one.change])));
    return [...changes].sort((one, other) => one.changeNo - other.changeNo);
  }
}

interface Folding {
  readonly fields: readonly {
    readonly name: string;
    readonly isRequired: boolean;
    readonly initial: unknown;
  }[];
  readonly exclusive: readonly (readonly string[])[];
}

const foldings = new WeakMap<RecordType, Folding>();

function foldingOf(type: RecordType): Folding {
  let folding = foldings.get(type);
  if (folding === undefined) {
    const { properties, required = [] } = type.addSchema;
    const fields = type.fieldNames.map((name) => ({
      name,
      isRequired: required.includes(name),
      initial: properties[name]?.default,
    }));
    const exclusive = type.rules.flatMap((rule) =>
      rule.exclusive === undefined ? [] : [rule.exclusive],
    );
    folding = { fields, exclusive };
    foldings.set(type, folding);
  }
  return folding;
}

function dated({ change, payload }: ParsedChange): DatedChange {
  const timestamp = timestampOf(payload);
  if (timestamp === undefined) throw new TypeError("a stored change has no valid timestamp");
  return { timestamp, change, payload };
}

function isLater(one: DatedChange, other: DatedChange): boolean {
  if (one.timestamp === other.timestamp) return one.change.changeNo >= other.change.changeNo;
  return one.timestamp > other.timestamp;
}

/** Undefined: the field had no value, or has none now. */
export interface FieldEffect {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface ChangeEffect {
  readonly changeNo: number;
  readonly receivedAt: number;
  /** The business time of the change. */
  readonly happenedAt: NormalisedTimestamp;
  /** Empty for a change without effect: it repeats the state, or later changes have already set its fields. */
  readonly fields: readonly FieldEffect[];
}

/** In the order of arrival. `earlier`: the changes before these, whose values are compared with theirs. */
export function findEffects(
  type: RecordType,
  changes: readonly Change[],
  earlier: readonly Change[],
): readonly ChangeEffect[] {
  const fold = new StateFold(type);
  for (const change of earlier) fold.add(change);
  let before = fold.state();
  return changes.map((change) => {
    fold.add(change);
    const after = fold.state();
    const names = type.fieldNames.filter((name) => isContentField(type, name));
    const fields = names
      .map((field) => ({ field, before: before[field], after: after[field] }))
      .filter((one) => JSON.stringify(one.before) !== JSON.stringify(one.after));
    before = after;
    const { changeNo, receivedAt, payload } = change;
    return { changeNo, receivedAt, happenedAt: timestampOf(JSON.parse(payload)) ?? "", fields };
  });
}

/** Whether a field is content. The id, which all changes share, and the timestamp of the change are not. */
export function isContentField({ idField }: RecordType, name: string): boolean {
  return name !== idField && name !== "timestamp";
}

/** Returns the summary of each rule that the state breaks, as a sentence. */
export function brokenRules({ rules }: RecordType, state: Payload): readonly string[] {
  return rules.filter((rule) => rule.check(state).length > 0).map(({ summary }) => summary);
}
