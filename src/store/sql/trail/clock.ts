// The last times that the store knows: when a process last found its clock trustworthy, and the last entry of the audit
// trail. Compares only what was stored while a clock was ahead with one that is trusted.

import { dayMs } from "../../../basics/duration.ts";
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

/** Deletions that were requested while the clock was ahead: their grace periods begin now. */
const restartGrace = `
  UPDATE deletion SET due_at = $1 + due_at - requested_at, next_attempt_at = NULL
  WHERE status = 'pending' AND requested_at > $2 AND due_at >= requested_at`;

/** Sessions and links last less than a day, so these began while the clock was ahead. */
const endSessions = `DELETE FROM operator_session WHERE expires_at > $1`;
const removeLinks = `DELETE FROM one_time_token WHERE purpose = 'link' AND expires_at > $1`;

export function* readClock(): Statements<ClockTimes> {
  const row = yield* get<{ trusted_at: number | null; noted_at: number | null }>(findTimes);
  return { trustedAt: row?.trusted_at ?? undefined, notedAt: row?.noted_at ?? undefined };
}

/** For a clock that is trusted. */
export function* moveClock(at: number): Statements<void> {
  yield* run(moveTime, at);
  yield* run(restartGrace, at, at + dayMs);
  yield* run(endSessions, at + dayMs);
  yield* run(removeLinks, at + dayMs);
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
