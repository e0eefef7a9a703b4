// Figures of the whole store for the overview page of the console. Each statement reads a bounded number of rows.

import { triedAt } from "../deletion/deletion.ts";
import type { AuditEntry } from "../../../domain/access.ts";
import { type AuditRow, emptyChain } from "../../../domain/audit-chain.ts";
import type { DeletionQueue } from "../../interface/overview.ts";
import { followsInChain, toAuditEntry } from "../../row/audit-row.ts";
import { readChainHead } from "../trail/audit.ts";
import { all, find, get, type Statements } from "../statement/statements.ts";

/** The deletions to count, and the highest count of each kind. */
export interface QueueQuery {
  /** Types whose deletions are not counted. */
  readonly hiddenTypes: readonly string[];
  /** Whether the deletions of closed organizations are counted. */
  readonly ofClosed: boolean;
  readonly countedMax: number;
  readonly now: number;
}

/** The end of the audit trail. */
export interface RecentTrail {
  /** How many entries were checked. */
  readonly entries: number;
  /** A sentence; undefined if each follows the one before, and the last is the head. */
  readonly fault: string | undefined;
}

/** The deletions of closed organizations wait for confidential records. */
const ofOpen = `(CAST($3 AS boolean) OR organization_id NOT IN (
        SELECT organization_id FROM organization WHERE closed_at IS NOT NULL))`;

const countOpen = `
  SELECT count(*) AS deletions FROM (
    SELECT 1 FROM deletion
    --sqlite INDEXED BY deletion_due
    WHERE status IN ('pending', 'processing') AND restricted_of IS NULL
      --sqlite AND resource_type NOT IN (SELECT value FROM json_each($1))
      --postgres AND resource_type <> ALL ($1::text[])
      AND ${ofOpen}
    LIMIT $2) AS counted`;

const countOverdue = `
  SELECT count(*) AS deletions, min(due_at) AS oldest FROM (
    SELECT due_at FROM deletion
    --sqlite INDEXED BY deletion_due
    WHERE status IN ('pending', 'processing') AND restricted_of IS NULL
      AND (${triedAt}) <= $4
      AND due_at <= $4 AND NOT held AND (floor_until IS NULL OR floor_until <= $4)
      --sqlite AND resource_type NOT IN (SELECT value FROM json_each($1))
      --postgres AND resource_type <> ALL ($1::text[])
      AND ${ofOpen}
    LIMIT $2) AS counted`;

const countAwaiting = `
  SELECT count(*) AS deletions FROM (
    SELECT 1 FROM deletion
    --sqlite INDEXED BY deletion_awaiting
    WHERE approval_requester IS NOT NULL AND approved_at IS NULL AND status = 'pending'
      --sqlite AND resource_type NOT IN (SELECT value FROM json_each($1))
      --postgres AND resource_type <> ALL ($1::text[])
      AND ${ofOpen}
    LIMIT $2) AS counted`;

const findBackup = `
  SELECT * FROM audit_entry WHERE action = 'store.backup' ORDER BY entry_no DESC LIMIT 1`;

const findLatest = `SELECT * FROM audit_entry ORDER BY entry_no DESC LIMIT $1`;

const findVersion = `
  SELECT
    --sqlite sqlite_version() AS version
    --postgres current_setting('server_version') AS version
  `;

export function* readDeletionQueue(query: QueueQuery): Statements<DeletionQueue> {
  const counted = [query.hiddenTypes, query.countedMax, query.ofClosed] as const;
  const open = yield* get<{ deletions: number }>(countOpen, ...counted);
  const due = yield* get<{ deletions: number; oldest: number | null }>(
    countOverdue,
    ...counted,
    query.now,
  );
  const awaiting = yield* get<{ deletions: number }>(countAwaiting, ...counted);
  return {
    open: open?.deletions ?? 0,
    overdue: due?.deletions ?? 0,
    oldestDueAt: due?.oldest ?? undefined,
    awaitingApproval: awaiting?.deletions ?? 0,
  };
}

/** The entry of the last backup that this service made. */
export function* findLastBackup(): Statements<AuditEntry | undefined> {
  return yield* find(toAuditEntry, findBackup);
}

export function* checkRecentTrail(entriesMax: number): Statements<RecentTrail> {
  const head = yield* readChainHead();
  const rows = (yield* all<AuditRow>(findLatest, entriesMax)).toReversed();
  const broken = rows.find((row, index) => {
    const previous = index === 0 && row.entry_no > 1 ? undefined : (rows[index - 1] ?? emptyChain);
    return previous !== undefined && !followsInChain(row, previous);
  });
  const entries = rows.length;
  if (broken !== undefined) {
    return { entries, fault: `The audit chain is broken at entry ${broken.entry_no}.` };
  }
  // Others may have appended to it since the head was read.
  const atHead = rows.find((row) => row.entry_no === head.no) ?? emptyChain;
  const fault = `The audit chain has no entry ${head.no} with the hash of its head.`;
  return { entries, fault: atHead.hash === head.hash ? undefined : fault };
}

/** The version of SQLite or PostgreSQL. */
export function* readEngineVersion(): Statements<string> {
  const row = yield* get<{ version: string }>(findVersion);
  return row?.version ?? "unknown";
}
