// Which records of an organization retention has read, and from when one of them can be due, part by part: nothing is
// read again before that. A record that arrives or changes is found within a day, one that was kept within an hour.
// Kept in memory only, so everything is read once after a start.

import { dayMs, hourMs } from "../../basics/duration.ts";
import type { RecordKey } from "../../domain/record/record-write.ts";
import type { RetentionBounds } from "../../domain/retention/ceiling.ts";
import type { ExpiredPart } from "../../store/interface/retention.ts";

/** If an organization has more parts, neighbours are joined. */
const partsMax = 50_000;

/** The records after one key and up to another one; undefined: from the beginning, and to the end. */
export interface RecordRange {
  readonly after: RecordKey | undefined;
  readonly upTo: RecordKey | undefined;
}

interface Part extends RecordRange {
  readonly dueFrom: number;
}

const unread: Part = { after: undefined, upTo: undefined, dueFrom: 0 };

export class ExpiryMarks {
  #bounds = "";
  /** In the order of their keys; together they contain all records. */
  #parts: Part[] = [unread];
  #index = 0;

  /** The first range that may contain a record that is due, at or after the last one; undefined if there is none. */
  next(now: number, isFirst: boolean): RecordRange | undefined {
    if (isFirst) this.#index = 0;
    // A clock that was put back must not keep a part unread.
    const mayBeDue = ({ dueFrom }: Part) => dueFrom <= now || dueFrom > now + dayMs;
    const found = this.#parts.findIndex((part, index) => index >= this.#index && mayBeDue(part));
    this.#index = found === -1 ? this.#parts.length : found;
    return this.#parts[this.#index];
  }

  /** By other rules every record may be due, so all are read again. */
  use(bounds: RetentionBounds): void {
    const text = JSON.stringify(bounds);
    if (text === this.#bounds) return;
    this.#bounds = text;
    this.#parts = [unread];
    this.#index = 0;
  }

  /** Stores the result for the last range. */
  add({ expired, next, dueFrom, isEmpty }: ExpiredPart, now: number): void {
    const part = this.#parts[this.#index] ?? unread;
    const retryAt = expired.length > 0 ? now + hourMs : now + dayMs;
    const read = {
      after: part.after,
      upTo: next ?? part.upTo,
      dueFrom: Math.min(dueFrom, retryAt),
    };
    const before = this.#parts[this.#index - 1];
    if (next !== undefined) this.#parts.splice(this.#index, 1, read, { ...part, after: next });
    else if (!isEmpty || before === undefined) this.#parts[this.#index] = read;
    else {
      this.#parts.splice(this.#index - 1, 2, { ...before, upTo: part.upTo });
      this.#index -= 1;
    }
    this.#index += 1;
    if (this.#parts.length > partsMax) this.#join();
  }

  #join(): void {
    const joined: Part[] = [];
    for (let at = 0; at < this.#parts.length; at += 2) {
      const [one = unread, other = one] = this.#parts.slice(at, at + 2);
      const dueFrom = Math.min(one.dueFrom, other.dueFrom);
      joined.push({ after: one.after, upTo: other.upTo, dueFrom });
    }
    this.#parts = joined;
    this.#index = Math.floor(this.#index / 2);
  }
}
