// The last times that the store knows: when a process last found its clock trustworthy, and the last entry of the audit
// trail.

import type { Act } from "../../interface/act.ts";
import { get, run, type Statements } from "../statement/statements.ts";
import { auditAct, readChainHead } from "./audit.ts";

export interface ClockTimes {
  /** When a process last trusted its clock, or an operator confirmed it, in Unix milliseconds; undefined if never. */
  readonly trustedAt: number | undefined;
  /** The last entry that the trail had by then: it was written before, whatever time it has. */
  readonly trustedNo: number;
  /** The time of the last entry; undefined if there is none after `trustedNo`. */
  readonly notedAt: number | undefined;
}

const findTimes = `
  SELECT (SELECT value FROM meta WHERE name = 'clock') AS trusted_at,
    (SELECT value FROM meta WHERE name = 'clock_entry') AS trusted_no,
    (SELECT at FROM audit_entry ORDER BY entry_no DESC LIMIT 1) AS noted_at,
    (SELECT entry_no FROM audit_head WHERE single) AS noted_no`;

const setTime = `
  INSERT INTO meta (name, value) VALUES ('clock', $1), ('clock_entry', $2)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

/** The process that is ahead decides, if there are several. */
const moveTime = `${setTime} WHERE meta.value < excluded.value`;

interface TimesRow {
  readonly trusted_at: number | null;
  readonly trusted_no: number | null;
  readonly noted_at: number | null;
  readonly noted_no: number;
}

export function* readClock(): Statements<ClockTimes> {
  const row = yield* get<TimesRow>(findTimes);
  const trustedNo = row?.trusted_no ?? 0;
  const isLater = row !== undefined && row.noted_no > trustedNo;
  const notedAt = isLater ? (row.noted_at ?? undefined) : undefined;
  return { trustedAt: row?.trusted_at ?? undefined, trustedNo, notedAt };
}

/** For a clock that is trusted. `isSet`: goes back, too, where nothing depends on the time. */
export function* moveClock(at: number, isSet = false): Statements<void> {
  const { no } = yield* readChainHead();
  yield* run(isSet ? setTime : moveTime, at, no);
}

/** Sets the time, also back, and appends an entry to the audit trail. */
export function* confirmClock(before: number | undefined, act: Act): Statements<void> {
  yield* moveClock(act.now, true);
  const detail = before === undefined ? {} : { before };
  yield* auditAct(
    { action: "clock.confirm", organizationId: undefined, subject: "clock", detail },
    act,
  );
}
