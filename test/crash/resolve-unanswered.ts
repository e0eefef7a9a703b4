// After a check, the outcome of requests that were never answered is known, and counts as reported
// from then on.

import { match } from "./compare.ts";
import { type Ledger, nameOf, type SentRecord } from "./ledger.ts";
import type { Stored } from "./stored.ts";

export interface Resolved {
  /** Unanswered changes that turned out to be stored. */
  readonly stored: number;
  readonly absent: number;
}

export function resolveUnanswered(ledger: Ledger, stored: Stored): Resolved {
  const learned = { stored: 0, absent: 0 };
  for (const [key, record] of ledger.records) {
    const { positions } = match(record, stored.records.get(nameOf(record))?.payloads ?? []);
    for (const change of record.changes) {
      const position = positions.get(change)?.[0];
      change.foundAs =
        position === undefined ? undefined : stored.records.get(key)?.payloads[position];
      if (change.standing !== "unknown") continue;
      change.standing = position === undefined ? "absent" : "stored";
      learned[change.standing] += 1;
    }
    record.disturbed = false;
    forgetRefused(record);
  }
  ledger.recent.length = 0;
  return learned;
}

/** Rejected changes are searched for once; erased ones as long as the campaign lasts. */
function forgetRefused({ changes }: SentRecord): void {
  for (let index = changes.length - 1; index >= 0; index -= 1) {
    if (changes[index]?.standing === "absent") changes.splice(index, 1);
  }
}
