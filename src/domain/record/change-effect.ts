// Finds what each change of a record changed: the fields whose value in the latest state differs from the value before.
// Pure.

import type { NormalisedTimestamp } from "../timestamp.ts";
import type { RecordType } from "../record-type.ts";
import { StateFold } from "./merge.ts";
import { timestampOf } from "./payload.ts";
import type { Change } from "./record-write.ts";

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
