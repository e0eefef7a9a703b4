// When a report was filed, by the latest state of its field `report_filed_at`: from this time on a retention floor may
// count.

import { timestampOf } from "../record/payload.ts";
import type { Payload, RecordType } from "../record-type.ts";
import type { Change } from "../record/record-write.ts";
import { normaliseTimestamp, type NormalisedTimestamp } from "../timestamp.ts";

const field = "report_filed_at";

export function hasFilingTime({ fieldNames }: Pick<RecordType, "fieldNames">): boolean {
  return fieldNames.includes(field);
}

/** Accepts changes in parts, in any order. Stores only the latest value of the field. */
export class FiledAt {
  #latest:
    | {
        readonly timestamp: NormalisedTimestamp;
        readonly changeNo: number;
        readonly value: unknown;
      }
    | undefined;

  /** Returns how many there were. */
  addAll(changes: readonly Pick<Change, "changeNo" | "payload">[]): number {
    for (const change of changes) this.#add(change);
    return changes.length;
  }

  #add({ changeNo, payload: text }: Pick<Change, "changeNo" | "payload">): void {
    // Nearly every other field changes more often.
    if (!text.includes(field)) return;
    const payload: Payload = JSON.parse(text);
    if (!Object.hasOwn(payload, field)) return;
    const timestamp = timestampOf(payload);
    if (timestamp === undefined) throw new TypeError("a stored change has no valid timestamp");
    const before = this.#latest;
    // At equal timestamps the last arrival wins, as in the fold of the record.
    const isLater =
      before === undefined ||
      timestamp > before.timestamp ||
      (timestamp === before.timestamp && changeNo > before.changeNo);
    if (isLater) this.#latest = { timestamp, changeNo, value: payload[field] };
  }

  /** Undefined if the report is not filed, or the time was cleared. */
  end(): NormalisedTimestamp | undefined {
    const value = this.#latest?.value;
    return typeof value === "string" ? normaliseTimestamp(value) : undefined;
  }
}
