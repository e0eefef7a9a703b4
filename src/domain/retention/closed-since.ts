// Since when a record is closed, such as the account of a customer: from this time on a retention floor may count. A
// record that was opened again counts from its last closing.

import { timestampOf } from "../record/payload.ts";
import type { Payload, RecordType } from "../record-type.ts";
import type { Change } from "../record/record-write.ts";
import type { NormalisedTimestamp } from "../timestamp.ts";

interface Statement {
  readonly timestamp: NormalisedTimestamp;
  readonly changeNo: number;
  readonly fields: Payload;
}

/** Accepts changes in parts, in any order. Stores only what the `closed` of the type names. */
export class ClosedSince {
  readonly #conditions: NonNullable<RecordType["closed"]>;
  readonly #statements: Statement[] = [];

  constructor({ closed = [] }: Pick<RecordType, "closed">) {
    this.#conditions = closed;
  }

  /** Returns how many there were. */
  addAll(changes: readonly Pick<Change, "changeNo" | "payload">[]): number {
    for (const change of changes) this.#add(change);
    return changes.length;
  }

  #add({ changeNo, payload: text }: Pick<Change, "changeNo" | "payload">): void {
    const payload: Payload = JSON.parse(text);
    const named = this.#conditions.filter(({ field }) => Object.hasOwn(payload, field));
    if (named.length === 0) return;
    const timestamp = timestampOf(payload);
    if (timestamp === undefined) throw new TypeError("a stored change has no valid timestamp");
    const fields = Object.fromEntries(named.map(({ field }) => [field, payload[field]]));
    this.#statements.push({ timestamp, changeNo, fields });
  }

  /** Returns the timestamp of the change since which the folded state is closed; undefined if it is not closed. */
  end(): NormalisedTimestamp | undefined {
    const inOrder = this.#statements.sort(compareStatements);
    const state: Record<string, unknown> = {};
    let since: NormalisedTimestamp | undefined;
    for (const [index, { timestamp, fields }] of inOrder.entries()) {
      Object.assign(state, fields);
      // At equal timestamps the last arrival wins, as in the fold of the record.
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

function compareStatements(one: Statement, other: Statement): number {
  if (one.timestamp !== other.timestamp) return one.timestamp < other.timestamp ? -1 : 1;
  return one.changeNo - other.changeNo;
}
