// Imports: begun, reported and listed.

import type {
  ImportOutcome,
  ImportReport,
  ImportRun,
  NewImportRun,
} from "../../interface/imports.ts";
import { all, run, type Statements } from "../statement/statements.ts";

const insert = `
  INSERT INTO import_run
    (organization_id, import_id, resource_type, source, started_at, started_by, updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $5)`;

const update = `
  UPDATE import_run
  SET updated_at = $3, rows_read = $4, written = $5, unchanged = $6, refused = $7, outcome = $8
  WHERE organization_id = $1 AND import_id = $2 AND outcome IS NULL`;

const findNewest = `SELECT * FROM import_run ORDER BY started_at DESC, import_id DESC LIMIT $1`;

const removeOfOrganization = `DELETE FROM import_run WHERE organization_id = $1`;

interface ImportRow {
  readonly organization_id: string;
  readonly import_id: string;
  readonly resource_type: string;
  readonly source: ImportRun["source"];
  readonly started_at: number;
  readonly started_by: string;
  readonly updated_at: number;
  readonly rows_read: number;
  readonly written: number;
  readonly unchanged: number;
  readonly refused: number;
  readonly outcome: ImportOutcome | null;
}

export function* beginImport(one: NewImportRun): Statements<void> {
  const { organizationId, importId, resourceType, source, startedAt, startedBy } = one;
  yield* run(insert, organizationId, importId, resourceType, source, startedAt, startedBy);
}

/** Nothing is reported after the end. */
export function* reportImport(report: ImportReport): Statements<void> {
  const { organizationId, importId, updatedAt, rows, written, unchanged, refused } = report;
  const counts = [rows, written, unchanged, refused];
  yield* run(update, organizationId, importId, updatedAt, ...counts, report.outcome ?? null);
}

/** Lists the imports of all organizations, newest first. */
export function* listImports(limit: number): Statements<readonly ImportRun[]> {
  return (yield* all<ImportRow>(findNewest, limit)).map(toImportRun);
}

export function* removeImportsOf(organizationId: string): Statements<void> {
  yield* run(removeOfOrganization, organizationId);
}

function toImportRun(row: ImportRow): ImportRun {
  return {
    importId: row.import_id,
    organizationId: row.organization_id,
    resourceType: row.resource_type,
    source: row.source,
    startedAt: row.started_at,
    startedBy: row.started_by,
    updatedAt: row.updated_at,
    rows: row.rows_read,
    written: row.written,
    unchanged: row.unchanged,
    refused: row.refused,
    outcome: row.outcome ?? undefined,
  };
}
