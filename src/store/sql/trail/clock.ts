// The last times that the store knows: when a process last found its clock trustworthy, and the last entry of the audit
// trail.

import type { Act } from "../../interface/act.ts";
import { get, run, type Statements } from "../statement/statements.ts";
import { auditAct } from "./audit.ts";

export interface ClockTimes {
  /** When a process last trusted its clock, or an operator confirmed it, in Unix milliseconds; undefined if never. */
  readonly trustedAt: number | undefined;
  /** The time of the last entry; undefined for an empty trail. */
  readonly notedAt: number | undefined;
}

const findTimes = `
  SELECT (SELECT value FROM meta WHERE name = 'clock') AS trusted_at,
    (SELECT at FROM audit_entry ORDER BY entry_no DESC LIMIT 1) AS noted_at`;

const setTime = `
  INSERT INTO meta (name, value) VALUES ('clock', $1)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

/** The process that is ahead decides, if there are several. */
const moveTime = `${setTime} WHERE meta.value < excluded.value`;

export function* readClock(): Statements<ClockTimes> {
  const row = yield* get<{ trusted_at: number | null; noted_at: number | null }>(findTimes);
  return { trustedAt: row?.trusted_at ?? undefined, notedAt: row?.noted_at ?? undefined };
}

/** For a clock that is trusted. */
export function* moveClock(at: number): Statements<void> {
  yield* run(moveTime, at);
}

/** Sets the time, also back, and appends an entry to the audit trail. */
export function* confirmClock(before: number | undefined, act: Act): Statements<void> {
  yield* run(setTime, act.now);
  const detail = before === undefined ? {} : { before };
  yield* auditAct(
    { action: "clock.confirm", organizationId: undefined, subject: "clock", detail },
    act,
  );
}
