// The audit trail: each entry, and the head of the chain, are written in the transaction of the act that the entry
// records. On PostgreSQL the lock on the head serializes the processes that append, so it is the last lock that a
// transaction takes. Never contains record content.

import { dayMs } from "../../../basics/duration.ts";
import type { ChainHead } from "../../../domain/deletion/ledger-entry.ts";
import type { Act } from "../../interface/act.ts";
import type { AuditEntry } from "../../../domain/access.ts";
import {
  type AuditHead,
  type AuditRow,
  emptyChain,
  restoreAction,
  toHead,
} from "../../../domain/audit-chain.ts";
import {
  makeAuditRow,
  nameSubject,
  type NewAuditEntry,
  toAuditEntry,
} from "../../row/audit-row.ts";
import { AuditChainCheck } from "../../shared/chain-check.ts";
import type {
  AuditDay,
  AuditDaysQuery,
  AuditNote,
  ChainPlace,
  VerifiedPart,
  AuditPart,
  AuditQuery,
} from "../../interface/trail.ts";
import { named, columnsIn } from "../statement/named.ts";
import { all, get, list, Rows, runTogether, type Statements } from "../statement/statements.ts";

const findHead = `SELECT entry_no, hash FROM audit_head WHERE single`;

const lockHead = `
  ${findHead}
  --postgres FOR UPDATE
  `;

const moveHead = `UPDATE audit_head SET entry_no = $1, hash = $2 WHERE single`;

const typed =
  "entry_no bigint, at bigint, actor, action, organization_id, subject, detail, previous_hash, hash";
const columns = columnsIn(typed) as readonly (keyof AuditRow)[];

const insertEntries = `
  INSERT INTO audit_entry (${columns.join(", ")}) SELECT * FROM ${named(typed)}`;

const readPage = `SELECT * FROM audit_entry WHERE entry_no > $1 ORDER BY entry_no LIMIT $2`;

const checkedAtOnce = 1_000;

/** Appends an entry. `entryNo` is given only where the chain was cut. */
export function* appendAudit(entry: NewAuditEntry, entryNo?: number): Statements<ChainHead> {
  const head = yield* lockAuditHead();
  const row = makeAuditRow(entry, head, entryNo);
  yield* storeEntries([row], head);
  return toHead(row);
}

/** Appends an entry that records who did what, and when. */
export function* auditAct(note: AuditNote, act: Act): Statements<void> {
  yield* auditActs([{ ...act, note }]);
}

export function* auditActs(acts: readonly (Act & { note: AuditNote })[]): Statements<void> {
  const head = yield* lockAuditHead();
  let last = head;
  const rows = acts.map(({ note, now: at, actor }) => {
    const row = makeAuditRow({ ...note, subject: nameSubject(note.subject), at, actor }, last);
    last = row;
    return row;
  });
  yield* storeEntries(rows, head);
}

function* storeEntries(rows: readonly AuditRow[], before: AuditHead): Statements<void> {
  const last = rows.at(-1) ?? before;
  const values = rows.map((row) => columns.map((column) => row[column]));
  yield* runTogether([
    [insertEntries, new Rows(values, columns.length)],
    [moveHead, last.entry_no, last.hash],
  ]);
}

/** Locks the head: nobody else appends until the end of the transaction. */
export function* lockAuditHead(): Statements<AuditHead> {
  const last = yield* get<AuditHead>(lockHead);
  if (last === undefined) throw new TypeError("the audit chain has no end");
  return last;
}

/** The last entry, without locking it. */
export function* readChainHead(): Statements<ChainHead> {
  return toHead((yield* get<AuditHead>(findHead)) ?? emptyChain);
}

export function* listAudit(afterEntryNo: number, limit: number) {
  return yield* list(toAuditEntry, readPage, afterEntryNo, limit);
}

export function* verifyPart({ no, hash, limit }: ChainPlace): Statements<VerifiedPart> {
  const check = new AuditChainCheck({ entry_no: no, hash });
  const rows = yield* all<AuditRow>(readPage, no, limit);
  const isEnd = rows.length < limit;
  const altered = check.add(rows);
  const head = isEnd && altered === undefined ? yield* get<AuditHead>(findHead) : undefined;
  const fault = altered ?? (head === undefined ? undefined : check.end(head));
  return { ...toHead(check.last), fault, isEnd };
}

/** Reports the first altered entry, or a head that is not the last. Then the check knows where chains were cut. */
export function* checkAuditChain(check: AuditChainCheck): Statements<string | undefined> {
  for (;;) {
    const rows = yield* all<AuditRow>(readPage, check.lastNo, checkedAtOnce);
    const fault = check.add(rows);
    if (fault !== undefined) return fault;
    if (rows.length < checkedAtOnce) return check.end(yield* get<AuditHead>(findHead));
  }
}

/** The clock of the process that wrote an entry gives its time; clocks of processes differ by less than this. */
const clockSkewMsMax = 60 * 60_000;

const findAtOrAfter = `
  SELECT entry_no, at FROM audit_entry WHERE entry_no >= $1 ORDER BY entry_no LIMIT 1`;

const findLast = `SELECT entry_no, at FROM audit_entry ORDER BY entry_no DESC LIMIT 1`;

