// The refusals of this process over the last day, hour by hour: error codes by record type, field and API key. Memory
// is bounded, whatever clients send; the counts end with the process. Never contains content.

import { hourMs } from "../basics/duration.ts";
import type { Refused } from "../http/reply/refusals.ts";

export interface Refusal {
  readonly code: number;
  /** Undefined if the request had no type. */
  readonly resourceType: string | undefined;
  /** A JSON Pointer without indexes; empty for the whole record or request. */
  readonly field: string;
  /** Undefined where the caller is unknown. */
  readonly organizationId: string | undefined;
  readonly keyId: string | undefined;
  readonly count: number;
  /** Unix milliseconds: the time of the latest refusal. */
  readonly at: number;
}

export interface RefusalsRead {
  readonly refusals: readonly Refusal[];
  /** Refusals that were not counted separately, because there were too many different ones. */
  readonly others: number;
}

interface Hour {
  readonly hour: number;
  readonly rows: Map<string, { -readonly [Name in keyof Refusal]: Refusal[Name] }>;
  others: number;
}

const hoursMax = 24;
/** How many different refusals are kept for an hour; further ones are only counted. */
const rowsMax = 500;

export class RefusalHistory {
  readonly #now: () => number;
  readonly #hours: Hour[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  add({ resourceType, caller, counts }: Refused): void {
    const at = this.#now();
    const hour = this.#hourOf(at);
    const { organizationId, keyId } = caller ?? {};
    for (const [code, field, count] of counts) {
      const name = `${code} ${resourceType} ${field} ${keyId}`;
      const row = hour.rows.get(name);
      if (row !== undefined) {
        row.count += count;
        row.at = at;
      } else if (hour.rows.size < rowsMax) {
        hour.rows.set(name, { code, resourceType, field, organizationId, keyId, count, at });
      } else hour.others += count;
    }
  }

  /** Covers the last `hours` hours, the current one included; the most frequent come first. */
  read(hours: number): RefusalsRead {
    const first = Math.floor(this.#now() / hourMs) - hours + 1;
    const rows = new Map<string, Refusal>();
    let others = 0;
    for (const { rows: own, others: more } of this.#hours.filter(({ hour }) => hour >= first)) {
      others += more;
      for (const [name, row] of own) {
        rows.set(name, { ...row, count: row.count + (rows.get(name)?.count ?? 0) });
      }
    }
    const refusals = [...rows.values()].toSorted(
      (one, other) => other.count - one.count || other.at - one.at,
    );
    return { refusals, others };
  }

  #hourOf(at: number): Hour {
    const hour = Math.floor(at / hourMs);
    const last = this.#hours.at(-1);
    if (last?.hour === hour) return last;
    const added: Hour = { hour, rows: new Map(), others: 0 };
    this.#hours.push(added);
    if (this.#hours.length > hoursMax) this.#hours.shift();
    return added;
  }
}
