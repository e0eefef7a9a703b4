// Imports in the store: who imports what, and the progress. Begun, reported, listed and removed.

import { dayMs } from "../../../basics/duration.ts";
import { limits } from "../../../domain/limits.ts";
import { reader } from "../../../store/row/reader.ts";
import { insertion } from "../../../store/sql/statement/insertion.ts";
import { list, run, type Statements } from "../../../store/sql/statement/statements.ts";

/** How many rows ended in each way. */
export interface RowCounts {
  readonly written: number;
  readonly unchanged: number;
  readonly refused: number;
}

export interface ImportProgress extends RowCounts {
  /** That were read. */
  readonly rows: number;
}

interface ImportKey {
  readonly organizationId: string;
  readonly importId: string;
}

export interface NewImportRun extends ImportKey {
  readonly resourceType: string;
  readonly source: "console" | "command";
  readonly startedAt: number;
  readonly startedBy: string;
}

interface ImportState extends ImportProgress {
  /** When it last reported its progress. */
  readonly updatedAt: number;
  /** Undefined while it runs, or if its process ended without a report. */
  readonly outcome?: "finished" | "stopped" | "failed" | undefined;
}

export type ImportReport = ImportKey & ImportState;
export type ImportRun = NewImportRun & ImportState;

/** From its beginning. */
export const importKeptMs = 30 * dayMs;

const insertRun = insertion<NewImportRun & Pick<ImportRun, "updatedAt">>(
  "import_run",
  "organization_id import_id resource_type source started_at started_by updated_at",
);

const update = `
  UPDATE import_run
  SET updated_at = $3, rows_read = $4, written = $5, unchanged = $6, refused = $7, outcome = $8
  WHERE organization_id = $1 AND import_id = $2 AND outcome IS NULL`;

const findNewest = `
  SELECT organization_id, import_id, resource_type, source, started_at, started_by, updated_at,
    rows_read AS rows, written, unchanged, refused, outcome
  FROM import_run ORDER BY started_at DESC, import_id DESC LIMIT $1`;

const removeOfOrganization = `DELETE FROM import_run WHERE organization_id = $1`;

const removeOld = `
  DELETE FROM import_run WHERE (organization_id, import_id) IN (
    SELECT organization_id, import_id FROM import_run WHERE started_at < $1 LIMIT $2)`;

/** What was begun while the clock was ahead, by more than a day ($2), is kept from now ($1) on. */
const restart = `
  UPDATE import_run SET started_at = $1 WHERE (organization_id, import_id) IN (
    SELECT organization_id, import_id FROM import_run WHERE started_at > $2 LIMIT $3)`;

const toImportRun = reader<ImportRun>({});

export function* beginImport(one: NewImportRun): Statements<void> {
  yield* insertRun({ ...one, updatedAt: one.startedAt });
}

/** Nothing is reported after the end. */
export function* reportImport(report: ImportReport): Statements<void> {
  const { organizationId, importId, updatedAt, rows, written, unchanged, refused } = report;
  const counts = [rows, written, unchanged, refused];
  yield* run(update, organizationId, importId, updatedAt, ...counts, report.outcome ?? null);
}

export function* listImports(limit: number) {
  return yield* list(toImportRun, findNewest, limit);
}

/** Returns whether there may be more to remove or to correct. */
export function* purgeImports(now: number): Statements<boolean> {
  const rowsMax = limits.purgedRowsMax;
  const removed = yield* run(removeOld, now - importKeptMs, rowsMax);
  const restarted = yield* run(restart, now, now + dayMs, rowsMax);
  return removed === rowsMax || restarted === rowsMax;
}

/** An organization has few, because they are removed after a while. */
export function* removeImportsOf(organizationId: string): Statements<void> {
  yield* run(removeOfOrganization, organizationId);
}