/** The oldest of the entries that are examined, by the number: those in between would have to be read to count them. */
const findOldest = `
  SELECT entry_no, at FROM audit_entry
  WHERE entry_no > (SELECT max(entry_no) FROM audit_entry WHERE entry_no < $1) - CAST($2 AS bigint)
  ORDER BY entry_no LIMIT 1`;

const findMatching = `
  SELECT * FROM audit_entry
  WHERE entry_no < $1 AND entry_no >= $2 AND at >= $3 AND at < $4
    AND (CAST($5 AS text) IS NULL OR actor = $5)
    AND (CAST($6 AS text) IS NULL OR organization_id = $6)
    AND (CAST($7 AS text) IS NULL OR action = $7 OR substr(action, 1, length($7) + 1) = $7 || '.')
    --sqlite AND ($9 IS NULL OR subject IN (SELECT value FROM json_each($9)))
    --postgres AND ($9::text[] IS NULL OR subject = ANY ($9::text[]))
  ORDER BY entry_no DESC LIMIT $8`;

type EntryPosition = Pick<AuditRow, "entry_no" | "at">;

/** Newest entry first. Reads a bounded number of entries, so there is no index that every act would have to update. */
export function* searchAudit(query: AuditQuery): Statements<AuditPart> {
  const { from, until, limit, examinedMax } = query;
  const before = query.before ?? (yield* findEnd(until));
  const oldest = yield* get<EntryPosition>(findOldest, before, examinedMax);
  if (oldest === undefined) return { entries: [], next: undefined };
  const matching = yield* list(
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
    query.subjects ?? null,
  );
  const entries = matching.slice(0, limit);
  const isComplete = oldest.entry_no === 1 || oldest.at < (from ?? 0) - clockSkewMsMax;
  const rest = isComplete ? undefined : oldest.entry_no;
  return { entries, next: matching.length > limit ? entries.at(-1)?.entryNo : rest };
}

/** The number after the last entry that can be before `until`, found by bisection: later entries have later times. */
function* findEnd(until: number | undefined): Statements<number> {
  const last = yield* get<EntryPosition>(findLast);
  if (last === undefined) return 0;
  const end = last.entry_no + 1;
  if (until === undefined || last.at < until + clockSkewMsMax) return end;
  let [low, high] = [0, end];
  while (low + 1 < high) {
    const middle = Math.floor((low + high) / 2);
    const entry = yield* get<EntryPosition>(findAtOrAfter, middle);
    if (entry === undefined || entry.at >= until + clockSkewMsMax) high = middle;
    else low = entry.entry_no;
  }
  return high;
}

const findRestores = `
  SELECT * FROM audit_entry WHERE action = '${restoreAction}' ORDER BY entry_no DESC LIMIT $1`;

/** The latest ones, by an index of their own. */
export function* listRestores(limit: number): Statements<readonly AuditEntry[]> {
  return yield* list(toAuditEntry, findRestores, limit);
}

/**
 * Finds the last entry before each day, all of them in one statement: by halving steps from the beginning of the trail,
 * so there is no index of times.
 */
const findDays = `
  WITH RECURSIVE day (begins, days_left) AS (
    SELECT CAST($1 AS bigint), CAST($2 AS bigint)
    UNION ALL SELECT begins + ${dayMs}, days_left - 1 FROM day WHERE days_left > 1
  ), search (begins, before_no, step) AS (
    SELECT begins, CAST(0 AS bigint), CAST(4294967296 AS bigint) FROM day
    UNION ALL
    SELECT begins, before_no + CASE WHEN (
        SELECT at FROM audit_entry WHERE entry_no >= before_no + step ORDER BY entry_no LIMIT 1
      ) < begins THEN step ELSE 0 END, step / 2
    FROM search WHERE step > 0
  )
  SELECT begins, before_no, entry_no AS last_no FROM search, audit_head
  WHERE step = 0 AND single ORDER BY begins`;

const countActions = `
  SELECT (at - CAST($1 AS bigint)) / ${dayMs} AS day_no, action, count(*) AS count FROM audit_entry
  WHERE entry_no > $2 GROUP BY 1, 2 ORDER BY count DESC, action`;

type DayRow = Readonly<Record<"begins" | "before_no" | "last_no", number>>;
type ActionRow = { readonly action: string } & Readonly<Record<"day_no" | "count", number>>;

/** In the order of the days. Counts by the numbers of entries, and actions only on the days of the last entries. */
export function* countAuditDays({
  from,
  days,
  examinedMax,
}: AuditDaysQuery): Statements<readonly AuditDay[]> {
  const bounds = yield* all<DayRow>(findDays, from, days);
  const last = bounds[0]?.last_no ?? 0;
  const isExamined = ({ before_no: before }: DayRow) => before >= last - examinedMax;
  const examined = bounds.find(isExamined)?.before_no ?? last;
  const actions = yield* all<ActionRow>(countActions, from, examined);
  const byDay = Map.groupBy(actions, ({ day_no: dayNo }) => dayNo);
  return bounds.map((day, dayNo) => ({
    at: day.begins,
    entries: (bounds[dayNo + 1]?.before_no ?? last) - day.before_no,
    actions: isExamined(day)
      ? (byDay.get(dayNo) ?? []).map(({ action, count }) => [action, count])
      : [],
  }));
}
