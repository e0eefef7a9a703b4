// Figures of the whole store for the overview page of the console. Each statement reads a bounded number of rows.

import { byDueTime, inLists } from "../statement/index-conditions.ts";
import { triedAt } from "../deletion/deletion.ts";
import type { DeletionQueue } from "../../interface/deletion.ts";
import { toAuditEntry } from "../../row/audit-row.ts";
import { find, get, type Statements, scalar } from "../statement/statements.ts";

/** The deletions to count, and the highest count of each kind. */
export interface QueueQuery {
  /** Types whose deletions are not counted. */
  readonly hiddenTypes: readonly string[];
  /** Whether the deletions of closed organizations are counted. */
  readonly ofClosed: boolean;
  /** Undefined counts those of all organizations. */
  readonly organizationId?: string | undefined;
  readonly countedMax: number;
  readonly now: number;
}

/** The deletions of closed organizations wait for confidential records. */
const ofOpen = `(CAST($3 AS boolean) OR organization_id NOT IN (
        SELECT organization_id FROM organization WHERE closed_at IS NOT NULL))`;

const countBy = (index: string, condition: string, column = "1") => `
  SELECT count(*) AS deletions ${column === "1" ? "" : `, min(${column}) AS oldest`} FROM (
    SELECT ${column} FROM deletion
    --sqlite INDEXED BY ${index}
    WHERE ${condition}
      --sqlite AND resource_type NOT IN (SELECT value FROM json_each($1))
      --postgres AND resource_type <> ALL ($1::text[])
      AND ${ofOpen}
    LIMIT $2) AS counted`;

const isOpen = "status IN ('pending', 'processing') AND restricted_of IS NULL";

const overdueAt = (now: string) => `(${triedAt}) <= ${now}
      AND due_at <= ${now} AND NOT held AND (floor_until IS NULL OR floor_until <= ${now})`;

const ofAll = {
  open: countBy("deletion_due", isOpen + byDueTime),
  overdue: countBy("deletion_due", `${isOpen} ${byDueTime} AND ${overdueAt("$4")}`, "due_at"),
};

const [byOrganization, isOfOne] = [
  "deletion_by_organization_status",
  `organization_id = $4 ${inLists}`,
];
const ofOne: typeof ofAll = {
  open: countBy(byOrganization, `${isOfOne} AND ${isOpen}`),
  overdue: countBy(byOrganization, `${isOfOne} AND ${isOpen} AND ${overdueAt("$5")}`, "due_at"),
};

const findBackup = `
  SELECT * FROM audit_entry WHERE action = 'store.backup' ORDER BY entry_no DESC LIMIT 1`;

const findVersion = `
  SELECT
    --sqlite sqlite_version() AS version
    --postgres current_setting('server_version') AS version
  `;

export function* readDeletionQueue(query: QueueQuery): Statements<DeletionQueue> {
  const { organizationId: only } = query;
  const counts = only === undefined ? ofAll : ofOne;
  const some = [query.hiddenTypes, query.countedMax, query.ofClosed] as const;
  const counted = only === undefined ? some : ([...some, only] as const);
  const open = (yield* scalar<number>(counts.open, ...counted)) ?? 0;
  const values = [...counted, query.now] as const;
  const due = yield* get<{ deletions: number; oldest: number | null }>(counts.overdue, ...values);
  const { deletions: overdue = 0, oldest = null } = due ?? {};
  return { open, overdue, oldestDueAt: oldest ?? undefined };
}

/** The entry of the last backup that this service made. */
export function* findLastBackup() {
  return yield* find(toAuditEntry, findBackup);
}

/** The version of SQLite or PostgreSQL. */
export function* readEngineVersion(): Statements<string> {
  return (yield* scalar<string>(findVersion)) ?? "unknown";
}
