// From when a floor or a ceiling of a record counts, if not from when it was last seen: its closing, such as that of
// the account of a customer, or the filing of a report.

import type { Payload, RecordType } from "../record-type.ts";
import type { Change } from "../record/record-write.ts";
import { normaliseTimestamp, type NormalisedTimestamp, timestampOf } from "../timestamp.ts";

/** What a change says about the fields that decide. */
interface Statement {
  readonly timestamp: NormalisedTimestamp;
  readonly changeNo: number;
  readonly fields: Payload;
}

type StatedChange = Pick<Change, "changeNo" | "payload">;

/** Accepts changes in parts, in any order. Stores only what they say about some fields. */
class Statements {
  readonly #names: readonly string[];
  readonly #all: Statement[] = [];

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  /** Returns how many there were. */
  addAll(changes: readonly StatedChange[]): number {
    for (const change of changes) this.#add(change);
    return changes.length;
  }

  #add({ changeNo, payload: text }: StatedChange): void {
    // Nearly every other field changes more often.
    if (!this.#names.some((name) => text.includes(name))) return;
    const payload: Payload = JSON.parse(text);
    const named = this.#names.filter((name) => Object.hasOwn(payload, name));
    if (named.length === 0) return;
    const timestamp = timestampOf(payload);
    if (timestamp === undefined) throw new TypeError("a stored change has no valid timestamp");
    const fields = Object.fromEntries(named.map((name) => [name, payload[name]]));
    this.#all.push({ timestamp, changeNo, fields });
  }

  /** At equal timestamps the last arrival comes last, as in the fold of the record. */
  protected inOrder(): readonly Statement[] {
    return this.#all.sort((one, other) => {
      if (one.timestamp !== other.timestamp) return one.timestamp < other.timestamp ? -1 : 1;
      return one.changeNo - other.changeNo;
    });
  }
}

/** Finds since when a record is closed. One that was opened again counts from its last closing. */
export class ClosedSince extends Statements {
  readonly #conditions: NonNullable<RecordType["closed"]>;

  constructor({ closed = [] }: Pick<RecordType, "closed">) {
    super(closed.map(({ field }) => field));
    this.#conditions = closed;
  }

  /** The timestamp of the change since which the folded state is closed; undefined if it is not closed. */
  end(): NormalisedTimestamp | undefined {
    const inOrder = this.inOrder();
    const state: Record<string, unknown> = {};
    let since: NormalisedTimestamp | undefined;
    for (const [index, { timestamp, fields }] of inOrder.entries()) {
      Object.assign(state, fields);
      if (inOrder[index + 1]?.timestamp === timestamp) continue;
      const isClosed = this.#conditions.some(({ field, is, unless }) => {
        const isDecided = unless !== undefined && (state[unless] ?? null) !== null;
        return state[field] === is && !isDecided;
      });
      since = isClosed ? (since ?? timestamp) : undefined;
    }
    return since;
  }
}

export const filingField = "report_filed_at";

export function hasFilingTime({ fieldNames }: Pick<RecordType, "fieldNames">): boolean {
  return fieldNames.includes(filingField);
}

/** When a report was filed, by the latest state of its field. */
export class FiledAt extends Statements {
  constructor() {
    super([filingField]);
  }

  /** Undefined if the report is not filed, or the time was cleared. */
  end(): NormalisedTimestamp | undefined {
    const value = this.inOrder().at(-1)?.fields[filingField];
    return typeof value === "string" ? normaliseTimestamp(value) : undefined;
  }
}
