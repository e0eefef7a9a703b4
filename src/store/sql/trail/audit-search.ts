// Searches the audit trail for people who read it, newest entry first. Reads a bounded number of entries, so there is
// no index that every act would have to update.

import type { AuditRow } from "../../../domain/audit-chain.ts";
import type { AuditPart, AuditQuery } from "../../interface/trail.ts";
import { toAuditEntry } from "../../row/audit-row.ts";
import { get, list, type Statements } from "../statement/statements.ts";

/** The clock of the process that wrote an entry gives its time; clocks of processes differ by less than this. */
const clockSkewMsMax = 60 * 60_000;

const findAtOrAfter = `
  SELECT entry_no, at FROM audit_entry WHERE entry_no >= $1 ORDER BY entry_no LIMIT 1`;

const findLast = `SELECT entry_no, at FROM audit_entry ORDER BY entry_no DESC LIMIT 1`;

/** The oldest of the entries that are examined. */
const findOldest = `
  SELECT entry_no, at FROM (
    SELECT entry_no, at FROM audit_entry WHERE entry_no < $1 ORDER BY entry_no DESC LIMIT $2
  ) AS examined ORDER BY entry_no LIMIT 1`;

const findMatching = `
  SELECT * FROM audit_entry
  WHERE entry_no < $1 AND entry_no >= $2 AND at >= $3 AND at < $4
    AND (CAST($5 AS text) IS NULL OR actor = $5)
    AND (CAST($6 AS text) IS NULL OR organization_id = $6)
    AND (CAST($7 AS text) IS NULL OR action = $7 OR substr(action, 1, length($7) + 1) = $7 || '.')
  ORDER BY entry_no DESC LIMIT $8`;

type Place = Pick<AuditRow, "entry_no" | "at">;

export function* searchAudit(query: AuditQuery): Statements<AuditPart> {
  const { from, until, limit, examinedMax } = query;
  const before = query.before ?? (yield* findEnd(until));
  const oldest = yield* get<Place>(findOldest, before, examinedMax);
  if (oldest === undefined) return { entries: [], next: undefined };
  const found = yield* list(
    toAuditEntry,
    findMatching,
    before,
    oldest.entry_no,
    from ?? 0,
    until ?? Number.MAX_SAFE_INTEGER,
    query.actor ?? null,
    query.organizationId ?? null,
    query.action ?? null,
    limit + 1,
  );
  const entries = found.slice(0, limit);
  const isComplete = oldest.entry_no === 1 || oldest.at < (from ?? 0) - clockSkewMsMax;
  const rest = isComplete ? undefined : oldest.entry_no;
  return { entries, next: found.length > limit ? entries.at(-1)?.entryNo : rest };
}

/** The number after the last entry that can be before `until`, found by bisection: later entries have later times. */
function* findEnd(until: number | undefined): Statements<number> {
  const last = yield* get<Place>(findLast);
  if (last === undefined) return 0;
  const end = last.entry_no + 1;
  if (until === undefined || last.at < until + clockSkewMsMax) return end;
  let [low, high] = [0, end];
  while (low + 1 < high) {
    const middle = Math.floor((low + high) / 2);
    const found = yield* get<Place>(findAtOrAfter, middle);
    if (found === undefined || found.at >= until + clockSkewMsMax) high = middle;
    else low = found.entry_no;
  }
  return high;
}
